"""Checks of routes: every node can be reached, and a branch has a way for every case."""

from __future__ import annotations

from editor.language.validation.subject import Subject


def check_reachability(subject: Subject) -> None:
    """`unreachable_node`: no way leads to a node from where its container, or the flow, begins."""
    if not subject.has_all_edges or subject.graph.broken_edges:
        return
    _check_level(subject, None)
    for node in subject.nodes:
        if subject.container(node.id) is not None:
            _check_level(subject, node.id)


def _check_level(subject: Subject, container: str | None) -> None:
    graph = subject.graph
    entries = graph.entries(container)
    kind = subject.container(container) if container is not None else None
    if not entries or (len(entries) > 1 and (kind is None or kind.in_order)):
        return
    reached = set(entries)
    for entry in entries:
        reached |= graph.reached(entry)
    for fan_out, synthesis in graph.fan_outs.items():
        if fan_out in reached and synthesis is not None and graph.parent.get(synthesis) == container:
            reached |= {synthesis} | graph.reached(synthesis)
    for child in graph.children(container):
        if child not in reached:
            told = f"No way leads to {child!r}, so it never runs. Draw an edge to it, or remove it."
            subject.report_node("unreachable_node", child, told)


def check_default_edges(subject: Subject) -> None:
    """`no_default_edge`: every way on has a condition, so that a path may end here unnoticed."""
    for node in subject.nodes:
        edges = subject.graph.edges_from(node.id, "success")
        if edges and not node.fan_out and all(edge.when is not None for edge in edges):
            told = (
                f"Every edge from {node.id!r} has a condition. If none holds, the path ends here. "
                "Add an edge without a condition for the remaining cases."
            )
            subject.report_node("no_default_edge", node.id, told)
