"""Failure, cancellation and restoring of scopes: stop what is alive, wait until it has answered, start it again.

What nobody has claimed is canceled at once; running steps are asked to stop, and get a while to answer.
"""

from __future__ import annotations

from typing import Any

from runner.engine import retry
from runner.engine.commands import CancelStep
from runner.engine.errors import RunError
from runner.engine.finishing import cancel_now
from runner.engine.happenings import RetryAsked
from runner.engine.regions import iteration_failed, owner_of, parallel_done, run_again, start_more
from runner.engine.rows import ScopeRow, StepRow, TimerRow, derived_id
from runner.engine.statuses import RunStatus, ScopeKind, ScopeStatus, StepStatus
from runner.engine.turn import FinishRun, Leave, Reopen, ScopeFailed, Settle, StepFails, Turn


def scope_failed(turn: Turn, move: ScopeFailed) -> None:
    """A failure that no edge took: its scope fails, and with it the container around it or the run."""
    region = turn.slice.region_of(turn.slice.scope(move.scope))
    turn.look_at(region.n)
    if region.status is not ScopeStatus.OPEN:
        return
    if region.kind is ScopeKind.ROOT:
        turn.queue(FinishRun("failed", error=move.error))
    elif region.kind is ScopeKind.ITERATION and region.live == 0:
        iteration_failed(turn, region, move.error)
    else:
        settle(turn, Settle(region.n, {"as": "fail", "error": move.error}))


def settle(turn: Turn, move: Settle) -> None:
    """Stop everything alive in a region; it ends once all of it has answered."""
    region = turn.slice.scope(move.region)
    if region.status is not ScopeStatus.OPEN:
        return
    turn.slice.change_scope(region, status=ScopeStatus.SETTLING, ending=move.ending)
    turn.look_at(region.n)
    asked = [_stop_step(turn, step) for step in in_order(turn, turn.slice.live_steps(region.n))]
    if any(asked):
        due = turn.now + turn.program.limits.settle_ms
        timer_id = derived_id("timer", turn.run.id, "settle", region.n, turn.run.seq)
        turn.slice.set_timer(TimerRow(timer_id, "settle", due, None, region.n))
    for scope in _inner_regions(turn, region):
        settle(turn, Settle(scope.n, {"as": "cancel"}))


def in_order(turn: Turn, steps: list[StepRow]) -> list[StepRow]:
    """Step runs in declaration order."""
    return sorted(steps, key=turn.place_of)


def _inner_regions(turn: Turn, region: ScopeRow) -> list[ScopeRow]:
    """Fan-outs and iterations directly inside a region (containers are reached through their step runs)."""
    kinds = (ScopeKind.FAN_OUT, ScopeKind.ITERATION)
    around = [region, *(one for one in turn.slice.child_scopes(region.n) if one.kind is ScopeKind.BRANCH)]
    inner = [child for scope in around for child in turn.slice.child_scopes(scope.n) if child.kind in kinds]
    return [one for one in inner if one.status is ScopeStatus.OPEN and one.ending is None]


def _stop_step(turn: Turn, step: StepRow) -> bool:
    """Stop one live step run. True: it runs and was asked to stop."""
    has_inner = step.is_container and step.status is StepStatus.RUNNING
    if (has_inner or step.waits_for == "calls") and step.inner is not None:
        inner = turn.slice.scope(step.inner)
        if inner.status is ScopeStatus.SETTLING:
            turn.slice.change_scope(inner, ending={"as": "cancel"})
        else:
            settle(turn, Settle(inner.n, {"as": "cancel"}))
        return False
    if step.status is StepStatus.RUNNING and not step.is_container:
        turn.slice.change_step(step, cancel_requested=True)
        turn.command(CancelStep(step.id))
        return True
    cancel_now(turn, step, restorable=True)
    return False


