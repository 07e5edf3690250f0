"""What a step waits for: a person's decision, a time, a signal. Asking, deciding, firing, taking."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from editor.language.catalog import ToolSpec
from editor.language.state_schema import ArgumentSchema
from runner.engine import permissions
from runner.engine.commands import AskPerson, HintStep
from runner.engine.errors import RunError, make_error
from runner.engine.happenings import ApprovalDecided, SignalReceived
from runner.engine.program import CompiledNode
from runner.engine.resolving import fields_of, names_at
from runner.engine.rows import ApprovalRow, DecisionRow, SignalRow, StepRow, Stored, TimerRow, derived_id
from runner.engine.statuses import ApprovalStatus, RunStatus, StepStatus
from runner.engine.turn import StepFails, StepSucceeds, Turn


def arm_limit(turn: Turn, step: StepRow, limit_ms: int | None) -> None:
    """Note when a container or a waiting step is over its time limit; None: it has none."""
    if limit_ms is not None:
        due = turn.now + limit_ms
        turn.slice.set_timer(TimerRow(derived_id("timer", step.id, "limit"), "limit", due, step.id))


def over_limit_error(turn: Turn, step: StepRow) -> dict[str, Any]:
    """The error of a step that waited, or of a container that lasted, longer than its time limit."""
    limit = turn.program.node(step.node).node.timeout_ms
    message = f"'{step.node}' took longer than its limit of {limit} ms."
    return make_error("operation_timeout", message, step=step.node, path=step.path)


def run_limit_id(turn: Turn) -> str:
    """Id of the timer that ends a run which lasts too long."""
    return derived_id("timer", turn.run.id, "run_limit")


def arm_run_limit(turn: Turn) -> None:
    """Note when the run has lasted as long as its policy allows."""
    duration = turn.run.policy.get("max_duration_ms")
    if duration:
        turn.slice.set_timer(TimerRow(run_limit_id(turn), "run_limit", turn.now + int(duration)))


# Asking


def ask_about_call(
    turn: Turn, step: StepRow, tool: ToolSpec, arguments: dict[str, Any], verdict: permissions.Verdict
) -> None:
    """Pause a tool call until a person has decided about exactly these arguments."""
    stored = Stored.of(arguments)
    expires = verdict.expires_ms or turn.program.catalog.site.approval_expires_ms
    _open(
        turn,
        step,
        ApprovalRow(
            id=derived_id("approval", step.id, step.fence),
            kind="tool",
            step_id=step.id,
            node=step.node,
            path=step.path,
            visit=step.visit,
            tool=tool.name,
            arguments=stored,
            digest=stored.content_digest(),
            reasons=verdict.reasons,
            group=verdict.group,
            editable=verdict.editable,
            title=turn.program.node(step.node).node.label,
            created_at=turn.at,
            expires_at=turn.now + expires,
            needed=verdict.approvals,
        ),
    )


def ask_person(turn: Turn, step: StepRow, compiled: CompiledNode) -> None:
    """Open the question of an approval node."""
    fields = fields_of(compiled, names_at(turn, step, compiled))
    shown = Stored.of({key: value for key, value in fields.items() if value is not None})
    turn.slice.change_step(step, input=shown)
    limit, expires = compiled.node.timeout_ms, turn.program.catalog.site.approval_expires_ms
    arm_limit(turn, step, limit)
    _open(
        turn,
        step,
        ApprovalRow(
            id=derived_id("approval", step.id, step.fence),
            kind="node",
            step_id=step.id,
            node=step.node,
            path=step.path,
            visit=step.visit,
            arguments=shown,
            digest=shown.content_digest(),
            assignees=[str(one) for one in fields.get("assignees") or []],
            title=str(fields.get("title", "")),
            instructions=str(fields.get("instructions", "")),
            form=fields.get("form"),
            created_at=turn.at,
            expires_at=turn.now + (expires if limit is None else min(limit, expires)),
            needed=compiled.config.approvals,
        ),
        has_limit=limit is not None and limit <= expires,
    )


def ask_about_lost_effect(turn: Turn, step: StepRow) -> None:
    """A call that may be made at most once was lost with its worker: a person says what became of it."""
    given = turn.slice.load(step.input) if step.input else {}
    shown = Stored.of(given.get("arguments", {}))
    expires = turn.program.catalog.site.approval_expires_ms
    tool = turn.program.catalog.tool(str(given.get("tool")))
    _open(
        turn,
        step,
        ApprovalRow(
            id=derived_id("approval", step.id, step.fence, "unknown"),
            kind="unknown",
            step_id=step.id,
            node=step.node,
            path=step.path,
            visit=step.visit,
            tool=given.get("tool"),
            arguments=shown,
            digest=shown.content_digest(),
            reasons=["the worker was lost while the call was under way; nobody knows whether it took effect"],
            group=tool.group if tool else None,
            title=turn.program.node(step.node).node.label,
            created_at=turn.at,
            expires_at=turn.now + expires,
        ),
    )


def _open(turn: Turn, step: StepRow, approval: ApprovalRow, *, has_limit: bool = False) -> None:
    """Put a question to people. `has_limit`: the node's own time limit ends it before it expires."""
    turn.slice.change_step(step, status=StepStatus.WAITING, waits_for="person", lease_expires_at=None)
    turn.slice.add_approval(approval)
    assert approval.expires_at is not None
    more: dict[str, Any] = {"needed": approval.needed} if approval.needed > 1 else {}
    if not has_limit:
        turn.slice.set_timer(TimerRow(derived_id("timer", approval.id), "approval", approval.expires_at, step.id))
    turn.emit(
        "approval-requested",
        step,
        approval=approval.id,
        kind=approval.kind,
        tool=approval.tool,
        digest=approval.digest,
        shown=turn.in_event(approval.arguments, step),
        reasons=approval.reasons,
        group=approval.group,
        expires_at=approval.expires_at,
        **more,
    )
    turn.command(AskPerson(approval.id))


