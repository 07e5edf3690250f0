"""The end of a run: its result or error, the artifacts it promised, and everything alive canceled at once."""

from __future__ import annotations

from typing import Any

from runner.engine.commands import CancelStep, RunEnded
from runner.engine.errors import make_error
from runner.engine.finishing import cancel_now
from runner.engine.rows import ROOT_SCOPE, StepRow, Stored, ValueRow
from runner.engine.scopes import MERGED_KINDS, chain, read
from runner.engine.statuses import ApprovalStatus, RunStatus, StepStatus
from runner.engine.turn import FinishRun, Turn

_EVENTS = {"succeeded": "flow-complete", "failed": "flow-error", "canceled": "flow-canceled"}


def finish_run(turn: Turn, move: FinishRun) -> None:
    """End the run for good; of its moves and regions nothing is left to do."""
    turn.moves.clear()
    turn.regions.clear()
    if move.scope is not None:
        _take_over_state(turn, move.scope)
    cancel_everything(turn)
    turn.regions.clear()
    status, error = move.status, move.error
    if status == "succeeded":
        error = _missing_artifact(turn)
        status = "failed" if error else status
    run = turn.run
    run.status = RunStatus(status)
    run.ended_at = turn.at
    run.result = (move.result or Stored.of(None)) if status == "succeeded" else None
    run.error = error
    data: dict[str, Any] = {"usage": run.usage.as_json()}
    if move.scope is not None:
        data["scope"] = move.scope
    if run.result is not None:
        data["result"] = turn.in_event_of(run.result, move.node)
    if error is not None:
        data["error"] = error
    turn.emit(_EVENTS[status], None, by=turn.actor if status == "canceled" else None, **data)
    turn.command(RunEnded(status))


def cancel_everything(turn: Turn) -> None:
    """Cancel every live step run in declaration order, then the containers from the inside out; nobody is awaited."""
    live = turn.slice.live_steps()
    live.sort(key=lambda row: _order_of_cancel(turn, row))
    for step in live:
        if step.status is StepStatus.RUNNING and not step.is_container:
            turn.command(CancelStep(step.id))
        cancel_now(turn, step, restorable=False)
    for approval in turn.slice.open_approvals():
        turn.slice.change_approval(approval, status=ApprovalStatus.CANCELED)
    for timer in turn.slice.armed_timers():
        turn.slice.set_timer(timer, status="void")


def _order_of_cancel(turn: Turn, step: StepRow) -> tuple[Any, ...]:
    """Work as it is declared, the calls of a step before the step; then containers, the innermost first."""
    inside = step.path.count(".") if step.is_container else 0
    return step.is_container, -inside, turn.program.order[step.node], not step.is_member, turn.place_of(step)


def return_from(turn: Turn, step: StepRow, output: Stored) -> None:
    """A `return` ends the run at once with its value, and the state as its path sees it."""
    turn.queue(FinishRun("succeeded", result=output, scope=step.scope, node=step.node))


def _take_over_state(turn: Turn, scope: int) -> None:
    """Make what this path sees the state of the run."""
    for n in reversed(chain(turn.slice, turn.slice.scope(scope))):
        if n == ROOT_SCOPE:
            continue
        for row in turn.slice.scope_values(n, MERGED_KINDS):
            turn.slice.put_value(ValueRow(ROOT_SCOPE, row.kind, row.key, row.stored))


def _missing_artifact(turn: Turn) -> dict[str, Any] | None:
    """The error of a run that ends without an artifact which its flow promises."""
    required = [one.id for one in turn.program.definition.artifacts if one.required]
    missing = [one for one in required if read(turn.slice, [ROOT_SCOPE], "a", one) is None]
    if not missing:
        return None
    names = ", ".join(f"'{one}'" for one in missing)
    return make_error(
        "artifact_missing",
        f"The run ended without {names}, which the flow promises. Look at which path it took.",
        details={"missing": missing},
    )
