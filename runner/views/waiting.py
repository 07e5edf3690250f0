"""What a live run waits for, each thing by name: people, times, signals, workers. Read from rows, changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from runner.engine.errors import RunError
from runner.engine.rows import CONTAINER_TYPES
from runner.engine.statuses import RunStatus, StepStatus
from runner.models import Approval, Run, StepRun, Timer, to_instant, to_ms
from runner.models.steps import LIVE_STEP
from runner.serializers.words import count_of, who_decides
from runner.services.programs import program_of_run
from runner.services.stops import tool_of
from runner.store.stops import ActiveStop, Stops, read_stops

SHOWN = 12
"""Lines on the page; the rest is counted."""


@dataclass(frozen=True)
class Wait:
    """One line: its mark, what is waited for, until when, and the approval or run it links to."""

    mark: str
    text: str
    at: datetime | None = None
    at_label: str = ""
    approval_id: str = ""
    run_id: str = ""


def waits_of(run: Run, user: Any, now_ms: int) -> list[Wait]:
    """Say why a live run has not ended. People first: they are who can change it."""
    if not run.is_live:
        return []
    lines = [_approval_line(run, approval, user) for approval in _open_approvals(run)]
    if run.status == RunStatus.PAUSED:
        lines.insert(
            0,
            Wait("paused", "Paused by a person: nothing new starts until it is resumed", run.paused_at, "since"),
        )
    stops = read_stops()
    held = stops.of_flow(run.flow_id)
    if held is not None:
        lines.insert(0, _stop_line("", held))
    steps = list(_live_steps(run, with_calls=bool(stops.tools)))
    due = {timer.step_id: timer.due_at for timer in _timers(run, [step.pk for step in steps])}
    tool_stops = _tool_stops(run, steps, stops)
    for step in steps:
        if step.pk in tool_stops:
            lines.append(_stop_line(step.path, tool_stops[step.pk]))
            continue
        line = _LINES[StepStatus(step.status)](step, due, now_ms)
        if line is not None:
            lines.append(line)
    hidden = run.live - len(steps)
    if hidden > 0:
        lines.append(Wait("queued", f"… and {count_of(hidden, 'more live step')}"))
    return lines


def _open_approvals(run: Run) -> Iterable[Approval]:
    rows = Approval.objects.filter(run=run).open().select_related("delegate")
    return rows.order_by("created_at", "pk").defer("arguments", "offer", "form")[:SHOWN]


def _stop_line(path: str, held: ActiveStop) -> Wait:
    """What an admin has stopped, and why; `path`: the one step that it holds."""
    who = f"{path} waits: its tool {held.target} is stopped" if path else "Stopped"
    text = f"{who} by {held.by} (it goes on by itself once that is released): {held.reason}"
    return Wait("paused", text, to_instant(held.at), "since")


def _tool_stops(run: Run, steps: Iterable[StepRun], stops: Stops) -> dict[str, ActiveStop]:
    """Step run -> the stop of the tool that it would call."""
    if not stops.tools or run.flow_test is not None:
        return {}
    try:
        _, program = program_of_run(run.pk)
    except RunError:  # this installation cannot read the flow any more: nor could it call anything
        return {}
    found = {
        step.pk: stops.of_tool(tool_of(program, step) or "") for step in steps if step.status == StepStatus.PENDING
    }
    return {step_id: held for step_id, held in found.items() if held is not None}


def _live_steps(run: Run, *, with_calls: bool) -> Iterable[StepRun]:
    rows: Iterable[StepRun] = (
        StepRun.objects.filter(run=run, status__in=LIVE_STEP)
        .order_by("created_at", "pk")
        .only(
            "run_id", "path", "type", "status", "attempt", "worker", "waits_for", "wait_key", "not_before",
            "created_at", "started_at", "dispatch_count", "node", *(["notes"] if with_calls else []),
        )[:SHOWN]
    )  # fmt: skip
    return rows


def _timers(run: Run, step_ids: list[str]) -> Iterable[Timer]:
    return Timer.objects.filter(run=run, status="armed", kind__in=("wait", "moment"), step_id__in=step_ids)


def _approval_line(run: Run, approval: Approval, user: Any) -> Wait:
    may_see = Approval.objects.visible_to(user).filter(pk=approval.pk).exists()
    who = who_decides(approval.group, approval.assignees)
    if approval.delegate is not None:
        who = approval.delegate.get_username()
    text = f"{approval.path} waits for a decision by {who}"
    if approval.needed > 1:
        text += f", {len(approval.approved_by)} of {approval.needed} approvals so far"
    return Wait("approval", text, approval.expires_at, "expires", approval.pk if may_see else "")


def _pending(step: StepRun, due: dict[str | None, datetime], now_ms: int) -> Wait | None:
    if step.not_before and to_ms(step.not_before) > now_ms:
        return Wait("retrying", f"{step.path} is tried again (attempt {step.attempt})", step.not_before, "due")
    return Wait("queued", f"{step.path} waits for a worker", step.created_at, "since")


def _running(step: StepRun, due: dict[str | None, datetime], now_ms: int) -> Wait | None:
    if step.type in CONTAINER_TYPES:
        return None
    where = f" on {step.ran_on}" if step.worker else ""
    return Wait("running", f"{step.path} is running{where}", step.started_at, "since")


def _waiting(step: StepRun, due: dict[str | None, datetime], now_ms: int) -> Wait | None:
    if step.waits_for == "timer":
        return Wait("waiting", f"{step.path} waits for its time", due.get(step.pk), "due")
    if step.waits_for == "signal":
        return Wait("waiting", f"{step.path} waits for the signal “{step.wait_key}”", step.started_at, "since")
    if step.waits_for == "run":
        text = f"{step.path} waits for a run of its own"
        return Wait("waiting", text, step.started_at, "since", run_id=step.wait_key)
    return None


_LINES: dict[StepStatus, Callable[[StepRun, dict[str | None, datetime], int], Wait | None]] = {
    StepStatus.PENDING: _pending,
    StepStatus.RUNNING: _running,
    StepStatus.WAITING: _waiting,
}
