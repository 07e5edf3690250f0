"""Regions: how containers and fan-outs open, how their paths end, and what they give once all have."""

from __future__ import annotations

from typing import Any

from runner.engine.errors import RunError, make_error
from runner.engine.finishing import check_container_output
from runner.engine.members import group_done, open_tool_group
from runner.engine.names import Names
from runner.engine.routing import open_branch, start_node
from runner.engine.rows import ScopeRow, StepRow, Stored, ValueRow
from runner.engine.scopes import branches_of, chain, merge_rows, path_order, visible_state
from runner.engine.statuses import ScopeKind, ScopeStatus
from runner.engine.turn import ContainerDone, Enter, FinishRun, PathEnded, Reopen, ScopeFailed, StepFails, Turn

# Opening


def open_container(turn: Turn, step: StepRow) -> None:
    """Open the scope of a container that has just started. Raises RunError where its items are no list."""
    parent = turn.slice.scope(step.scope)
    if step.type == "tool_group":
        open_tool_group(turn, step)
        return
    kinds = {"sequence": ScopeKind.SEQUENCE, "parallel": ScopeKind.PARALLEL, "for_each": ScopeKind.LOOP}
    items = _items(turn, step) if step.type == "for_each" else None
    region = turn.slice.add_scope(kinds[step.type], parent, step.path, node=step.node, step_id=step.id)
    turn.slice.change_step(step, inner=region.n)
    given = {} if items is None else {"items": turn.in_event(Stored.of(items), step)}
    turn.emit("scope-opened", step, scope=region.n, kind=region.kind, parent=parent.n, **given)
    turn.look_at(region.n)
    entries = turn.program.graph.entries(step.node)
    if region.kind is ScopeKind.LOOP:
        _fill_loop(turn, region, items)
        start_more(turn, region)
    elif region.kind is ScopeKind.PARALLEL:
        region.loop = {"total": len(entries), "next": 0, "done": 0, "open": 0}
        start_more(turn, region)
    else:
        for entry in entries[:1]:
            turn.queue(Enter(entry, region.n))


def _items(turn: Turn, step: StepRow) -> list[Any] | int:
    compiled = turn.program.node(step.node)
    names = Names(turn.program, turn.slice, turn.slice.scope(step.scope), compiled.uses, step=step, now=turn.now)
    items: Any = compiled.config.items
    if "items" in compiled.expressions:
        items = compiled.expressions["items"].evaluate(names)
    elif "items" in compiled.templates:
        items = compiled.templates["items"].render(names)
    if isinstance(items, float) and items.is_integer():
        items = int(items)
    is_count = isinstance(items, int) and not isinstance(items, bool) and items >= 0
    if not (is_count or isinstance(items, list)):
        raise RunError("expression_error", f"The items of '{step.node}' are neither a list nor a whole number.")
    total = items if isinstance(items, int) else len(items)
    if total > turn.program.limits.items:
        raise RunError("limit_exceeded", f"'{step.node}' has {total} items; at most {turn.program.limits.items}.")
    found: list[Any] | int = items
    return found


def _fill_loop(turn: Turn, region: ScopeRow, items: list[Any] | int | None) -> None:
    total = items if isinstance(items, int) else len(items or [])
    region.loop = {"total": total, "next": 0, "done": 0, "open": 0, "failed": 0}
    if isinstance(items, list):
        for index, item in enumerate(items):
            turn.slice.put_value(ValueRow(region.n, "i", str(index), Stored.of(item)))


def _concurrency(turn: Turn, region: ScopeRow) -> int:
    own = turn.program.node(region.node or "").config.concurrency
    return int(own) if own is not None else region.loop["total"]


def start_more(turn: Turn, region: ScopeRow) -> None:
    """Start entry children or iterations while there are any and the container's concurrency has room."""
    room = _concurrency(turn, region)
    loop = dict(region.loop)
    while loop.get("again") and loop["open"] < room and not loop.get("stopped"):
        loop["again"] -= 1
        loop["open"] += 1
        turn.queue(Reopen(_next_again(turn, region)))
    while loop["open"] < room and loop["next"] < loop["total"] and not loop.get("stopped"):
        place = loop["next"]
        loop["next"] += 1
        loop["open"] += 1
        if region.kind is ScopeKind.PARALLEL:
            entry = turn.program.graph.entries(region.node)[place]
            turn.queue(Enter(entry, open_branch(turn, region, entry).n))
        else:
            _open_iteration(turn, region, place, parallel=room > 1)
    turn.slice.change_scope(region, loop=loop)


