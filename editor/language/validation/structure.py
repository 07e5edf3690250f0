"""Checks of the drawing itself: edges with both ends, containers that hold, one place to start."""

from __future__ import annotations

from editor.language.nodes import node_type
from editor.language.validation.subject import Subject, names

MAX_NESTING = 32


def check_edges(subject: Subject) -> None:
    """`edge_dangling`, `edge_crosses_container`."""
    for edge in subject.graph.broken_edges:
        missing = False
        for end, node_id in (("source", edge.source), ("target", edge.target)):
            if node_id not in subject.parsed.known_ids:
                missing = True
                told = f"The {end} of this edge, {node_id!r}, is no node of the flow. Draw it anew or remove it."
                subject.report("edge_dangling", subject.edge_path(edge.id, f"/{end}"), told, edge=edge.id)
        if missing or not {edge.source, edge.target} <= subject.graph.parent.keys():
            continue
        told = (
            f"The edge from {edge.source!r} to {edge.target!r} leads through the wall of a container. "
            "Draw it from or to the container itself, or put both nodes into the same one."
        )
        subject.report("edge_crosses_container", subject.edge_path(edge.id), told, edge=edge.id)


def check_parents(subject: Subject) -> None:
    """`config_invalid` for a parent that holds nothing, `container_cycle`, `nesting_too_deep`."""
    for node in subject.nodes:
        if node.parent is None:
            continue
        if node.parent not in subject.parsed.known_ids:
            told = f"The parent {node.parent!r} is no node of the flow. Name a container, or leave parent out."
            subject.report_node("config_invalid", node.id, told, "/parent")
        elif node.parent in subject.graph.parent and _holds_nothing(subject, node.parent):
            told = f"The parent {node.parent!r} is no container. Put the node into a sequence, parallel or for_each."
            subject.report_node("config_invalid", node.id, told, "/parent")
    _check_circles(subject)
    _check_depth(subject)


def _holds_nothing(subject: Subject, node_id: str) -> bool:
    kind = node_type(subject.node(node_id).type)
    return kind is not None and not kind.is_container


def _check_circles(subject: Subject) -> None:
    seen: set[str] = set()
    for node in subject.nodes:
        around = subject.graph.ancestors(node.id)
        if node.id in around and node.id not in seen:
            circle = around[: around.index(node.id) + 1]
            seen.update(circle)
            subject.is_drawable = False
            told = f"The containers {names(circle)} hold one another. Take one of them out of the other."
            subject.report_node("container_cycle", node.id, told, "/parent")


def _check_depth(subject: Subject) -> None:
    for node in subject.nodes:
        if subject.container(node.id) and subject.graph.depth(node.id) == MAX_NESTING and subject.is_drawable:
            told = f"Containers are nested more than {MAX_NESTING} deep here. Move the inner part to a flow of its own."
            subject.report_node("nesting_too_deep", node.id, told, "/parent")


def check_starts(subject: Subject) -> None:
    """`no_start`, `start_ambiguous`, at top level and in every container."""
    if subject.is_drawable:
        _check_top(subject)
        for node in subject.nodes:
            if subject.container(node.id) is not None and subject.graph.children(node.id):
                _check_container(subject, node.id)


def _check_top(subject: Subject) -> None:
    start = subject.definition.start
    if start is not None:
        if start not in subject.parsed.known_ids:
            subject.report("no_start", "/start", f"The start {start!r} is no node of the flow. Name a node.")
        elif subject.graph.parent.get(start) is not None:
            told = f"The start {start!r} lies in a container. Name a node at top level, such as the container."
            subject.report("no_start", "/start", told, node=start)
        return
    free = subject.graph.free_children(None)
    if len(free) > 1 and subject.has_all_edges:
        told = (
            f"The flow could start at {names(free)}, to which no edge leads. Connect all but one of them, "
            "remove what is left over, or name the first in start."
        )
        subject.report("start_ambiguous", "/start", told, node=free[1])
    elif not free and subject.has_all_edges and not subject.graph.broken_edges and not subject.stray_nodes:
        whole = subject.graph.children(None)
        told = "An edge leads to every node, so nothing says where to begin. Name the first node in start."
        subject.report("no_start", "/start", told if whole else "The flow has no nodes. Add the first one.")


def _check_container(subject: Subject, container: str) -> None:
    graph = subject.graph
    kind = subject.container(container)
    if not subject.has_all_edges or graph.chain(container):
        return
    free = graph.free_children(container)
    if not free and not graph.broken_edges:
        told = f"An edge leads to every node inside {container!r}, so none begins. Remove the edge to the first."
        subject.report_node("no_start", container, told)
    elif len(free) > 1 and kind is not None and kind.in_order:
        told = (
            f"Inside {container!r} several nodes could begin: {names(free)}. Connect all but one of them, or draw "
            "no edges for success, so that they run in order."
        )
        subject.report_node("start_ambiguous", container, told)
