"""Sub-flows: a step that starts a run of its own (the child) and, where it waits for it, ends as the child ended."""

from __future__ import annotations

from typing import Any

from editor.language.definition import Definition
from editor.language.inputs import check_inputs
from runner.engine.commands import CancelRun, ExecuteStep, StartRun
from runner.engine.errors import RunError, make_error
from runner.engine.program import CompiledNode
from runner.engine.rows import StepRow, Stored, TimerRow, derived_id, id_beside
from runner.engine.statuses import RunStatus, StepStatus
from runner.engine.turn import StepFails, StepSucceeds, Turn


def child_id(step_id: str) -> str:
    """The id of the run that an attempt of a sub-flow step starts, whose id is `step_id`."""
    return id_beside(step_id, "run", step_id)


def start_child(turn: Turn, step: StepRow, compiled: CompiledNode, given: dict[str, Any]) -> None:
    """Start the child run; its inputs are checked first. Raises RunError where it may not start."""
    config = compiled.config
    definition = _definition(turn, config.flow, config.version)
    depth = turn.run.depth + 1
    if depth > turn.program.limits.sub_run_depth:
        raise RunError("limit_exceeded", f"Sub-flows are nested deeper than {turn.program.limits.sub_run_depth}.")
    state, problems = check_inputs(definition, None, given["inputs"])
    if problems:
        listed = [str(one) for one in problems]
        raise RunError(
            "validation_failed",
            f"The inputs do not fit flow '{config.flow}': {' '.join(listed)}",
            details={"problems": listed},
        )
    waiting = step.id if config.wait else None
    turn.command(StartRun(child_id(step.id), config.flow, config.version, state, turn.run.id, waiting, depth))
    if config.wait:
        turn.slice.change_step(
            step, status=StepStatus.WAITING, waits_for="run", wait_key=child_id(step.id), lease_expires_at=None
        )
        limit = compiled.node.timeout_ms
        if limit is not None:
            turn.slice.set_timer(TimerRow(derived_id("timer", step.id, "limit"), "limit", turn.now + limit, step.id))
        turn.emit("step-waiting", step, waits_for="run", run=child_id(step.id))
        return
    turn.slice.change_step(step, output=Stored.of(child_id(step.id)))
    turn.command(
        ExecuteStep(
            step.id, step.fence, step.node, step.type, step.path, step.visit, step.attempt, None, "", None, pure=True
        )
    )


def _definition(turn: Turn, flow: str, version: Any) -> Definition:
    if version == "self":
        return turn.program.definition
    found = turn.program.catalog.flow_version(flow, version)
    if found is None:
        raise RunError("flow_invalid", f"There is no version {version} of flow '{flow}'. Publish it, or name another.")
    return found


def child_ended(turn: Turn, step: StepRow, status: str, result: Any, error: dict[str, Any] | None) -> None:
    """The child run has ended: so does the step that waits for it."""
    if status == RunStatus.SUCCEEDED:
        turn.queue(StepSucceeds(step.id, result))
        return
    told = error or make_error("canceled", "The run of the sub-flow was canceled.")
    details = {"run": child_id(step.id)} | ({"step": told["path"]} if "path" in told else {})
    turn.queue(StepFails(step.id, make_error(str(told["code"]), str(told["message"]), details=details)))


def let_go(turn: Turn, step: StepRow) -> None:
    """A step that waited for a child run ends otherwise: the child is canceled."""
    if step.waits_for == "run" and step.status is StepStatus.WAITING and step.wait_key:
        turn.command(CancelRun(step.wait_key))