def settled(turn: Turn, region: ScopeRow) -> None:
    """Everything in a settling region has answered: end it as it was to end."""
    ending = region.ending or {"as": "cancel"}
    if ending["as"] == "stop":
        _close_stopped_paths(turn, region)
        turn.slice.change_scope(region, status=ScopeStatus.OPEN, ending=None)
        parallel_done(turn, region)
        return
    if region.kind is ScopeKind.ITERATION:
        turn.slice.change_scope(region, status=ScopeStatus.OPEN, ending=None)
        iteration_failed(turn, region, ending.get("error") or {"code": "canceled", "message": "Canceled."})
        return
    turn.slice.close_scope(region, ScopeStatus.CLOSED)
    if region.kind is ScopeKind.FAN_OUT:
        assert region.parent is not None
        turn.look_at(turn.slice.region_of(turn.slice.scope(region.parent)).n)
        if ending["as"] == "fail":
            turn.queue(ScopeFailed(region.parent, ending["error"]))
        return
    owner = owner_of(turn, region)
    if ending["as"] == "fail":
        turn.queue(StepFails(owner.id, ending["error"]))
    else:
        cancel_now(turn, owner, restorable=True)


def _close_stopped_paths(turn: Turn, region: ScopeRow) -> None:
    """Paths that `stop_when` cut short have not ended: nothing of theirs is merged, no retry starts them again."""
    cut = turn.slice.restorable_steps(region.n)
    for row in cut:
        turn.slice.change_step(row, restorable=False)
    for n in {row.scope for row in cut}:
        turn.slice.change_scope(turn.slice.scope(n), status=ScopeStatus.CLOSED)


def force_settled(turn: Turn, region: ScopeRow) -> None:
    """The time to answer is over: whoever still runs has lost the right to report."""
    for step in in_order(turn, turn.slice.live_steps(region.n)):
        if step.status is StepStatus.RUNNING and not step.is_container:
            cancel_now(turn, step, restorable=True)


# Starting again


def retry_step(turn: Turn, happening: RetryAsked) -> None:
    """A person tries the failure that ended the run again, from the outermost container that it took down.

    Raises RunError `step_not_failed` for any other step.
    """
    run = turn.run
    if run.status is not RunStatus.FAILED:
        raise RunError("step_not_failed", f"Only a run that failed can go on; this one is {run.status}.")
    step = turn.slice.step(happening.step_id)
    if step is None or not step.restorable or not _holds_the_failure(turn, step):
        raise _other_step()
    outermost = _outermost_failed(turn, step)
    run.status, run.ended_at, run.error = RunStatus.ACTIVE, None, None
    turn.emit("step-retry-created", step, by=happening.actor)
    restore(turn, outermost, {"step_id": step.id, "arguments": happening.arguments})
    _reopen_around(turn, outermost)


def _other_step() -> RunError:
    return RunError("step_not_failed", "Only the step whose failure ended the run can be tried again.")


def _holds_the_failure(turn: Turn, step: StepRow) -> bool:
    """Whether the error that ended the run came from this step, or from inside it."""
    if step.status not in (StepStatus.FAILED, StepStatus.BUDGET_EXHAUSTED):
        return False
    origin = str((turn.run.error or {}).get("path", ""))
    return origin == step.path or origin.startswith((f"{step.path}.", f"{step.path}["))


def _outermost_failed(turn: Turn, step: StepRow) -> StepRow:
    """The outermost container that this failure took down. Raises RunError where one around caught it."""
    found = step
    region = turn.slice.region_of(turn.slice.scope(step.scope))
    while region.parent is not None:
        if region.kind not in (ScopeKind.FAN_OUT, ScopeKind.ITERATION):
            owner = turn.slice.step(region.step_id or "")
            if owner is None or not owner.restorable:
                raise _other_step()
            found = owner
        region = turn.slice.region_of(turn.slice.scope(region.parent))
    return found


