"""Joins: paths that arrive at a node and wait there, when it starts, and what a region does once nobody is alive."""

from __future__ import annotations

from runner.engine.errors import make_error
from runner.engine.regions import not_yet_started, start_more, start_one_more
from runner.engine.routing import start_node
from runner.engine.rows import ArrivalRow, ScopeRow, Stored, ValueRow
from runner.engine.scopes import chain, merge_rows, path_order, with_joined
from runner.engine.statuses import ScopeKind, ScopeStatus
from runner.engine.turn import Enter, PathEnded, ScopeFailed, Turn


def enter(turn: Turn, move: Enter) -> None:
    """A path comes to a node: the synthesis ends it, a join may hold it, any other node starts."""
    scope = turn.slice.scope(move.scope)
    region = turn.slice.region_of(scope)
    if region.kind is ScopeKind.FAN_OUT and move.node == synthesis_of(turn, region):
        turn.queue(PathEnded(scope.n, move.node, arrived=True))
        return
    join = turn.program.definition.nodes_by_id[move.node].join
    if join == "each" or move.source is None:
        start_node(turn, move.node, scope)
        return
    _arrive(turn, move.node, region, scope, move.source)


def synthesis_of(turn: Turn, region: ScopeRow) -> str | None:
    """The node in which the branches of a fan-out come together."""
    return turn.program.graph.fan_outs.get(region.node or "")


def _arrive(turn: Turn, node: str, region: ScopeRow, scope: ScopeRow, source: str) -> None:
    count = scope.passed.get(node, 0) + 1
    arrival = ArrivalRow(region.n, node, scope.n, count, source)
    fired = turn.slice.value_row(region.n, "j", _fired_key(node, count))
    turn.slice.add_arrival(arrival)
    turn.look_at(region.n)
    if fired is not None:
        arrival.status = "absorbed"
        _absorb(turn, region, scope, node, int(turn.slice.load(fired.stored)))
        return
    waiting = [one for one in turn.slice.waiting_arrivals(region.n) if one.node == node and one.count == count]
    if _is_full(turn, node, waiting):
        _fire(turn, region, node, waiting)


def _fired_key(node: str, count: int) -> str:
    return f"{node}#{count}"


def _is_full(turn: Turn, node: str, waiting: list[ArrivalRow]) -> bool:
    join = turn.program.definition.nodes_by_id[node].join
    if join == "active":
        return False
    if join == "all":
        return {one.source for one in waiting} >= set(turn.program.graph.sources(node))
    return len(waiting) >= (1 if join == "any" else int(join))


def _absorb(turn: Turn, region: ScopeRow, scope: ScopeRow, node: str, joined: int) -> None:
    """The join has started without this path: its entries share the output of the path that went on."""
    if region.kind is not ScopeKind.PARALLEL:
        return
    target = _goes_on_as(turn, region, turn.slice.scope(joined))
    turn.slice.change_scope(scope, ending={"as": "absorbed", "into": target.n})
    done = turn.slice.value_row(region.n, "o", target.entries[0])
    if done is not None:
        turn.queue(PathEnded(scope.n, node, done.stored))
        return
    places = len(scope.entries) - scope.loop.get("absorbed", 0)
    absorbed = target.loop.get("absorbed", 0) + len(scope.entries)
    turn.slice.change_scope(target, entries=(*target.entries, *scope.entries), loop={"absorbed": absorbed})
    turn.slice.change_scope(region, loop=region.loop | {"open": region.loop["open"] - places})
    start_more(turn, region)


def _goes_on_as(turn: Turn, region: ScopeRow, path: ScopeRow) -> ScopeRow:
    """The path that a path has become since: it may have joined with others, or been absorbed by them."""
    if path.ending is not None:
        return _goes_on_as(turn, region, turn.slice.scope(path.ending["into"]))
    for other in turn.slice.child_scopes(region.n):
        if path.n in other.joined:
            return _goes_on_as(turn, region, other)
    return path


