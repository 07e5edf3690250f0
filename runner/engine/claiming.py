"""The claim: a pending step run is taken, its input frozen, and what has to happen is worked out.

A failure found here (arguments that do not fit, a denied call) is the result of the attempt: it is reported
at the attempt's end, like the result of a pure node.
"""

from __future__ import annotations

from typing import Any

from editor.language.errors import LanguageError
from editor.language.expressions import ExpressionError
from runner.engine import budget, permissions
from runner.engine.commands import ExecuteStep
from runner.engine.errors import RunError, make_error
from runner.engine.happenings import StepClaimed
from runner.engine.members import agent_input, agent_tools, check_call
from runner.engine.people import arm_limit, ask_about_call, ask_person, start_wait
from runner.engine.program import CompiledNode
from runner.engine.regions import open_container
from runner.engine.resolving import PURE, check_notes, pure_output, work_input
from runner.engine.rows import StepRow, Stored, derived_id
from runner.engine.settling import reopen
from runner.engine.statuses import RunStatus, StepStatus
from runner.engine.subflows import start_child
from runner.engine.turn import StepFails, Turn


def claim(turn: Turn, asked: StepClaimed) -> None:
    """Take a step run that is pending and due. Does nothing where there is nothing to take."""
    step = turn.slice.step(asked.step_id)
    if step is None or step.status is not StepStatus.PENDING or step.not_before > turn.now:
        return
    if not _may_run(turn, step) or not _has_room(turn, step):
        return
    compiled = turn.program.node(step.node)
    refused = None if _has_begun(step) else budget.used_up(turn, step) or budget.policy_limit(turn, step)
    if refused is not None:
        turn.slice.change_step(step, started_at=turn.at)
        turn.queue(StepFails(step.id, refused))
        return
    leased = not step.is_container and step.type not in ("approval", "wait")
    turn.slice.change_step(
        step,
        status=StepStatus.RUNNING,
        fence=step.fence + 1,
        worker=asked.worker,
        lease_expires_at=turn.now + asked.lease_ms if leased else None,
        started_at=turn.at,
    )
    problem = _freeze(turn, step, compiled)
    _announce(turn, step)
    try:
        if problem is not None:
            raise problem
        _begin(turn, step, compiled)
    except PROBLEMS as trouble:
        _fails_at_end(turn, step, compiled, trouble)


#: What a step may fail with when it begins.
PROBLEMS = (RunError, ExpressionError, LanguageError)


def _may_run(turn: Turn, step: StepRow) -> bool:
    """A pause starts nothing new; what already ran may finish, also where its worker was lost meanwhile."""
    if turn.run.status is RunStatus.PAUSED:
        return step.lost > 0
    return turn.run.status is RunStatus.ACTIVE


def _has_begun(step: StepRow) -> bool:
    """Whether the call was under way before: limits are asked before a call. An agent's every turn is a call."""
    return step.lost > 0 or (step.announced and step.type != "agent")


def _has_room(turn: Turn, step: StepRow) -> bool:
    """Whether the policy's bound on parallel steps leaves room. Containers and waits hold no worker."""
    bound = turn.run.policy.get("max_parallel")
    if not bound or step.is_container or step.type in ("approval", "wait"):
        return True
    return turn.run.running < int(bound)


def _announce(turn: Turn, step: StepRow) -> None:
    """One start for a visit; each further attempt says so; going on after a pause or a lost worker says nothing."""
    if step.announced:
        return
    turn.slice.change_step(step, announced=True)
    data: dict[str, Any] = {"backend": step.backend}
    if step.worker:
        data["worker"] = step.worker
    if step.input is not None:
        data["input"] = turn.in_event(step.input, step)
    turn.emit("attempt-start" if step.seen else "step-start", step, **data)


def _begin(turn: Turn, step: StepRow, compiled: CompiledNode) -> None:
    if step.is_container:
        begin_container(turn, step, compiled)
    elif step.type == "approval":
        ask_person(turn, step, compiled)
    elif step.type == "wait":
        start_wait(turn, step, compiled)
    elif step.type in PURE:
        _begin_pure(turn, step, compiled)
    else:
        _begin_work(turn, step, compiled)


def begin_container(turn: Turn, step: StepRow, compiled: CompiledNode) -> None:
    """Open what a container holds, or open it again. Raises RunError where it cannot begin."""
    arm_limit(turn, step, turn.program.limit_ms(compiled.node))
    if step.inner is not None:
        inner = turn.slice.scope(step.inner)
        turn.slice.change_scope(inner, step_id=step.id)
        reopen(turn, inner, (step.notes or {}).get("person_retry"))
    else:
        open_container(turn, step)


