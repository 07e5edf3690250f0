"""What people do in a flow test: decisions on approvals, actions after events. Obeying is the shell's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from runner.engine.errors import RunError
from runner.engine.events import Event
from runner.engine.happenings import (
    ApprovalDecided,
    CancelAsked,
    Happening,
    PauseAsked,
    ResumeAsked,
    RetryAsked,
    SignalReceived,
)
from runner.engine.rows import ApprovalRow, StepRow
from runner.engine.statuses import StepStatus
from runner.simulation.flow_test_file import Action, Decision, EventPattern

REVIEWER = {"kind": "user", "id": "reviewer", "name": "reviewer"}
ANALYST = {"kind": "user", "id": "analyst", "name": "analyst"}


def matches(pattern: EventPattern, event: Event) -> bool:
    """Whether an event is of the type, path and attempt that a pattern names."""
    return (
        pattern.type == event.type and pattern.path in (None, event.path) and pattern.attempt in (None, event.attempt)
    )


@dataclass(frozen=True)
class Due:
    """Something that a person does: when, in which order, and what."""

    at: int
    number: int
    what: Decision | Action
    approval_id: str = ""


class DecisionBook:
    """Which approval gets which decision of a test: the first that is left and names it."""

    def __init__(self, decisions: Sequence[Decision]) -> None:
        self._left = dict(enumerate(decisions))
        self._given: dict[str, tuple[int, Decision]] = {}

    def due(self, approvals: Sequence[ApprovalRow]) -> list[Due]:
        """Decisions to be given, for approvals that are open."""
        for approval in approvals:
            if approval.id not in self._given and approval.kind != "unknown":
                self._assign(approval)
        return [
            Due(approval.created_at + decision.after_ms, number, decision, approval.id)
            for approval in approvals
            if approval.status == "open" and approval.id in self._given
            for number, decision in [self._given[approval.id]]
        ]

    def _assign(self, approval: ApprovalRow) -> None:
        for number, decision in self._left.items():
            if decision.step in (approval.node, approval.path):
                self._given[approval.id] = (number, self._left.pop(number))
                return

    def used_up(self, approval_id: str) -> None:
        """The decision was not taken, or was not the last one: the next that names the approval is tried."""
        del self._given[approval_id]


def decided(decision: Decision, number: int, approval: ApprovalRow, now: int) -> ApprovalDecided:
    """The happening of a decision, with the digest that the reviewer saw. `number`: its place in the test."""
    return ApprovalDecided(
        now,
        approval.id,
        "approved" if decision.approve else "rejected",
        approval.digest,
        decision.comment,
        decision.arguments,
        decision.form,
        decision.by or f"reviewer {number}",
        actor=REVIEWER | {"id": decision.by, "name": decision.by} if decision.by else REVIEWER,
    )


class ActionBook:
    """Which actions a test asks for, and which of them are done."""

    def __init__(self, actions: Sequence[Action]) -> None:
        self._actions = list(actions)
        self._done: set[int] = set()

    def mark_done(self, number: int) -> None:
        """The action was carried out, or refused for good."""
        self._done.add(number)

    def at_once(self, events: Sequence[Event]) -> Due | None:
        """The first action that comes directly after an event that has happened."""
        return next((due for due in self.due(events) if due.what.after_ms is None), None)

    def due(self, events: Sequence[Event]) -> list[Due]:
        """Actions still to be done whose event has happened."""
        found = []
        for number, action in enumerate(self._actions):
            if number in self._done:
                continue
            first = next((event for event in events if matches(action.when, event)), None)
            if first is not None:
                found.append(Due(first.ts + (action.after_ms or 0), number, action))
        return found


def acted(action: Action, steps: Sequence[StepRow], now: int) -> Happening:
    """The happening of an action. Raises RunError where it names a step that there is not."""
    plain: dict[str, Callable[[], Happening]] = {
        "cancel": lambda: CancelAsked(now, actor=ANALYST),
        "pause": lambda: PauseAsked(now, actor=ANALYST),
        "resume": lambda: ResumeAsked(now, actor=ANALYST),
        "signal": lambda: SignalReceived(now, action.key or "", action.value, actor=ANALYST),
        "retry_step": lambda: RetryAsked(
            now, step_to_retry(steps, action.step or "").id, action.arguments, actor=ANALYST
        ),
    }
    return plain[action.do]()


def step_to_retry(steps: Sequence[StepRow], name: str) -> StepRow:
    """The newest attempt of the step with this path or node id, a failed one if there is any."""
    named: list[Any] = [row for row in steps if name in (row.path, row.node)]
    failed = [row for row in named if row.status in (StepStatus.FAILED, StepStatus.BUDGET_EXHAUSTED)]
    if not named:
        raise RunError("not_found", f"There is no step '{name}' in this run.")
    newest: StepRow = max(failed or named, key=lambda row: (row.ended_at or 0, row.visit, row.attempt))
    return newest
