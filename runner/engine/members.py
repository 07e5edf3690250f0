"""Sub-steps: the members of a `tool_group` and the tool calls of an `agent`, each a step run `node[i]` of its own.

They live in a scope of their own (a group), have no edges, and give what they gave to the step they belong to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from editor.language.nodes.tool_group import allowed_failures
from runner.engine.commands import HintStep
from runner.engine.errors import RunError, make_error
from runner.engine.resolving import fields_of, names_at, skill_of
from runner.engine.retry import step_run_id
from runner.engine.rows import ScopeRow, StepRow, Stored, ValueRow
from runner.engine.statuses import ScopeKind, ScopeStatus, StepStatus
from runner.engine.turn import ContainerDone, Leave, StepFails, Turn

#: How often an agent's model is asked where its node does not say.
DEFAULT_TURNS = 10


def open_group(turn: Turn, step: StepRow) -> ScopeRow:
    """Open the scope in which a step's sub-steps live."""
    parent = turn.slice.scope(step.scope)
    group = turn.slice.add_scope(ScopeKind.GROUP, parent, step.path, node=step.node, step_id=step.id)
    group.loop = {"total": 0, "failed": 0, "turns": 0}
    turn.slice.change_step(step, inner=group.n)
    turn.emit("scope-opened", step, scope=group.n, kind=group.kind, parent=parent.n)
    return group


def open_tool_group(turn: Turn, step: StepRow) -> None:
    """Start one sub-step for each tool that is bound to the role, in binding order."""
    compiled = turn.program.node(step.node)
    tools = turn.program.catalog.role(compiled.config.role)
    if tools is None:
        raise RunError("unknown_tool", f"No tool is bound to the role '{compiled.config.role}'. Bind one.")
    arguments = fields_of(compiled, names_at(turn, step, compiled)).get("arguments", {})
    group = open_group(turn, step)
    turn.look_at(group.n)
    for tool in tools:
        _add_member(turn, group, tool, arguments)


def _add_member(turn: Turn, group: ScopeRow, tool: str, arguments: Any) -> StepRow:
    owner = turn.slice.step(group.step_id or "")
    assert owner is not None
    index = group.loop["total"]
    turn.slice.change_scope(group, loop=group.loop | {"total": index + 1})
    path = f"{group.prefix}[{index}]"
    spec = turn.program.catalog.tool(tool)
    row = StepRow(
        id=step_run_id(turn.run.id, path, owner.visit, 1),
        node=owner.node,
        type="tool_call",
        path=path,
        visit=owner.visit,
        attempt=1,
        scope=group.n,
        region=group.n,
        backend=spec.backend if spec else "inline",
        not_before=turn.now,
        created_at=turn.at,
        notes={"call": {"index": index, "tool": tool, "arguments": arguments}},
    )
    turn.slice.add_step(row)
    turn.emit("step-scheduled", row, scope=group.n)
    turn.command(HintStep(row.id, row.backend, row.not_before))
    return row


def member_ended(turn: Turn, step: StepRow, move: Leave) -> None:
    """Note what a sub-step gave, or that it failed; its group goes on or fails."""
    group = turn.slice.scope(step.region)
    turn.look_at(group.n)
    index = (step.notes or {})["call"]["index"]
    if move.outcome == "success":
        turn.slice.put_value(ValueRow(group.n, "o", str(index), move.output or Stored.of(None)))
        return
    assert move.error is not None
    note = {"index": index, "item": (step.notes or {})["call"]["tool"], "error": move.error}
    config = turn.program.node(step.node).config
    if turn.program.node(step.node).node.type == "agent":
        turn.slice.put_value(ValueRow(group.n, "f", str(index), Stored.of(note)))
        return
    if config.on_item_error != "collect":
        turn.slice.change_step(step, restorable=True)
        turn.settle(group.n, {"as": "fail", "error": move.error})
        return
    turn.slice.put_value(ValueRow(group.n, "f", str(index), Stored.of(note)))
    failed = group.loop["failed"] + 1
    turn.slice.change_scope(group, loop=group.loop | {"failed": failed})
    allowed = allowed_failures(config.max_failed, group.loop["total"])
    if allowed is not None and failed > allowed:
        calls = "1 call" if failed == 1 else f"{failed} calls"
        message = f"{calls} of '{step.node}' failed; at most {allowed} may. {move.error.get('message', '')}".rstrip()
        turn.settle(group.n, {"as": "fail", "error": make_error("items_failed", message, details={"last": move.error})})


