"""Where a path goes: edges and their conditions, loop bounds, fan-outs, and the start of the node it comes to."""

from __future__ import annotations

from typing import Any

from runner.engine.commands import HintStep
from runner.engine.errors import make_error
from runner.engine.finishing import condition_names, keep_result
from runner.engine.program import CompiledEdge, CompiledNode, Uses
from runner.engine.retry import step_run_id
from runner.engine.rows import ROOT_SCOPE, ScopeRow, StepRow, Stored, ValueRow
from runner.engine.scopes import overlay_of
from runner.engine.statuses import ScopeKind, StepStatus
from runner.engine.turn import Enter, FinishRun, Leave, PathEnded, ScopeFailed, Turn

_FALLS_BACK_TO_ERROR = ("timeout", "rejected")


def leave(turn: Turn, move: Leave) -> None:
    """Follow the edges of a step that has ended."""
    step = turn.slice.step(move.step_id)
    assert step is not None
    compiled = turn.program.node(step.node)
    matched, tried = _match(turn, step, compiled, move)
    over = next((one for one in matched if _is_over_bound(turn, step, one.target)), None)
    if over is not None:
        _limit(turn, step, over.target, move)
        return
    if compiled.node.fan_out and move.outcome == "success":
        _fan_out(turn, step, matched, move)
        return
    if matched:
        _announce_edge(turn, step, matched[0], move)
        turn.queue(Enter(matched[0].target, step.scope, step.node))
        return
    turn.look_at(step.region)
    if tried:
        turn.emit("path-ended", step, outcome=move.outcome, tried=tried)
    if move.outcome == "success":
        turn.queue(PathEnded(step.scope, step.node, move.output))
        return
    turn.slice.change_step(step, restorable=True)
    assert move.error is not None
    turn.queue(ScopeFailed(step.scope, move.error))


def _match(
    turn: Turn, step: StepRow, compiled: CompiledNode, move: Leave
) -> tuple[list[CompiledEdge], list[dict[str, Any]]]:
    """The edges to take (the first that matches, or all of a fan-out), and what the others' conditions gave."""
    outcomes = [move.outcome]
    if move.outcome in _FALLS_BACK_TO_ERROR:
        outcomes.append("error")
    many = compiled.node.fan_out and move.outcome == "success"
    output = turn.slice.load(move.output) if move.output is not None else None
    tried: list[dict[str, Any]] = []
    for outcome in outcomes:
        matched: list[CompiledEdge] = []
        names = condition_names(turn, step, compiled.edge_uses.get(outcome, Uses()), output, move.error)
        for one in compiled.edges.get(outcome, ()):
            if one.condition is not None:
                holds, trouble = one.condition.evaluate_condition(names)
                if not holds:
                    tried.append(_not_taken(one, trouble, one.condition.explain(names)))
                    continue
            matched.append(one)
            if not many:
                break
        if matched:
            return matched, tried
    return [], tried


def _not_taken(one: CompiledEdge, trouble: str | None, values: dict[str, Any]) -> dict[str, Any]:
    assert one.edge is not None
    note: dict[str, Any] = {
        "edge": one.edge.id,
        "target": one.target,
        "when": one.edge.when,
        "values": values,
    }
    if trouble is not None:
        note["trouble"] = trouble
    return note


def _is_over_bound(turn: Turn, step: StepRow, target: str) -> bool:
    """Whether one more visit would be more than the loop of this node may make."""
    bound = turn.program.visit_bound(target, turn.run.policy)
    if bound is None:
        return False
    region = _container_region(turn, turn.slice.region_of(turn.slice.scope(step.scope)))
    return visits(turn, region, target) >= bound


def _announce_edge(turn: Turn, step: StepRow, taken: CompiledEdge, move: Leave) -> None:
    if taken.edge is None:
        return
    data: dict[str, Any] = {"edge": taken.edge.id, "target": taken.target, "on": taken.edge.on}
    if move.outcome == "limit" and turn.program.keeps_result(step.node):
        overlay = overlay_of(turn.slice, turn.slice.scope(step.scope))
        output = turn.slice.load(move.output) if move.output is not None else None
        keep_result(turn, step, overlay, {"output": output, "error": move.error})
        data |= {"kept": True, "scope": overlay, "output": turn.in_event(move.output, step), "error": move.error}
    turn.emit("edge-taken", step, **data)


def _limit(turn: Turn, step: StepRow, target: str, move: Leave) -> None:
    bound = turn.program.visit_bound(target, turn.run.policy)
    error = make_error(
        "iteration_limit",
        f"'{target}' has been visited {bound} times, the bound of its loop. Raise it, or add an edge on limit.",
        step=step.node,
        path=step.path,
    )
    if move.outcome == "limit":
        turn.look_at(step.region)
        turn.slice.change_step(step, restorable=True)
        turn.queue(ScopeFailed(step.scope, error))
        return
    turn.queue(Leave(step.id, "limit", move.output, error))


