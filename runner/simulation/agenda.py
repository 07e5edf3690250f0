"""What comes next on the virtual clock: ready steps, and ends with their ties broken. It only looks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.engine.rows import StepRow, TimerRow
from runner.engine.statuses import RunStatus, StepStatus
from runner.simulation.catalog import NEVER_MS
from runner.simulation.people import ActionBook, DecisionBook, Due
from runner.simulation.runs import SimulatedRun

_INDEX = re.compile(r"\[(\d+)\]")

#: Ties on the clock are settled by these ranks, then by declaration order.
ENDS, DECISIONS, ACTIONS, TIME_LIMITS = range(4)

#: Timers that stand for a wait; every other kind is a time limit.
WAITS = frozenset({"wait", "moment"})

Position = tuple[Any, ...]


@dataclass(frozen=True)
class Item:
    """Something that is due: when, its rank among ties, its place within the rank, and what it is.

    Subjects by kind: `end`, `limit`, `stop`: the flight; `back_off`, `timer`: run and id; `decision`, `action`: Due.
    """

    at: int
    rank: int
    position: Position
    kind: str
    subject: Any

    @property
    def order(self) -> tuple[int, int, Position]:
        """What items are sorted by."""
        return (self.at, self.rank, self.position)


def position(run: SimulatedRun, row: StepRow) -> Position:
    """Where a step run stands: its run, declaration of its node, iterations in item order, visit, attempt."""
    order: Mapping[str, int] = run.program.order
    return (run.rank, order[row.node], tuple(int(n) for n in _INDEX.findall(row.path)), row.visit, row.attempt)


def ready_steps(
    runs: Sequence[SimulatedRun], now: int, released: Collection[str]
) -> list[tuple[SimulatedRun, StepRow]]:
    """Pending steps to claim, in declaration order. A back-off must have ended, as an end of its own."""
    ready = [(run, row) for run in runs for row in _ready_in(run, now, released)]
    return sorted(ready, key=lambda one: position(*one))


def _ready_in(run: SimulatedRun, now: int, released: Collection[str]) -> list[StepRow]:
    status = run.store.seen.status
    if status not in (RunStatus.ACTIVE, RunStatus.PAUSED):
        return []
    pending = [row for row in run.store.rows("steps") if row.status is StepStatus.PENDING]
    ready = [row for row in pending if row.not_before <= now]
    ready = [row for row in ready if row.id in released or not _backs_off(row)]
    if status is RunStatus.PAUSED:
        ready = [row for row in ready if row.lost]
    return ready


def _backs_off(row: StepRow) -> bool:
    """Whether a pending attempt was made for a later time; one that was claimed before only goes on."""
    return row.started_at is None and row.not_before > row.created_at


def times(runs: Sequence[SimulatedRun], released: Collection[str], idle: Collection[tuple[str, int]]) -> Iterable[Item]:
    """Back-offs and armed timers. `idle`: timers, with their time, that had nothing to do when they fired."""
    for run in runs:
        if run.store.seen.status is RunStatus.ACTIVE:
            for row in run.store.rows("steps"):
                if row.status is StepStatus.PENDING and row.id not in released and _backs_off(row):
                    yield Item(row.not_before, ENDS, position(run, row), "back_off", (run, row.id))
        for timer in run.store.armed_timers():
            if (timer.id, timer.due_at) not in idle and not _never(run, timer):
                rank = ENDS if timer.kind in WAITS else TIME_LIMITS
                yield Item(timer.due_at, rank, _timer_position(run, timer), "timer", (run, timer.id))


def _timer_position(run: SimulatedRun, timer: TimerRow) -> Position:
    row = run.store.step(timer.step_id) if timer.step_id else None
    return position(run, row) if row is not None else (run.rank, len(run.program.order), (), 0, 0)


def _never(run: SimulatedRun, timer: TimerRow) -> bool:
    """Whether a timer is only the site's expiry of approvals, which a flow test has not."""
    if timer.kind != "approval":
        return False
    step = run.store.step(timer.step_id or "")
    return step is not None and timer.due_at - step.created_at >= NEVER_MS


def people(runs: Sequence[SimulatedRun], decisions: DecisionBook, actions: ActionBook) -> list[Item]:
    """Decisions on approvals of any run, and actions after events of the first, in the order of the test."""
    approvals = [approval for run in runs for approval in run.store.rows("approvals")]
    return [
        *_of_people(decisions.due(approvals), DECISIONS, "decision"),
        *_of_people(actions.due(runs[0].store.events), ACTIONS, "action"),
    ]


def _of_people(dues: Sequence[Due], rank: int, kind: str) -> list[Item]:
    return [Item(due.at, rank, (due.number,), kind, due) for due in dues]