def _reopen_around(turn: Turn, step: StepRow) -> None:
    """Fan-outs between the outermost failed step and the root were closed by the failure; open them again."""
    region = turn.slice.region_of(turn.slice.scope(step.scope))
    while region.kind is ScopeKind.FAN_OUT and region.parent is not None:
        if region.status is ScopeStatus.CLOSED:
            reopen(turn, region)
        region = turn.slice.region_of(turn.slice.scope(region.parent))


Asked = dict[str, Any] | None
"""A person's retry on its way to the step it is about: `{step_id, arguments}`."""


def reopen(turn: Turn, region: ScopeRow, asked: Asked = None) -> None:
    """Open a closed region again and start what had not completed in it, from the overlays it had."""
    was_closed = region.status is ScopeStatus.CLOSED
    turn.slice.change_scope(region, status=ScopeStatus.OPEN, ending=None)
    turn.look_at(region.n)
    if region.kind is ScopeKind.FAN_OUT and was_closed and region.parent is not None:
        turn.slice.count_live(turn.slice.region_of(turn.slice.scope(region.parent)), +1)
    for step in in_order(turn, turn.slice.restorable_steps(region.n)):
        restore(turn, step, asked)
    for child in turn.slice.child_scopes(region.n):
        if child.kind is ScopeKind.BRANCH:
            for inner in turn.slice.child_scopes(child.n):
                _reopen_inner(turn, inner, asked)
        else:
            _reopen_inner(turn, child, asked)
    if region.kind in (ScopeKind.LOOP, ScopeKind.PARALLEL):
        start_more(turn, region)


def restore(turn: Turn, step: StepRow, asked: Asked = None) -> None:
    """Go on where a path stopped: with a new attempt, or behind a step that had succeeded.

    A synthesis that failed without having started could not merge its branches, and still cannot.
    """
    if step.status is StepStatus.SUCCEEDED:
        turn.slice.change_step(step, restorable=False)
        turn.queue(Leave(step.id, "success", step.output))
        return
    meant = asked is not None and asked["step_id"] == step.id
    row = retry.next_attempt(turn, step, keep_input=not meant and not _moved_since(turn, step))
    if step.status is StepStatus.FAILED and step.started_at is None:
        assert step.error is not None
        turn.queue(StepFails(row.id, step.error, final=True))
        return
    if asked is None:
        return
    if meant and asked["arguments"] is not None:
        turn.slice.change_step(row, notes={"arguments": asked["arguments"]})
    if step.is_container:
        turn.slice.change_step(row, notes={"person_retry": asked})


def _moved_since(turn: Turn, step: StepRow) -> bool:
    """Whether the run became another version's after this attempt: its input and approval count no more."""
    moved_at = turn.run.moved_at
    return moved_at is not None and (step.ended_at or 0) <= moved_at


def _reopen_inner(turn: Turn, scope: ScopeRow, asked: Asked) -> None:
    if scope.kind is ScopeKind.FAN_OUT and scope.status is ScopeStatus.CLOSED:
        reopen(turn, scope, asked)
    if scope.kind is ScopeKind.ITERATION and scope.status is ScopeStatus.CLOSED:
        if not turn.slice.restorable_steps(scope.n) and not _has_closed_fan_out(turn, scope):
            return
        if run_again(turn, scope):
            reopen_iteration(turn, Reopen(scope.n), asked)


def reopen_iteration(turn: Turn, move: Reopen, asked: Asked = None) -> None:
    """Run an iteration again that had failed or was canceled."""
    scope = turn.slice.scope(move.scope)
    assert scope.parent is not None
    turn.slice.count_live(turn.slice.scope(scope.parent), +1)
    reopen(turn, scope, asked)


def _has_closed_fan_out(turn: Turn, scope: ScopeRow) -> bool:
    children: list[Any] = turn.slice.child_scopes(scope.n)
    return any(one.kind is ScopeKind.FAN_OUT and one.status is ScopeStatus.CLOSED for one in children)