def group_done(turn: Turn, group: ScopeRow) -> None:
    """All sub-steps have ended: a group gives their results in order, an agent asks its model again."""
    owner = turn.slice.step(group.step_id or "")
    assert owner is not None
    if owner.type == "agent":
        if owner.status is StepStatus.WAITING:
            turn.slice.change_step(owner, status=StepStatus.PENDING, waits_for="", not_before=turn.now)
            turn.command(HintStep(owner.id, owner.backend, owner.not_before))
        return
    results, failed = _results(turn, group)
    turn.slice.close_scope(group, ScopeStatus.JOINED)
    if turn.program.node(owner.node).config.on_item_error == "collect":
        turn.slice.change_step(owner, notes=(owner.notes or {}) | {"failed": failed})
    turn.queue(ContainerDone(owner.id, results))


def _results(turn: Turn, group: ScopeRow) -> tuple[list[Any], list[Any]]:
    rows = {int(row.key): row for row in turn.slice.scope_values(group.n, ("o",))}
    results = [turn.slice.load(rows[i].stored) if i in rows else None for i in range(group.loop["total"])]
    failed = [turn.slice.load(row.stored) for row in turn.slice.scope_values(group.n, ("f",))]
    return results, sorted(failed, key=lambda one: int(one["index"]))


# Agents


def agent_input(turn: Turn, step: StepRow, given: dict[str, Any]) -> dict[str, Any]:
    """What an agent's model is asked this time: the frozen input, and every turn so far with what its calls gave."""
    group = turn.slice.scope(step.inner) if step.inner is not None else open_group(turn, step)
    results, failed = _results(turn, group)
    errors = {one["index"]: one["error"] for one in failed}
    turns = []
    for row in sorted(turn.slice.scope_values(group.n, ("t",)), key=lambda row: int(row.key)):
        calls = turn.slice.load(row.stored)
        turns.append([call | _gave(call["index"], results, errors) for call in calls])
    return given | {"turns": turns}


def _gave(index: int, results: list[Any], errors: dict[int, Any]) -> dict[str, Any]:
    return {"error": errors[index]} if index in errors else {"result": results[index]}


def calls_asked(turn: Turn, step: StepRow, calls: Sequence[dict[str, Any]]) -> None:
    """An agent's model wants tools called: each call becomes a sub-step, the agent waits for all of them."""
    assert step.inner is not None
    group = turn.slice.scope(step.inner)
    used = group.loop["turns"] + 1
    most = turn.program.node(step.node).config.max_turns or DEFAULT_TURNS
    if used >= most:
        message = f"The agent used its {most} turns without an answer. Raise max_turns, or simplify the task."
        turn.queue(StepFails(step.id, make_error("iteration_limit", message)))
        return
    turn.slice.change_scope(group, loop=group.loop | {"turns": used})
    noted = []
    turn.slice.change_step(step, status=StepStatus.WAITING, waits_for="calls", lease_expires_at=None)
    for call in calls:
        row = _add_member(turn, group, str(call.get("tool", "")), call.get("arguments", {}))
        noted.append((row.notes or {})["call"])
    stored = Stored.of(noted)
    turn.slice.put_value(ValueRow(group.n, "t", str(used), stored))
    told = {"usage": step.usage.as_json()} if step.usage else {}
    turn.emit("step-waiting", step, waits_for="calls", turn=used, calls=turn.in_event(stored, step), **told)
    turn.look_at(group.n)


def check_call(turn: Turn, step: StepRow, tool: str) -> None:
    """An agent calls only the tools it was given. Raises RunError `tool_denied`."""
    compiled = turn.program.node(step.node)
    if compiled.node.type == "agent" and tool not in agent_tools(turn, step.node):
        raise RunError("tool_denied", f"'{tool}' is none of the tools that this agent may call.")


def agent_tools(turn: Turn, node: str) -> tuple[str, ...]:
    """The tools that an agent may call: its own list, else that of its skill."""
    config = turn.program.node(node).config
    if config.tools is not None:
        return tuple(config.tools)
    skill = skill_of(turn, config)
    return skill.tools if skill else ()
