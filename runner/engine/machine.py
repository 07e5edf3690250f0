"""`advance(program, slice, happening) -> Transition`: what a happening does to a run. The heart of the engine.

Happenings come in, each handled by one function of the table below; their consequences are moves, taken off
the turn's queue one by one; when none is left, the regions that moved are looked at. Nothing here reads a
clock, draws a number or touches a row that the slice does not know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runner.engine import (
    budget,
    claiming,
    ending,
    finishing,
    forking,
    joins,
    members,
    moving,
    people,
    regions,
    routing,
    settling,
    subflows,
)
from runner.engine.commands import HintStep
from runner.engine.errors import RunError, make_error
from runner.engine.happenings import (
    ApprovalDecided,
    AttemptLost,
    CancelAsked,
    ChildEnded,
    ClaimReleased,
    Happening,
    MoveAsked,
    PauseAsked,
    ResumeAsked,
    RetryAsked,
    RunForked,
    RunStarted,
    SignalReceived,
    StepClaimed,
    StepFailed,
    StepFinished,
    TimerDue,
)
from runner.engine.program import Program
from runner.engine.rows import StepRow, Stored, TimerRow, Usage, ValueRow
from runner.engine.slice import EVENT_INLINE_BYTES, Slice, Transition
from runner.engine.statuses import RUN_ENDED, RUN_LIVE, RunStatus, ScopeKind, ScopeStatus, StepStatus
from runner.engine.turn import (
    ContainerDone,
    Enter,
    FinishRun,
    Leave,
    Move,
    PathEnded,
    Reopen,
    ScopeFailed,
    Settle,
    StepFails,
    StepSucceeds,
    Turn,
)


def advance(program: Program, slice_: Slice, happening: Happening) -> Transition:
    """Work out everything that a happening leads to.

    The slice holds the changes. Raises RunError where a person's or program's wish does not fit; the slice
    is then to be thrown away. A happening that has become moot changes nothing.
    """
    turn = Turn(program, slice_, happening.now, happening.actor)
    _HAPPENINGS[type(happening)](turn, happening)
    settle_down(turn)
    commands, events = turn.made()
    return Transition(slice_, commands, events)


def settle_down(turn: Turn) -> None:
    """Make every move that is queued, and those that they lead to."""
    while turn.moves or turn.regions:
        if turn.moves:
            move = turn.moves.popleft()
            _MOVES[type(move)](turn, move)
        else:
            n = next(iter(turn.regions))
            del turn.regions[n]
            _look_at(turn, n)
    _update_status(turn)


def _look_at(turn: Turn, n: int) -> None:
    region = turn.slice.scope(n)
    if region.status is ScopeStatus.SETTLING and region.live == 0:
        settling.settled(turn, region)
    if region.status is not ScopeStatus.OPEN or region.ending is not None:
        return
    if joins.start_ready_join(turn, region):
        turn.look_at(n)
    elif region.live == 0 and not turn.slice.waiting_arrivals(n):
        regions.done(turn, region)


def _update_status(turn: Turn) -> None:
    """A run whose live steps all wait for people says so, once; it goes on once something else is alive."""
    run = turn.run
    if run.status not in (RunStatus.ACTIVE, RunStatus.AWAITING_APPROVAL):
        return
    only_people = run.waiting_person > 0 and run.live == 0 and run.waiting_other == 0
    if only_people and not run.approval_pause:
        run.status, run.approval_pause = RunStatus.AWAITING_APPROVAL, True
        turn.emit("run-paused", None, reason="approval")
        _hold_run_limit(turn)
    elif not only_people and run.approval_pause:
        run.status, run.approval_pause = RunStatus.ACTIVE, False
        turn.emit("run-resumed", None, reason="approval")
        _hold_run_limit(turn, release=True)


def _hold_run_limit(turn: Turn, *, release: bool = False) -> None:
    """The time in which the whole run waits for people does not count against its `max_duration_ms`."""
    if not turn.run.policy.get("max_duration_ms"):
        return
    timer = turn.slice.timer(_run_limit_id(turn))
    if timer is not None and release and timer.status == "held":
        turn.slice.set_timer(timer, status="armed", due_at=turn.now + timer.due_at)
    elif timer is not None and not release and timer.status == "armed":
        turn.slice.set_timer(timer, status="held", due_at=timer.due_at - turn.now)


def _run_limit_id(turn: Turn) -> str:
    return people.run_limit_id(turn)


# Happenings: a run begins, its steps report


def _started(turn: Turn, happening: RunStarted) -> None:
    run = turn.run
    root = turn.slice.add_scope(ScopeKind.ROOT, None, "", overlay=True)
    run.inputs = Stored.of(happening.state)
    state = {key: Stored.of(value) for key, value in happening.state.items()}
    turn.emit(
        "flow-start",
        None,
        by=happening.actor,
        preset=run.preset,
        policy=run.policy,
        state=_first_state(turn, state),
        **happening.about,
    )
    for key, value in state.items():
        turn.slice.put_value(ValueRow(root.n, "v", key, value))
    people.arm_run_limit(turn)
    for entry in turn.program.graph.entries(None)[:1]:
        turn.queue(Enter(entry, root.n))
    turn.look_at(root.n)


def _first_state(turn: Turn, state: dict[str, Stored]) -> dict[str, Any]:
    """The first state as an event tells it, key by key; by digest where it would make the event large."""
    secret = turn.program.sensitive_keys
    inline = EVENT_INLINE_BYTES if sum(one.size for one in state.values()) <= 2 * EVENT_INLINE_BYTES else 100
    return {key: turn.slice.in_event(value, sealed=key in secret, inline=inline) for key, value in state.items()}


def _claimed(turn: Turn, happening: StepClaimed) -> None:
    step = turn.slice.step(happening.step_id)
    if step is not None and _lease_is_over(turn, step):
        _lost(turn, AttemptLost(happening.now, step.id, step.fence))
        settle_down(turn)
    claiming.claim(turn, happening)


def _lease_is_over(turn: Turn, step: StepRow) -> bool:
    expires = step.lease_expires_at
    return step.status is StepStatus.RUNNING and expires is not None and expires <= turn.now


def _reporting(turn: Turn, step_id: str, fence: int) -> StepRow | None:
    """The running step run that this report is about, if whoever reports still has the right to."""
    step = turn.slice.step(step_id)
    if step is None or step.status is not StepStatus.RUNNING or step.fence != fence:
        return None
    return step if turn.run.status in RUN_LIVE else None


def _account(turn: Turn, step: StepRow, usage: Usage, notes: dict[str, Any] | None) -> list[str]:
    fields: dict[str, Any] = {"usage": step.usage.plus(usage)} if usage else {}
    if notes:
        fields["notes"] = (step.notes or {}) | notes
    if fields:
        turn.slice.change_step(step, **fields)
    return budget.charge(turn, step, usage)


def _finished(turn: Turn, happening: StepFinished) -> None:
    step = _reporting(turn, happening.step_id, happening.fence)
    if step is None:
        return
    exceeded = _account(turn, step, happening.usage, happening.notes)
    fails_with = (step.notes or {}).get("fails_with")
    if step.cancel_requested:
        finishing.cancel_now(turn, step, restorable=True)
    elif happening.calls and step.node not in exceeded:
        members.calls_asked(turn, step, happening.calls)
        finishing.stop_over_budget(turn, step, exceeded)
    elif fails_with is not None:
        finishing.fail(turn, StepFails(step.id, fails_with))
    else:
        output = happening.output
        if step.output is not None:
            output = turn.slice.load(step.output)
        given = turn.program.given.end(step.node, step.path, step.visit)
        delta = happening.delta if given is None else given.writes
        finishing.succeed(turn, StepSucceeds(step.id, output, delta), exceeded)
    finishing.hint_next(turn)


def _failed(turn: Turn, happening: StepFailed) -> None:
    step = _reporting(turn, happening.step_id, happening.fence)
    if step is None:
        return
    exceeded = _account(turn, step, happening.usage, happening.notes)
    if step.cancel_requested:
        finishing.cancel_now(turn, step, restorable=True)
    elif step.node in exceeded:
        finishing.fail(turn, StepFails(step.id, budget.budget_error(turn, step, step.node)))
    else:
        error = make_error(happening.code, happening.message, details=happening.details)
        finishing.fail(turn, StepFails(step.id, error))
    finishing.stop_over_budget(turn, step, exceeded)
    finishing.hint_next(turn)


def _lost(turn: Turn, happening: AttemptLost) -> None:
    """A worker is gone: the attempt is taken over in its own row, unless its effect may happen only once."""
    step = _reporting(turn, happening.step_id, happening.fence)
    if step is None or not _lease_is_over(turn, step):
        return
    lost = step.lost + 1
    turn.emit("attempt-lost", step, worker=step.worker, lost=lost)
    turn.slice.change_step(step, lost=lost, fence=step.fence + 1, lease_expires_at=None)
    if step.cancel_requested:
        finishing.cancel_now(turn, step, restorable=True)
    elif _effect_is_unknown(step):
        people.ask_about_lost_effect(turn, step)
    elif lost >= turn.program.limits.lost_attempts:
        message = f"The worker was lost {lost} times while this step ran. Look at what the step does to it."
        turn.queue(StepFails(step.id, make_error("worker_lost", message)))
    else:
        _hand_on(turn, step)


def _effect_is_unknown(step: StepRow) -> bool:
    notes = step.notes or {}
    return notes.get("effect") == "at_most_once" and "fails_with" not in notes


def _released(turn: Turn, happening: ClaimReleased) -> None:
    step = _reporting(turn, happening.step_id, happening.fence)
    if step is None:
        return
    turn.slice.change_step(step, fence=step.fence + 1, lease_expires_at=None)
    if step.cancel_requested:
        finishing.cancel_now(turn, step, restorable=True)
    else:
        _hand_on(turn, step)


def _hand_on(turn: Turn, step: StepRow) -> None:
    notes = {key: value for key, value in (step.notes or {}).items() if key not in ("fails_with", "warnings")}
    turn.slice.change_step(step, status=StepStatus.PENDING, not_before=turn.now, output=None, notes=notes or None)
    turn.command(HintStep(step.id, step.backend, turn.now))


# Happenings: times and people


def _timer(turn: Turn, happening: TimerDue) -> None:
    timer = turn.slice.timer(happening.timer_id)
    if timer is None or timer.status != "armed" or timer.due_at > turn.now:
        return
    step = turn.slice.step(timer.step_id) if timer.step_id else None
    if turn.run.status not in RUN_LIVE or (turn.run.status is RunStatus.PAUSED and _stands_still(timer, step)):
        return
    turn.slice.set_timer(timer, status="fired")
    if timer.kind == "run_limit":
        message = "The run has lasted longer than its policy's max_duration_ms allows."
        turn.queue(FinishRun("failed", error=make_error("operation_timeout", message)))
    elif timer.kind == "settle":
        assert timer.scope is not None
        settling.force_settled(turn, turn.slice.scope(timer.scope))
    elif step is not None:
        _step_timer(turn, timer, step)


def _step_timer(turn: Turn, timer: TimerRow, step: StepRow) -> None:
    if timer.kind == "limit":
        _over_limit(turn, step)
    elif step.status is not StepStatus.WAITING:
        return
    elif timer.kind == "approval":
        people.expire(turn, step)
    else:
        turn.emit("timer-fired", step, kind=timer.kind)
        turn.queue(StepSucceeds(step.id))


def _over_limit(turn: Turn, step: StepRow) -> None:
    error = people.over_limit_error(turn, step)
    if step.is_container and step.inner is not None and step.status is StepStatus.RUNNING:
        turn.emit("timer-fired", step, kind="limit")
        turn.settle(step.inner, {"as": "fail", "error": error})
    elif step.status in (StepStatus.WAITING, StepStatus.RUNNING):
        turn.queue(StepFails(step.id, error))


def _child_ended(turn: Turn, happening: ChildEnded) -> None:
    step = turn.slice.step(happening.step_id)
    waits = step is not None and step.status is StepStatus.WAITING and step.wait_key == happening.run_id
    if step is None or not waits or turn.run.status not in RUN_LIVE:
        return
    exceeded = _account(turn, step, happening.usage, None)
    turn.slice.change_step(step, wait_key="")
    subflows.child_ended(turn, step, happening.status, happening.result, happening.error)
    finishing.stop_over_budget(turn, step, exceeded)


def _canceled(turn: Turn, happening: CancelAsked) -> None:
    _must_live(turn)
    message = happening.reason or "Canceled by a person."
    turn.queue(FinishRun("canceled", error=make_error("canceled", message)))


def _must_live(turn: Turn) -> None:
    if turn.run.status in RUN_ENDED:
        raise RunError("run_finished", f"The run has ended: {turn.run.status}.")


def _paused(turn: Turn, happening: PauseAsked) -> None:
    _must_live(turn)
    if turn.run.status is RunStatus.PAUSED:
        return
    turn.run.status, turn.run.paused_at = RunStatus.PAUSED, turn.now
    turn.emit("run-paused", None, by=happening.actor, reason="person")


#: Timers that wait for a time to pass while the run goes on: a person's pause moves them.
_SHIFTED = ("wait", "approval", "run_limit")


def _stands_still(timer: TimerRow, step: StepRow | None) -> bool:
    """Whether a pause moves this timer: also the limit of a step that waits, but not of one that runs."""
    waits = step is not None and step.status is StepStatus.WAITING
    return timer.kind in _SHIFTED or (timer.kind == "limit" and waits)


def _resumed(turn: Turn, happening: ResumeAsked) -> None:
    _must_live(turn)
    run = turn.run
    if run.status is not RunStatus.PAUSED or run.paused_at is None:
        raise RunError("not_paused", f"The run is not paused by a person; it is {run.status}.")
    paused_at = run.paused_at
    pause = turn.now - paused_at
    run.status, run.paused_at = RunStatus.ACTIVE, None
    if run.approval_pause:
        run.status = RunStatus.AWAITING_APPROVAL
    turn.emit("run-resumed", None, by=happening.actor, reason="person")
    for timer in turn.slice.armed_timers():
        if _stands_still(timer, turn.slice.step(timer.step_id) if timer.step_id else None):
            turn.slice.set_timer(timer, due_at=timer.due_at + pause)
    for approval in turn.slice.open_approvals():
        if approval.expires_at is not None:
            turn.slice.change_approval(approval, expires_at=approval.expires_at + pause)
    for step in turn.slice.live_steps():
        if step.status is StepStatus.PENDING:
            if step.started_at is None and step.not_before > paused_at:
                shift = turn.now - max(paused_at, step.created_at)
                turn.slice.change_step(step, not_before=step.not_before + shift)
            turn.command(HintStep(step.id, step.backend, step.not_before))


# Moves


def _succeeds(turn: Turn, move: StepSucceeds) -> None:
    finishing.succeed(turn, move)


def _leaves(turn: Turn, move: Leave) -> None:
    step = turn.slice.step(move.step_id)
    assert step is not None
    if step.type == "return" and step.status is StepStatus.SUCCEEDED:
        ending.return_from(turn, step, move.output or Stored.of(None))
        return
    if step.is_member and turn.slice.scope(step.region).status is ScopeStatus.OPEN:
        members.member_ended(turn, step, move)
        return
    if turn.slice.scope(step.region).status is not ScopeStatus.OPEN:
        turn.slice.change_step(step, restorable=True)
        turn.look_at(step.region)
        return
    routing.leave(turn, move)


_HAPPENINGS: dict[type[Happening], Callable[[Turn, Any], None]] = {
    RunStarted: _started,
    RunForked: forking.begin,
    StepClaimed: _claimed,
    StepFinished: _finished,
    StepFailed: _failed,
    AttemptLost: _lost,
    ClaimReleased: _released,
    TimerDue: _timer,
    ApprovalDecided: people.decide,
    SignalReceived: people.receive_signal,
    ChildEnded: _child_ended,
    CancelAsked: _canceled,
    PauseAsked: _paused,
    ResumeAsked: _resumed,
    RetryAsked: settling.retry_step,
    MoveAsked: moving.move,
}

_MOVES: dict[type[Move], Callable[[Turn, Any], None]] = {
    Enter: joins.enter,
    Leave: _leaves,
    PathEnded: regions.path_ended,
    ScopeFailed: settling.scope_failed,
    Settle: settling.settle,
    Reopen: settling.reopen_iteration,
    ContainerDone: finishing.container_done,
    StepFails: finishing.fail,
    StepSucceeds: _succeeds,
    FinishRun: ending.finish_run,
}