def not_yet_started(turn: Turn, region: ScopeRow) -> list[str]:
    """Entry children of a `parallel` that its concurrency has not let start: their paths are still to come."""
    if region.kind is not ScopeKind.PARALLEL or region.loop.get("stopped"):
        return []
    return list(turn.program.graph.entries(region.node)[region.loop["next"] :])


def start_one_more(turn: Turn, region: ScopeRow) -> bool:
    """Start the next entry child where every path that has started waits at a join: none of them is at work."""
    waiting = not_yet_started(turn, region)
    if not waiting:
        return False
    loop = region.loop | {"next": region.loop["next"] + 1, "open": region.loop["open"] + 1}
    turn.slice.change_scope(region, loop=loop)
    turn.queue(Enter(waiting[0], open_branch(turn, region, waiting[0]).n))
    return True


def _open_iteration(turn: Turn, loop: ScopeRow, index: int, *, parallel: bool) -> None:
    scope = turn.slice.add_scope(
        ScopeKind.ITERATION,
        loop,
        f"{loop.prefix}[{index}]",
        node=loop.node,
        step_id=loop.step_id,
        overlay=parallel,
        rank=index,
        index=index,
    )
    turn.slice.count_live(loop, +1)
    turn.emit(
        "scope-opened",
        None,
        scope=scope.n,
        kind=scope.kind,
        parent=loop.n,
        index=index,
        overlay=parallel,
        rank=index,
    )
    turn.look_at(scope.n)
    for entry in turn.program.graph.entries(loop.node)[:1]:
        turn.queue(Enter(entry, scope.n))


# Paths that end


def path_ended(turn: Turn, move: PathEnded) -> None:
    """Note what a path gave; a race may be decided by it."""
    scope = turn.slice.scope(move.scope)
    region = turn.slice.region_of(scope)
    turn.look_at(region.n)
    turn.ended_with[region.n] = move.output
    turn.ended_at[region.n] = move.node
    if region.kind is not ScopeKind.PARALLEL or region.status is not ScopeStatus.OPEN:
        return
    for entry in scope.entries:
        turn.slice.put_value(ValueRow(region.n, "o", entry, move.output or Stored.of(None)))
    loop = dict(region.loop)
    loop["done"] += len(scope.entries)
    loop["open"] -= len(scope.entries) - scope.loop.get("absorbed", 0)
    turn.slice.change_scope(region, loop=loop)
    if _stops(turn, region, scope, move.output):
        stop_rest(turn, region)
    else:
        start_more(turn, region)


def _stops(turn: Turn, region: ScopeRow, scope: ScopeRow, output: Stored | None) -> bool:
    """Whether the container's `stop_when` holds after this path or iteration has succeeded."""
    compiled = turn.program.node(region.node or "")
    condition = compiled.expressions.get("stop_when")
    if condition is None:
        return False
    local = {"output": turn.slice.load(output) if output else None, "done": region.loop["done"]}
    names = Names(turn.program, turn.slice, scope, compiled.stop_uses, now=turn.now, local=local)
    holds, _trouble = condition.evaluate_condition(names)
    return holds


def stop_rest(turn: Turn, region: ScopeRow) -> None:
    """`stop_when` holds: nothing more starts; what still runs in a `parallel` is canceled."""
    turn.slice.change_scope(region, loop=region.loop | {"stopped": 1})
    if region.kind is ScopeKind.PARALLEL:
        turn.settle(region.n, {"as": "stop"})


# Regions whose paths have all ended


def done(turn: Turn, region: ScopeRow) -> None:
    """All paths of an open region have ended well."""
    {
        ScopeKind.ROOT: _root_done,
        ScopeKind.SEQUENCE: _sequence_done,
        ScopeKind.PARALLEL: parallel_done,
        ScopeKind.ITERATION: _iteration_done,
        ScopeKind.LOOP: _loop_done,
        ScopeKind.FAN_OUT: _fan_out_done,
        ScopeKind.GROUP: group_done,
    }[region.kind](turn, region)


def _root_done(turn: Turn, region: ScopeRow) -> None:
    turn.queue(FinishRun("succeeded", turn.ended_with.get(region.n), node=turn.ended_at.get(region.n)))