def _fan_out(turn: Turn, step: StepRow, matched: list[CompiledEdge], move: Leave) -> None:
    here = turn.slice.scope(step.scope)
    region = turn.slice.region_of(here)
    scope = turn.slice.add_scope(ScopeKind.FAN_OUT, here, region.prefix, node=step.node, step_id=step.id)
    turn.slice.count_live(region, +1)
    turn.emit("scope-opened", step, scope=scope.n, kind=scope.kind, parent=here.n)
    for place, taken in enumerate(matched):
        branch = open_branch(turn, scope, taken.target, place)
        _announce_edge(turn, step, taken, move)
        turn.queue(Enter(taken.target, branch.n, step.node))
    turn.look_at(scope.n)


def open_branch(turn: Turn, region: ScopeRow, entry: str, place: int = 0) -> ScopeRow:
    """Open the overlay of one parallel path, which begins at `entry`."""
    branch = turn.slice.add_scope(
        ScopeKind.BRANCH,
        region,
        region.prefix,
        node=entry,
        overlay=True,
        rank=turn.program.order[entry],
        order=place,
        entries=(entry,),
    )
    turn.emit(
        "scope-opened", None, scope=branch.n, kind=branch.kind, parent=region.n, entry=entry, rank=branch.rank,
        order=branch.order,
    )  # fmt: skip
    return branch


# Visits


def _container_region(turn: Turn, region: ScopeRow) -> ScopeRow:
    """The region of the container around: visits are counted there, also those inside its fan-outs."""
    while region.kind is ScopeKind.FAN_OUT and region.parent is not None:
        region = turn.slice.region_of(turn.slice.scope(region.parent))
    return region


def _visit_key(turn: Turn, region: ScopeRow, node_id: str) -> tuple[int, str]:
    """Where the running number of a node's visits is kept: per path where containers are visited again."""
    if turn.program.counts_per_region(node_id):
        return ROOT_SCOPE, path_of(region, node_id)
    return region.n, node_id


def path_of(region: ScopeRow, node_id: str) -> str:
    """Path of a node inside a region: ids of the containers around it, joined by dots."""
    return f"{region.prefix}.{node_id}" if region.prefix else node_id


def visits(turn: Turn, region: ScopeRow, node_id: str) -> int:
    """How often a node was visited in this visit of its container."""
    row = turn.slice.value_row(region.n, "n", node_id)
    return int(turn.slice.load(row.stored)) if row else 0


def _count_visit(turn: Turn, region: ScopeRow, node_id: str) -> int:
    """Count one more visit; returns its number, which no other visit of the same path has."""
    if not turn.program.counts_visits(node_id):
        return 1
    region = _container_region(turn, region)
    here = visits(turn, region, node_id) + 1
    turn.slice.put_value(ValueRow(region.n, "n", node_id, Stored.of(here)))
    scope, key = _visit_key(turn, region, node_id)
    if scope == region.n:
        return here
    row = turn.slice.value_row(scope, "n", key)
    number = (int(turn.slice.load(row.stored)) if row else 0) + 1
    turn.slice.put_value(ValueRow(scope, "n", key, Stored.of(number)))
    return number


# The start of a node


def start_node(turn: Turn, node_id: str, scope: ScopeRow) -> StepRow | None:
    """Append the pending step run of a new visit, or pass through a disabled node. None: the run has taken too many."""
    bound = min(turn.run.policy.get("max_steps") or turn.program.limits.steps, turn.program.limits.steps)
    if turn.run.steps >= bound:
        message = f"The run has taken {bound} steps, as many as it may."
        turn.queue(FinishRun("failed", error=make_error("limit_exceeded", message)))
        return None
    region = turn.slice.region_of(scope)
    node = turn.program.definition.nodes_by_id[node_id]
    path = path_of(region, node_id)
    visit = _count_visit(turn, region, node_id)
    step = StepRow(
        id=step_run_id(turn.run.id, path, visit, 1),
        node=node_id,
        type=node.type,
        path=path,
        visit=visit,
        attempt=1,
        scope=scope.n,
        region=region.n,
        status=StepStatus.PENDING if node.enabled else StepStatus.SKIPPED,
        backend=_backend(turn, node),
        not_before=turn.now,
        created_at=turn.at,
        ended_at=None if node.enabled else turn.at,
    )
    turn.slice.add_step(step)
    if not node.enabled:
        turn.emit("step-skipped", step)
        turn.queue(Leave(step.id, "success"))
        return step
    turn.emit("step-scheduled", step, scope=scope.n)
    turn.command(HintStep(step.id, step.backend, step.not_before))
    return step


def _backend(turn: Turn, node: Any) -> str:
    """Where the work runs: as the node says, else as its tool says, else as its type says."""
    if node.type == "tool_call" and node.given_backend is None:
        tool = turn.program.catalog.tool(node.config.tool)
        if tool is not None:
            return tool.backend
    return str(node.backend)
