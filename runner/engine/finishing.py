"""The end of one step run: its output applied to the state, or its failure tried again or made final."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runner.engine import retry
from runner.engine.budget import budget_error
from runner.engine.commands import HintStep
from runner.engine.errors import RunError, bounded, make_error, outcome_of
from runner.engine.names import Names
from runner.engine.program import Uses
from runner.engine.rows import ArtifactRow, StepRow, Stored, ValueRow, derived_id
from runner.engine.scopes import chain, new_value, overlay_of, visible_state, write
from runner.engine.statuses import STEP_LIVE, ApprovalStatus, ScopeKind, ScopeStatus, StepStatus
from runner.engine.subflows import let_go
from runner.engine.turn import ContainerDone, Leave, StepFails, StepSucceeds, Turn

Delta = list[tuple[str, str, Any]]


def succeed(turn: Turn, move: StepSucceeds, exceeded: list[str] | None = None) -> None:
    """Apply a step's result: validate and write its delta, then follow its edges."""
    step = _live(turn, move.step_id)
    if step is None:
        return
    if step.node in (exceeded or ()):
        _over_budget(turn, step, move.output)
        return
    try:
        output = Stored.of(_output_of(step, move))
        delta = _delta(turn, step, move, output)
        written = _checked(turn, step, delta)
    except RunError as problem:
        fail(turn, StepFails(step.id, _error_of(step, problem)))
        return
    scope = turn.slice.scope(step.scope)
    overlay = overlay_of(turn.slice, scope)
    for (key, mode, operand), value in zip(delta, written, strict=True):
        write(turn.slice, overlay, key, value, mode, operand)
    if step.type == "artifact":
        _store_artifact(turn, step, overlay, output, move.output)
    keep_result(turn, step, overlay, {"output": output.value, **_failed_items(step)})
    stored_delta = Stored.of([[key, mode, operand] for key, mode, operand in delta]) if delta else None
    turn.slice.change_step(
        step,
        status=StepStatus.SUCCEEDED,
        output=output,
        delta=stored_delta,
        ended_at=turn.at,
        lease_expires_at=None,
    )
    _announce_success(turn, step, overlay)
    _end_timers(turn, step)
    stop_over_budget(turn, step, exceeded or [])
    turn.queue(Leave(step.id, "success", output))


def _announce_success(turn: Turn, step: StepRow, overlay: int) -> None:
    data: dict[str, Any] = {"scope": overlay, "output": turn.in_event(step.output, step)}
    if step.delta is not None:
        data["delta"] = turn.in_event(step.delta, step)
    if "failed" in (step.notes or {}):
        data["failed"] = turn.in_event(Stored.of(_failed_items(step)["failed"]), step)
    if step.usage:
        data["usage"] = step.usage.as_json()
    if turn.program.keeps_result(step.node) and not step.is_member:
        data["kept"] = True
    if step.notes and step.notes.get("warnings"):
        data["warnings"] = step.notes["warnings"]
    turn.emit("step-complete", step, **data)


def container_done(turn: Turn, move: ContainerDone) -> None:
    """A container ends like any step: its output may go into a variable, its edges are followed."""
    succeed(turn, StepSucceeds(move.step_id, move.output))


def fail(turn: Turn, move: StepFails) -> None:
    """Try a failed attempt again, or end it with its error and follow the edges for that outcome."""
    step = _live(turn, move.step_id)
    if step is None:
        return
    error = _placed(step, move.error)
    trial = None if move.final or _settling(turn, step) else retry.decide(turn, step, error)
    let_go(turn, step)
    outcome = _outcome(step, error)
    status = StepStatus.BUDGET_EXHAUSTED if outcome == "budget_exhausted" else StepStatus.FAILED
    turn.slice.change_step(step, status=status, error=error, ended_at=turn.at, lease_expires_at=None)
    _end_timers(turn, step)
    if trial is not None:
        turn.emit(
            "step-retry",
            step,
            attempt=step.round,
            max_attempts=trial.max_attempts,
            delay_ms=trial.delay_ms,
            error=error,
            **({"usage": step.usage.as_json()} if step.usage else {}),
        )
        retry.next_attempt(turn, step, delay_ms=trial.delay_ms, round_=step.round + 1)
        return
    overlay = overlay_of(turn.slice, turn.slice.scope(step.scope))
    keep_result(turn, step, overlay, {"error": error})
    data: dict[str, Any] = {"error": error, "scope": overlay}
    if step.usage:
        data["usage"] = step.usage.as_json()
    if turn.program.keeps_result(step.node) and not step.is_member:
        data["kept"] = True
    turn.emit("step-error", step, **data)
    turn.queue(Leave(step.id, outcome, None, error))