def _begin_pure(turn: Turn, step: StepRow, compiled: CompiledNode) -> None:
    output = Stored.of(pure_output(turn, step, compiled))
    fields: dict[str, Any] = {"output": output}
    if step.type == "verifier":
        troubles = check_notes(turn, step, compiled)
        if troubles:
            fields["notes"] = (step.notes or {}) | {"warnings": troubles}
    turn.slice.change_step(step, **fields)
    turn.command(_execute(turn, step, compiled, None, pure=True))


def _begin_work(turn: Turn, step: StepRow, compiled: CompiledNode) -> None:
    assert step.input is not None
    given = turn.slice.load(step.input)
    if step.type == "subflow":
        start_child(turn, step, compiled, given)
        return
    if step.type == "agent":
        given = agent_input(turn, step, given) | {"tools": list(agent_tools(turn, step.node))}
    if step.type == "tool_call" and not _allowed(turn, step, given):
        return
    turn.command(_execute(turn, step, compiled, given))


def _freeze(turn: Turn, step: StepRow, compiled: CompiledNode) -> Exception | None:
    """Resolve the input of work once per visit; every automatic attempt uses it again. Returns what went wrong."""
    has_input = not (step.is_container or step.type in PURE or step.type in ("approval", "wait"))
    if step.input is None and has_input:
        try:
            _resolve(turn, step, compiled)
        except PROBLEMS as problem:
            return problem
    return None


def _resolve(turn: Turn, step: StepRow, compiled: CompiledNode) -> None:
    given = work_input(turn, step, compiled)
    notes = dict(step.notes or {})
    if step.type == "tool_call":
        if step.is_member:
            check_call(turn, step, given["tool"])
        tool = permissions.find_tool(turn.program, given["tool"])
        arguments = notes.pop("arguments", None)
        given["arguments"] = permissions.check_arguments(
            turn.program, tool, given["arguments"] if arguments is None else arguments
        )
        notes["effect"] = tool.effect
    if step.type == "handler" and turn.program.catalog.handler(given["handler"]) is None:
        raise RunError("tool_failed", f"There is no handler '{given['handler']}' here. Register it.")
    stored = Stored.of(given)
    notes["effect_key"] = effect_key(turn, step, stored)
    turn.slice.change_step(step, input=stored, notes=notes)


def effect_key(turn: Turn, step: StepRow, stored: Stored) -> str:
    """The idempotency key of a call: run, path, visit and what it is called with."""
    return derived_id("effect", turn.run.id, step.path, step.visit, stored.content_digest())


def _allowed(turn: Turn, step: StepRow, given: dict[str, Any]) -> bool:
    """Whether a tool call may be made now. False: it waits for a person. Raises RunError `tool_denied`."""
    tool = permissions.find_tool(turn.program, given["tool"])
    if step.approval_id is not None:
        return True
    verdict = permissions.judge(turn.program, tool, given["arguments"])
    if verdict.effect == "allow":
        return True
    if verdict.effect == "deny":
        why = "; ".join(verdict.reasons)
        raise RunError("tool_denied", f"The call of '{tool.name}' is denied: {why}.")
    ask_about_call(turn, step, tool, given["arguments"], verdict)
    return False


def _execute(turn: Turn, step: StepRow, compiled: CompiledNode, given: Any, *, pure: bool = False) -> ExecuteStep:
    return ExecuteStep(
        step_id=step.id,
        fence=step.fence,
        node=step.node,
        type=step.type,
        path=step.path,
        visit=step.visit,
        attempt=step.attempt,
        input=given,
        effect_key=step.effect_key,
        limit_ms=None if pure else turn.program.limit_ms(compiled.node),
        pure=pure,
    )


def _fails_at_end(turn: Turn, step: StepRow, compiled: CompiledNode, problem: Exception) -> None:
    """Note the failure; the attempt ends with it when its shell reports back, as any other attempt ends."""
    code = "expression_error" if isinstance(problem, ExpressionError) else str(getattr(problem, "code", "flow_error"))
    details = getattr(problem, "details", None)
    error = make_error(code, str(problem), step=step.node, path=step.path, details=details)
    if step.is_container or step.type in ("approval", "wait"):
        turn.queue(StepFails(step.id, error))
        return
    turn.slice.change_step(step, notes=(step.notes or {}) | {"fails_with": error})
    turn.command(_execute(turn, step, compiled, None, pure=True))