def _sequence_done(turn: Turn, region: ScopeRow) -> None:
    kept = turn.slice.value_row(region.n, "o", "")
    stored = turn.ended_with.get(region.n) or (kept.stored if kept else None)
    output = turn.slice.load(stored) if stored is not None else None
    try:
        check_container_output(turn, owner_of(turn, region), output)
    except RunError as problem:
        turn.slice.put_value(ValueRow(region.n, "o", "", stored or Stored.of(None)))
        _join_failed(turn, region, problem)
        return
    turn.slice.close_scope(region, ScopeStatus.JOINED)
    _container_done(turn, region, output)


def _container_done(turn: Turn, region: ScopeRow, output: Any) -> None:
    owner = owner_of(turn, region)
    turn.queue(ContainerDone(owner.id, output))


def owner_of(turn: Turn, region: ScopeRow) -> StepRow:
    """The live step run of the container to which a region belongs: its newest attempt."""
    owner = turn.slice.step(region.step_id or "")
    assert owner is not None
    return owner


def parallel_done(turn: Turn, region: ScopeRow) -> None:
    """Merge the paths of a `parallel`; its output is what each entry child's path gave last."""
    rows = {row.key: row for row in turn.slice.scope_values(region.n, ("o",))}
    output = {
        entry: turn.slice.load(rows[entry].stored) for entry in turn.program.graph.entries(region.node) if entry in rows
    }
    if _join(turn, region, output):
        _container_done(turn, region, output)


def _loop_done(turn: Turn, region: ScopeRow) -> None:
    rows = {int(row.key): row for row in turn.slice.scope_values(region.n, ("o",))}
    last = region.loop["next"] if region.loop.get("stopped") else region.loop["total"]
    outputs = [turn.slice.load(rows[index].stored) if index in rows else None for index in range(last)]
    notes = [turn.slice.load(row.stored) for row in turn.slice.scope_values(region.n, ("f",))]
    failed = [note for note in notes if note is not None]
    owner = owner_of(turn, region)
    if turn.program.node(owner.node).config.on_item_error == "collect":
        failed.sort(key=lambda one: one["index"])
        turn.slice.change_step(owner, notes=(owner.notes or {}) | {"failed": failed})
    if _join(turn, region, outputs):
        _container_done(turn, region, outputs)


def _fan_out_done(turn: Turn, region: ScopeRow) -> None:
    synthesis = turn.program.graph.fan_outs[region.node or ""]
    assert synthesis is not None and region.parent is not None
    if _join(turn, region):
        start_node(turn, synthesis, turn.slice.scope(region.parent))


def _join(turn: Turn, region: ScopeRow, output: Any = None) -> bool:
    """Merge a region's paths into the overlay around it. False: the merged state would be invalid, and it failed.

    `output` is the container's own, which must fit into its variable then.
    """
    assert region.parent is not None
    around = chain(turn.slice, turn.slice.scope(region.parent))
    if region.kind is ScopeKind.LOOP and _concurrency(turn, region) == 1:
        branches: list[ScopeRow] = []
    else:
        branches = [one for one in branches_of(turn.slice, region) if one.status is not ScopeStatus.CLOSED]
    try:
        rows = merge_rows(turn.slice, sorted(branches, key=path_order), around)
        written = {row.key: turn.slice.load(row.stored) for row in rows if row.kind == "v"} if rows else {}
        problems = turn.program.state_schema.check_delta(written, lambda: visible_state(turn.slice, around, rows))
        if problems:
            raise RunError("state_invalid", f"The merged state would be invalid: {'; '.join(map(str, problems))}.")
        if region.kind is not ScopeKind.FAN_OUT:
            check_container_output(turn, owner_of(turn, region), output, rows)
    except RunError as problem:
        _join_failed(turn, region, problem)
        return False
    for row in rows:
        turn.slice.put_value(row)
    for branch in branches:
        turn.slice.drop_overlay(branch.n)
        turn.slice.change_scope(branch, status=ScopeStatus.JOINED)
    turn.slice.close_scope(region, ScopeStatus.JOINED)
    turn.slice.drop_overlay(region.n)
    turn.emit("scope-joined", None, scope=region.n, into=around[0], branches=[one.n for one in branches])
    return True