def _outcome(step: StepRow, error: dict[str, Any]) -> str:
    """What the edges leave from: `error` for a container that an error from inside ended, whatever its code."""
    if step.is_container and error.get("path") != step.path:
        return "error"
    return outcome_of(error)


def cancel_now(turn: Turn, step: StepRow, *, restorable: bool) -> None:
    """End a live step run as canceled; whoever still works on it has lost the right to report."""
    let_go(turn, step)
    turn.slice.change_step(
        step,
        status=StepStatus.CANCELED,
        fence=step.fence + 1,
        ended_at=turn.at,
        lease_expires_at=None,
        restorable=restorable,
        error=make_error("canceled", "The step was canceled.", step=step.node, path=step.path),
    )
    _end_timers(turn, step)
    if step.announced:
        data = {"usage": step.usage.as_json()} if step.usage else {}
        turn.emit("step-canceled", step, **data)
    turn.look_at(step.region)


def hint_next(turn: Turn) -> None:
    """With a bound on parallel steps, one that ended makes room: hint at the pending step declared first."""
    bound = turn.run.policy.get("max_parallel")
    if not bound or turn.run.running >= bound:
        return
    pending = [
        row for row in turn.slice.live_steps() if row.status is StepStatus.PENDING and row.not_before <= turn.now
    ]
    pending.sort(key=turn.place_of)
    for row in pending[: bound - turn.run.running]:
        turn.command(HintStep(row.id, row.backend, row.not_before))


def _live(turn: Turn, step_id: str) -> StepRow | None:
    step = turn.slice.step(step_id)
    return step if step is not None and step.status in STEP_LIVE else None


def _settling(turn: Turn, step: StepRow) -> bool:
    return turn.slice.scope(step.region).status is ScopeStatus.SETTLING


def _placed(step: StepRow, error: dict[str, Any]) -> dict[str, Any]:
    """An error with the step it came from; one that came from further inside keeps its place."""
    return bounded(error if "step" in error else error | {"step": step.node, "path": step.path})


def _error_of(step: StepRow, problem: RunError) -> dict[str, Any]:
    return make_error(problem.code, problem.message, step=step.node, path=step.path, details=problem.details)


def _over_budget(turn: Turn, step: StepRow, output: Any) -> None:
    """The attempt used more than its node may: what it gave is kept on its row and not applied."""
    turn.slice.change_step(step, output=Stored.of(output))
    fail(turn, StepFails(step.id, budget_error(turn, step, step.node)))


def stop_over_budget(turn: Turn, step: StepRow, exceeded: list[str]) -> None:
    """A container whose steps have used more than it may stops: its region fails with that error."""
    scope = turn.slice.scope(step.scope)
    while scope.parent is not None:
        if scope.node in exceeded and scope.kind in _CONTAINER_SCOPES:
            owner = turn.slice.step(scope.step_id or "")
            assert owner is not None
            turn.settle(scope.n, {"as": "fail", "error": budget_error(turn, owner, scope.node)})
        scope = turn.slice.scope(scope.parent)


_CONTAINER_SCOPES = (ScopeKind.SEQUENCE, ScopeKind.PARALLEL, ScopeKind.LOOP)


def _delta(turn: Turn, step: StepRow, move: StepSucceeds, output: Stored) -> Delta:
    """What a step writes, as (key, mode, operand). Raises RunError `state_invalid` for what it may not write."""
    if step.is_member:
        return []
    compiled = turn.program.node(step.node)
    node = compiled.node
    delta: Delta = [(key, "set", value) for key, value in (move.delta or {}).items()]
    if step.type == "handler":
        _check_writes(turn, step, [key for key, _, _ in delta])
    if step.type == "set_variable":
        delta.append((compiled.config.variable, node.output_mode, output.value))
    if node.output_variable is not None:
        delta.append((node.output_variable, node.output_mode, output.value))
    if delta and node.read_only:
        raise RunError("state_invalid", f"'{step.node}' is read-only and may not write '{delta[0][0]}'.")
    return delta


