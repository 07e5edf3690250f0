"""The order in which people read a flow: along its edges, what a container holds right after it."""

from __future__ import annotations

from editor.language.definition import Definition, Node
from editor.language.graph import Graph


def reading_order(flow: Definition, graph: Graph) -> list[tuple[Node, int]]:
    """Every node once, with how deep it stands, from 0. Where edges lead back, the declaration counts."""
    children: dict[str | None, list[str]] = {}
    for node in flow.nodes:
        parent = node.parent if node.parent in flow.nodes_by_id and node.parent != node.id else None
        children.setdefault(parent, []).append(node.id)
    found: dict[str, int] = {}
    open_nodes = [(node_id, 0) for node_id in reversed(_level(children.get(None, []), graph))]
    while open_nodes:
        node_id, level = open_nodes.pop()
        found[node_id] = level
        inner = _level(children.get(node_id, []), graph)
        open_nodes += [(child, level + 1) for child in reversed(inner) if child not in found]
    # What containers hold that hold one another is reached from nowhere.
    found |= {node.id: 0 for node in flow.nodes if node.id not in found}
    return [(flow.node(node_id), level) for node_id, level in found.items()]


def _level(ids: list[str], graph: Graph) -> list[str]:
    """The nodes of one level, each after all that lead to it, but for edges that lead back."""
    members = set(ids)
    finished: dict[str, None] = {}
    entered: set[str] = set()
    entries = [one for one in ids if not any(source in members for source in graph.sources(one))]
    late = [one for one in ids if one not in entries]
    for start in [*reversed(entries), *late]:
        before = {} if start in entries else dict(finished)
        if before:
            finished.clear()
        _visit(start, members, graph, entered, finished)
        finished.update(before)
    return list(reversed(finished))


def _visit(start: str, members: set[str], graph: Graph, entered: set[str], finished: dict[str, None]) -> None:
    """Depth first without recursion; what finishes last comes first in the order."""
    if start in entered:
        return
    entered.add(start)
    stack = [(start, _next(start, members, graph))]
    while stack:
        node_id, following = stack[-1]
        if not following:
            stack.pop()
            finished[node_id] = None
            continue
        target = following.pop()
        if target not in entered:
            entered.add(target)
            stack.append((target, _next(target, members, graph)))


def _next(node_id: str, members: set[str], graph: Graph) -> list[str]:
    return [edge.target for edge in graph.outgoing(node_id) if edge.target in members]