def _join_failed(turn: Turn, region: ScopeRow, problem: RunError) -> None:
    """The container fails, or the synthesis that would have started: it fails in its place."""
    error = make_error(problem.code, problem.message, details=problem.details)
    turn.slice.close_scope(region, ScopeStatus.CLOSED)
    if region.kind is not ScopeKind.FAN_OUT:
        turn.queue(StepFails(owner_of(turn, region).id, error))
        return
    synthesis = turn.program.graph.fan_outs[region.node or ""]
    assert synthesis is not None and region.parent is not None
    if not turn.program.node(synthesis).node.enabled:
        turn.look_at(turn.slice.region_of(turn.slice.scope(region.parent)).n)
        turn.queue(ScopeFailed(region.parent, error | {"step": synthesis}))
        return
    step = start_node(turn, synthesis, turn.slice.scope(region.parent))
    if step is not None:
        turn.queue(StepFails(step.id, error, final=True))


# Iterations


def _iteration_done(turn: Turn, iteration: ScopeRow) -> None:
    assert iteration.parent is not None
    loop = turn.slice.scope(iteration.parent)
    output = turn.ended_with.get(iteration.n) or Stored.of(None)
    status = ScopeStatus.OPEN if iteration.overlay else ScopeStatus.JOINED
    turn.slice.change_scope(iteration, status=status, ending={"as": "done"})
    turn.slice.count_live(loop, -1)
    turn.look_at(loop.n)
    turn.slice.put_value(ValueRow(loop.n, "o", str(iteration.index), output))
    counts = loop.loop | {"done": loop.loop["done"] + 1, "open": loop.loop["open"] - 1}
    turn.slice.change_scope(loop, loop=counts)
    if loop.status is not ScopeStatus.OPEN:
        return
    if _stops(turn, loop, iteration, output):
        stop_rest(turn, loop)
    else:
        start_more(turn, loop)


def iteration_failed(turn: Turn, iteration: ScopeRow, error: dict[str, Any]) -> None:
    """An iteration's error: collected where the loop says so and not too many have failed, else the loop fails."""
    assert iteration.parent is not None
    loop = turn.slice.scope(iteration.parent)
    config = turn.program.node(loop.node or "").config
    turn.slice.change_scope(iteration, status=ScopeStatus.CLOSED)
    turn.slice.count_live(loop, -1)
    turn.look_at(loop.n)
    counts = loop.loop | {"open": loop.loop["open"] - 1}
    collects = config.on_item_error == "collect" and error["code"] != "canceled"
    if not collects or loop.status is not ScopeStatus.OPEN:
        turn.slice.change_scope(loop, loop=counts)
        if loop.status is ScopeStatus.OPEN:
            turn.settle(loop.n, {"as": "fail", "error": error})
        return
    counts["failed"] += 1
    turn.slice.change_scope(loop, loop=counts)
    item = turn.slice.value_row(loop.n, "i", str(iteration.index))
    note = {
        "index": iteration.index,
        "item": turn.slice.load(item.stored) if item else iteration.index,
        "error": error,
    }
    turn.slice.put_value(ValueRow(loop.n, "f", str(iteration.index), Stored.of(note)))
    allowed = config.allowed_failures(loop.loop["total"])
    if allowed is not None and counts["failed"] > allowed:
        message = f"{counts['failed']} items of '{loop.node}' failed; at most {allowed} may."
        turn.settle(loop.n, {"as": "fail", "error": make_error("items_failed", message, details={"last": error})})
    else:
        start_more(turn, loop)


# Iterations that run again with their loop


def run_again(turn: Turn, iteration: ScopeRow) -> bool:
    """Let an iteration that had failed run again: its failure counts no more. False: only once there is room."""
    assert iteration.parent is not None
    loop, index = turn.slice.scope(iteration.parent), str(iteration.index)
    row = turn.slice.value_row(loop.n, "f", index)
    counts = dict(loop.loop)
    if row is not None and turn.slice.load(row.stored) is not None:
        turn.slice.put_value(ValueRow(loop.n, "f", index, Stored.of(None)))
        counts["failed"] -= 1
    has_room = counts["open"] < _concurrency(turn, loop)
    if has_room:
        counts["open"] += 1
    else:
        counts["again"] = counts.get("again", 0) + 1
        turn.slice.put_value(ValueRow(loop.n, "r", index, Stored.of(iteration.n)))
    turn.slice.change_scope(loop, loop=counts)
    return has_room


def _next_again(turn: Turn, loop: ScopeRow) -> int:
    """Number of the first iteration, in item order, that waits to run again; it waits no more."""
    rows = [row for row in turn.slice.scope_values(loop.n, ("r",)) if turn.slice.load(row.stored) is not None]
    first = min(rows, key=lambda row: int(row.key))
    turn.slice.put_value(ValueRow(loop.n, "r", first.key, Stored.of(None)))
    return int(turn.slice.load(first.stored))