# Deciding

_VERDICTS = {
    "tool": ("approved", "rejected"),
    "node": ("approved", "rejected"),
    "unknown": ("happened", "not_happened", "try_again"),
}


def decide(turn: Turn, asked: ApprovalDecided) -> None:
    """Carry out a decision. Raises RunError, and changes nothing, where it does not fit the question."""
    approval = turn.slice.approval(asked.approval_id)
    if approval is None:
        raise RunError("approval_not_found", "There is no such approval in this run.")
    step = turn.slice.step(approval.step_id)
    assert step is not None
    _check_decision(turn, approval, asked)
    if approval.kind == "unknown":
        _decide_unknown(turn, approval, step, asked)
    elif asked.verdict == "rejected":
        _note(turn, approval, step, asked, ApprovalStatus.REJECTED)
        details = {"comment": asked.comment, "approval": approval.id}
        message = f"A reviewer rejected it: {asked.comment}" if asked.comment else "A reviewer rejected it."
        turn.queue(StepFails(step.id, make_error("tool_denied", message, details=details)))
    else:
        _approve(turn, approval, step, asked)


def _approve(turn: Turn, approval: ApprovalRow, step: StepRow, asked: ApprovalDecided) -> None:
    changed = _changed(turn, approval, asked.arguments)
    if not _is_last_approval(turn, approval, step, asked, changed):
        return
    if approval.kind == "node":
        form = _checked_form(approval, asked.form)
        _note(turn, approval, step, asked, ApprovalStatus.APPROVED, form=Stored.of(form))
        turn.queue(StepSucceeds(step.id, form))
    else:
        _approve_call(turn, approval, step, asked, changed)


@dataclass(frozen=True, slots=True)
class _Changed:
    """The arguments that a reviewer changed a call to, and how many people have to approve such a call."""

    arguments: Stored
    needed: int


def _is_last_approval(
    turn: Turn, approval: ApprovalRow, step: StepRow, asked: ApprovalDecided, changed: _Changed | None
) -> bool:
    """Whether this approval is the last that is needed. If not, it is noted, and the question stays open.

    An approval is of what was shown: changed arguments leave only that of whoever changed them. Raises RunError
    `approval_already_decided` for somebody who has approved the same before.
    """
    needed = max(approval.needed, changed.needed if changed is not None else 1)
    if needed == 1:
        return True
    person = asked.person or f"{asked.actor.get('kind', '')}:{asked.actor.get('id', '')}"
    other = changed.arguments if changed is not None else None
    if other is not None and other.content_digest() == approval.digest:
        other = None
    before = approval.approved_by if other is None else []
    if any(one["person"] == person for one in before):
        raise RunError("approval_already_decided", "You have approved this already. Somebody else has to, as well.")
    mine = {"person": person, "actor": asked.actor, "at": turn.at, "comment": asked.comment}
    turn.slice.change_approval(approval, needed=needed, approved_by=[*before, mine])
    if other is not None:
        turn.slice.change_approval(approval, offer=other, digest=other.content_digest())
    outstanding = needed - len(approval.approved_by)
    if outstanding <= 0:
        return True
    _tell(turn, approval, step, asked, arguments=other, outstanding=outstanding)
    return False