def _fire(turn: Turn, region: ScopeRow, node: str, arrivals: list[ArrivalRow]) -> None:
    """Start a join with the paths that arrived; the path that goes on sees what all of them wrote."""
    order = turn.program.order
    arrivals = sorted(arrivals, key=lambda one: (order[one.source], path_order(turn.slice.scope(one.branch))))
    for arrival in arrivals:
        turn.slice.change_arrival(arrival, "used")
    scopes = list({one.branch: turn.slice.scope(one.branch) for one in arrivals}.values())
    scope = scopes[0] if len(scopes) == 1 else _joined_branch(turn, region, node, scopes)
    passed = {name: max(one.passed.get(name, 0) for one in scopes) for one in scopes for name in one.passed}
    count = max(one.count for one in arrivals)
    turn.slice.change_scope(scope, passed=passed | {node: count})
    if turn.program.definition.nodes_by_id[node].join != "active":
        turn.slice.put_value(ValueRow(region.n, "j", _fired_key(node, count), Stored.of(scope.n)))
    start_node(turn, node, scope)


def _joined_branch(turn: Turn, region: ScopeRow, node: str, scopes: list[ScopeRow]) -> ScopeRow:
    last = max(scopes, key=path_order)
    joined = turn.slice.add_scope(
        ScopeKind.BRANCH,
        region,
        region.prefix,
        node=node,
        overlay=True,
        rank=last.rank,
        order=last.order + 1,
        entries=tuple(dict.fromkeys(entry for one in scopes for entry in one.entries)),
        joined=tuple(one.n for one in scopes),
        loop={"absorbed": sum(one.loop.get("absorbed", 0) for one in scopes)},
    )
    parts = {part.n: part for one in scopes for part in with_joined(turn.slice, one)}
    for row in merge_rows(turn.slice, list(parts.values()), [joined.n, *chain(turn.slice, region)]):
        row.inherited = True
        turn.slice.put_value(row)
    turn.emit(
        "scope-opened", None, scope=joined.n, kind=joined.kind, parent=region.n, entry=node, rank=joined.rank,
        order=joined.order, joined=list(joined.joined),
    )  # fmt: skip
    return joined


def start_ready_join(turn: Turn, region: ScopeRow) -> bool:
    """Start one `active` join that nobody alive can still reach, or fail a region that can never go on.

    True: something happened (or has failed); False: the waiting paths go on waiting, or none waits.
    """
    waiting = turn.slice.waiting_arrivals(region.n)
    if not waiting:
        return False
    order = turn.program.order
    joins = sorted({one.node for one in waiting}, key=order.__getitem__)
    active = [node for node in joins if turn.program.definition.nodes_by_id[node].join == "active"]
    standing = _standing(turn, region)
    for node in active:
        others = standing + [one for one in joins if one != node]
        if not any(_can_reach(turn, region, here, node) for here in others):
            _fire(turn, region, node, [one for one in waiting if one.node == node])
            return True
    if region.live:
        return False
    if start_one_more(turn, region):
        return True
    if active:
        _fire(turn, region, active[0], [one for one in waiting if one.node == active[0]])
        return True
    turn.queue(ScopeFailed(region.n, _deadlock(turn, region, joins[0], waiting)))
    return True


def _standing(turn: Turn, region: ScopeRow) -> list[str]:
    """Nodes where live paths of a region stand or will begin; one inside a fan-out stands at the fan-out."""
    here = [row.node for row in turn.slice.live_steps(region.n)] + not_yet_started(turn, region)
    around = [region, *(one for one in turn.slice.child_scopes(region.n) if one.kind is ScopeKind.BRANCH)]
    for scope in around:
        for child in turn.slice.child_scopes(scope.n):
            if child.kind is ScopeKind.FAN_OUT and child.status in (ScopeStatus.OPEN, ScopeStatus.SETTLING):
                here.append(child.node or "")
    return here


def _can_reach(turn: Turn, region: ScopeRow, here: str, node: str) -> bool:
    stop = synthesis_of(turn, region) if region.kind is ScopeKind.FAN_OUT else None
    return turn.program.graph.reaches(here, node, frozenset({stop}) if stop else frozenset())


def _deadlock(turn: Turn, region: ScopeRow, node: str, waiting: list[ArrivalRow]) -> dict[str, object]:
    came = {one.source for one in waiting if one.node == node}
    missing = [source for source in turn.program.graph.sources(node) if source not in came]
    path = f"{region.prefix}.{node}" if region.prefix else node
    return make_error(
        "deadlock",
        f"'{node}' waits for {', '.join(missing) or 'further paths'}, but no path is left that could come from there.",
        step=node,
        path=path,
        details={"missing": missing, "arrived": sorted(came)},
    )