def _check_writes(turn: Turn, step: StepRow, keys: list[str]) -> None:
    node = turn.program.node(step.node).node
    spec = turn.program.catalog.handler(turn.program.node(step.node).config.handler)
    allowed = node.writes if node.writes is not None else (spec.writes if spec else None)
    foreign = [key for key in keys if allowed is not None and key not in allowed]
    if foreign:
        raise RunError("state_invalid", f"The handler wrote '{foreign[0]}', which is not among its declared writes.")


def check_container_output(turn: Turn, owner: StepRow, output: Any, merged: Sequence[ValueRow] = ()) -> None:
    """Raise RunError where a container's output would not fit into its variable once these rows are merged."""
    _checked(turn, owner, _delta(turn, owner, StepSucceeds(owner.id, output), Stored.of(output)), merged)


def _checked(turn: Turn, step: StepRow, delta: Delta, merged: Sequence[ValueRow] = ()) -> list[Stored]:
    """The new values, after they passed the state schema and the size limits. `merged`: rows about to be written."""
    if not delta:
        return []
    overlays = chain(turn.slice, turn.slice.scope(step.scope))
    known = {row.key: turn.slice.load(row.stored) for row in merged if row.kind == "v"}
    values: dict[str, Any] = {}
    for key, mode, operand in delta:
        values[key] = known[key] = new_value(turn.slice, overlays, key, operand, mode, known)
    problems = turn.program.state_schema.check_delta(values, lambda: visible_state(turn.slice, overlays, merged))
    if problems:
        raise RunError("state_invalid", f"The state would be invalid: {'; '.join(map(str, problems))}.")
    stored = [Stored.of(values[key]) for key, _, _ in delta]
    limits = turn.program.limits
    for (key, _, _), value in zip(delta, stored, strict=True):
        if value.size > limits.value_bytes:
            raise RunError("value_too_large", f"'{key}' would hold {value.size} bytes; at most {limits.value_bytes}.")
    if turn.run.state_bytes + sum(one.size for one in stored) > limits.state_bytes:
        raise RunError("limit_exceeded", f"The run's state would be larger than {limits.state_bytes} bytes.")
    return stored


def keep_result(turn: Turn, step: StepRow, overlay: int, result: dict[str, Any]) -> None:
    """Let what came of a step be read through `steps`, if anything in the flow reads it."""
    if turn.program.keeps_result(step.node) and not step.is_member:
        turn.slice.put_value(ValueRow(overlay, "s", step.node, Stored.of(result)))


def _failed_items(step: StepRow) -> dict[str, Any]:
    failed = (step.notes or {}).get("failed")
    return {"failed": failed} if failed is not None else {}


def _output_of(step: StepRow, move: StepSucceeds) -> Any:
    """The output of a step: what it gave; of an artifact a reference to it."""
    if step.type != "artifact":
        return move.output
    made = move.output
    return {
        "id": derived_id("artifact", step.id),
        "artifact": made["artifact"],
        "type": made["type"],
        "filename": made["filename"],
        "size": len(made["content"].encode()),
    }


def _store_artifact(turn: Turn, step: StepRow, overlay: int, reference: Stored, made: dict[str, Any]) -> None:
    content, told = Stored.of(made["content"]), reference.value
    turn.slice.add_artifact(
        ArtifactRow(told["id"], made["artifact"], step.id, overlay, made["type"], made["filename"], content, turn.at)
    )
    turn.slice.put_value(ValueRow(overlay, "a", made["artifact"], reference))
    turn.emit("artifact-created", step, scope=overlay, artifact=told, digest=content.content_digest())


def _end_timers(turn: Turn, step: StepRow) -> None:
    """Nothing is due any more for a step run that has ended; nobody has to decide about it."""
    if not (step.waits_for or step.is_container):
        return
    for timer in turn.slice.armed_timers([step.id]):
        turn.slice.set_timer(timer, status="void")
    for approval in turn.slice.open_approvals([step.id]):
        turn.slice.change_approval(approval, status=ApprovalStatus.CANCELED)


def condition_names(turn: Turn, step: StepRow, uses: Uses, output: Any, error: dict[str, Any] | None) -> Names:
    """What an edge's condition sees: the state, the source's output, and after a failure its error."""
    local: dict[str, object] = {"output": output}
    if error is not None:
        local["error"] = error
    scope = turn.slice.scope(step.scope)
    return Names(turn.program, turn.slice, scope, uses, step=step, now=turn.now, local=local)