def _check_decision(turn: Turn, approval: ApprovalRow, asked: ApprovalDecided) -> None:
    if approval.status is not ApprovalStatus.OPEN:
        if approval.status is ApprovalStatus.EXPIRED:
            raise RunError("approval_expired", "The time to decide is over.")
        raise RunError("approval_already_decided", f"It has been decided: {approval.status}.")
    if asked.digest != approval.digest:
        raise RunError("approval_digest_mismatch", "What you were shown is not what would run. Reload, and look again.")
    if approval.expires_at is not None and turn.now > approval.expires_at:
        raise RunError("approval_expired", "The time to decide is over.")
    if asked.verdict not in _VERDICTS[approval.kind]:
        known = ", ".join(_VERDICTS[approval.kind])
        raise RunError("validation_failed", f"'{asked.verdict}' is no decision here. Choose one of: {known}.")
    if asked.arguments is not None and not (approval.kind == "tool" and approval.editable):
        raise RunError("validation_failed", "The arguments of this call may not be changed. Approve or reject it.")


def _note(
    turn: Turn,
    approval: ApprovalRow,
    step: StepRow,
    asked: ApprovalDecided,
    status: ApprovalStatus,
    *,
    arguments: Stored | None = None,
    form: Stored | None = None,
) -> None:
    turn.slice.change_approval(approval, status=status)
    changed = arguments.content_digest() if arguments else approval.digest
    turn.slice.add_decision(
        DecisionRow(approval.id, asked.verdict, asked.actor, turn.at, asked.comment, arguments, changed, form)
    )
    _tell(turn, approval, step, asked, arguments=arguments)
    void_timers(turn, step)


def _tell(
    turn: Turn,
    approval: ApprovalRow,
    step: StepRow,
    asked: ApprovalDecided,
    *,
    arguments: Stored | None,
    outstanding: int = 0,
) -> None:
    """Write what somebody decided into the history; `outstanding`: how many more have to approve."""
    changed = arguments.content_digest() if arguments else approval.digest
    data: dict[str, Any] = {"approval": approval.id, "verdict": asked.verdict, "digest": changed}
    if asked.comment:
        data["comment"] = asked.comment
    if arguments is not None:
        data["changed"] = turn.in_event(arguments, step)
    if outstanding:
        data["outstanding"] = outstanding
    turn.emit("approval-decided", step, by=asked.actor, **data)


def void_timers(turn: Turn, step: StepRow) -> None:
    """Nothing is due for this step run any more."""
    for timer in turn.slice.armed_timers([step.id]):
        turn.slice.set_timer(timer, status="void")


def _checked_form(approval: ApprovalRow, form: Any) -> dict[str, Any]:
    """The reviewer's form data, with defaults. Raises RunError `validation_failed` with every problem."""
    if approval.form is None:
        return {}
    given: Any = form if form is not None else {}
    checked, problems = ArgumentSchema(approval.form).apply(given)
    if problems:
        listed = [str(one) for one in problems]
        raise RunError(
            "validation_failed",
            f"The form is not filled in right: {'; '.join(listed)}.",
            details={"problems": listed},
        )
    return dict(checked)


def _approve_call(
    turn: Turn, approval: ApprovalRow, step: StepRow, asked: ApprovalDecided, changed: _Changed | None
) -> None:
    """The call goes on with the arguments that were shown, or with those that a reviewer changed."""
    if changed is None and approval.offer is not None:
        changed = _changed(turn, approval, turn.slice.load(approval.offer))
    fields: dict[str, Any] = {}
    if changed is not None:
        given = Stored.of({"tool": approval.tool, "arguments": turn.slice.load(changed.arguments)})
        key = derived_id("effect", turn.run.id, step.path, step.visit, given.content_digest())
        fields = {"input": given, "notes": (step.notes or {}) | {"effect_key": key}}
    arguments = changed.arguments if changed is not None else None
    _note(turn, approval, step, asked, ApprovalStatus.APPROVED, arguments=arguments)
    _wake(turn, step, approval_id=approval.id, **fields)


def _changed(turn: Turn, approval: ApprovalRow, given: dict[str, Any] | None) -> _Changed | None:
    """What a reviewer changed the arguments to, checked and judged as those of the flow were: other ones may fall
    under other rules. None: nothing was changed. Raises RunError `tool_denied` and those of arguments."""
    if given is None:
        return None
    tool = permissions.find_tool(turn.program, approval.tool or "")
    arguments = permissions.check_arguments(turn.program, tool, given)
    verdict = permissions.judge(turn.program, tool, arguments)
    if verdict.effect == "deny":
        raise RunError("tool_denied", "The flow or the site denies the call with these arguments.")
    return _Changed(Stored.of(arguments), verdict.approvals)


def _wake(turn: Turn, step: StepRow, **fields: Any) -> None:
    """A waiting step run is pending again: the same attempt goes on."""
    turn.slice.change_step(step, status=StepStatus.PENDING, waits_for="", not_before=turn.now, **fields)
    turn.command(HintStep(step.id, step.backend, step.not_before))


def _decide_unknown(turn: Turn, approval: ApprovalRow, step: StepRow, asked: ApprovalDecided) -> None:
    _note(turn, approval, step, asked, ApprovalStatus.APPROVED)
    if asked.verdict == "happened":
        turn.queue(StepSucceeds(step.id, asked.form))
    elif asked.verdict == "try_again":
        _wake(turn, step)
    else:
        message = "The worker was lost during the call; a person found that it did not take effect."
        turn.queue(StepFails(step.id, make_error("worker_lost", message)))


def expire(turn: Turn, step: StepRow) -> None:
    """Nobody decided in time."""
    for approval in turn.slice.open_approvals([step.id]):
        turn.slice.change_approval(approval, status=ApprovalStatus.EXPIRED)
        turn.emit("approval-expired", step, approval=approval.id)
    message = "Nobody decided before the approval expired."
    turn.queue(StepFails(step.id, make_error("approval_expired", message)))


# Times and signals


def start_wait(turn: Turn, step: StepRow, compiled: CompiledNode) -> None:
    """Begin to wait for a time or a signal, without holding a worker."""
    fields = fields_of(compiled, names_at(turn, step, compiled))
    config = compiled.config
    arm_limit(turn, step, compiled.node.timeout_ms)
    if config.signal is not None:
        _wait_for_signal(turn, step, str(fields["signal"]), fresh=config.fresh)
        return
    if config.until is not None:
        kind, due = ("moment", _moment(str(fields["until"])))
    else:
        kind, due = ("wait", turn.now + _duration(fields.get("duration_ms", config.duration_ms)))
    turn.slice.change_step(step, status=StepStatus.WAITING, waits_for="timer", lease_expires_at=None)
    turn.slice.set_timer(TimerRow(derived_id("timer", step.id, kind), kind, max(due, turn.now), step.id))
    turn.emit("step-waiting", step, waits_for="timer", due_at=max(due, turn.now))


def _duration(value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RunError("expression_error", "A wait needs a whole number of milliseconds, 0 or more.")
    return value


def _moment(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise RunError("expression_error", f"'{text}' is no moment as RFC 3339 writes it.") from None
    if moment.tzinfo is None:
        raise RunError("expression_error", f"'{text}' has no offset, so nobody knows when that is.")
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def _wait_for_signal(turn: Turn, step: StepRow, key: str, *, fresh: bool) -> None:
    kept = None if fresh else turn.slice.kept_signal(key)
    if kept is not None:
        turn.slice.take_signal(kept, step.id)
        turn.queue(StepSucceeds(step.id, turn.slice.load(kept.value)))
        return
    turn.slice.change_step(step, status=StepStatus.WAITING, waits_for="signal", wait_key=key, lease_expires_at=None)
    turn.emit("step-waiting", step, waits_for="signal", key=key)


def receive_signal(turn: Turn, asked: SignalReceived) -> None:
    """Give a signal to the wait declared first, or keep it for one that comes later."""
    if turn.run.status in (RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELED):
        raise RunError("run_finished", f"The run has ended ({turn.run.status}); it takes no more signals.")
    value = Stored.of(asked.value)
    row = SignalRow(turn.slice.signal_number(), asked.key, value, turn.at)
    told = turn.slice.in_event(value, sealed=turn.program.has_sensitive_waits)
    turn.emit("signal-received", None, by=asked.actor, key=asked.key, value=told)
    waiting = turn.slice.steps_waiting_for_signal(asked.key)
    waiting.sort(key=turn.place_of)
    if waiting:
        row.taken_by = waiting[0].id
        turn.queue(StepSucceeds(waiting[0].id, asked.value))
    turn.slice.keep_signal(row)
