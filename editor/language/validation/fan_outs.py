"""Checks of fan-outs: read-only, with a synthesis, and a closed region between."""

from __future__ import annotations

from editor.language.definition import Node
from editor.language.validation.subject import Subject, names


def check_fan_outs(subject: Subject) -> None:
    """`fan_out_not_read_only`, `fan_out_without_synthesis`, `synthesis_not_reached`, `fan_out_not_closed`."""
    for node in subject.nodes:
        if not node.fan_out:
            continue
        if not node.read_only:
            told = f"{node.id!r} fans out, so it must be read_only. Set read_only, and let another node write."
            subject.report_node("fan_out_not_read_only", node.id, told, "/fan_out")
        if node.synthesis is None:
            told = f"{node.id!r} fans out, but nothing brings its branches together. Name the node in synthesis."
            subject.report_node("fan_out_without_synthesis", node.id, told, "/fan_out")
        elif _check_reached(subject, node, node.synthesis):
            _check_closed(subject, node, node.synthesis)


def _check_reached(subject: Subject, node: Node, synthesis: str) -> bool:
    graph = subject.graph
    path = "/synthesis"
    if synthesis not in graph.parent or graph.parent[synthesis] != node.parent or synthesis == node.id:
        told = f"The synthesis {synthesis!r} is no other node beside {node.id!r}. Name the node where branches meet."
        subject.report_node("synthesis_not_reached", node.id, told, path)
        return False
    branches = graph.branches(node.id)
    if not branches:
        if subject.has_all_edges and not graph.broken_edges:
            told = f"{node.id!r} fans out into nothing. Draw an edge for success to each branch."
            subject.report_node("synthesis_not_reached", node.id, told, path)
        return False
    lost = [branch for branch in branches if branch != synthesis and not graph.reaches(branch, synthesis)]
    if lost and subject.has_all_edges and not graph.broken_edges:
        told = f"From {names(lost)} no way leads to the synthesis {synthesis!r}. Draw the edge that is missing."
        subject.report_node("synthesis_not_reached", node.id, told, path)
    return not lost


def _check_closed(subject: Subject, node: Node, synthesis: str) -> None:
    graph = subject.graph
    region = graph.fan_out_region(node.id)
    if node.id in region:
        told = f"A way leads from a branch of {node.id!r} back to it. Let only the synthesis {synthesis!r} lead back."
        subject.report_node("fan_out_not_closed", node.id, told)
        return
    for edge in graph.edges:
        is_branch = edge.source == node.id and edge.on == "success"
        if edge.target in region and edge.source not in region and not is_branch:
            told = (
                f"This edge leads from {edge.source!r} into the middle of the fan-out {node.id!r}. "
                f"Let it lead to {node.id!r} or to the synthesis {synthesis!r}."
            )
            subject.report("fan_out_not_closed", subject.edge_path(edge.id), told, edge=edge.id)
    start = subject.definition.start
    if start in region and node.parent is None:
        told = f"The flow starts in the middle of the fan-out {node.id!r}. Start before it."
        subject.report("fan_out_not_closed", "/start", told, node=node.id)
    for inner, meets in graph.fan_outs.items():
        if inner in region and meets is not None and meets not in region:
            told = (
                f"The fan-out {inner!r} begins inside the fan-out {node.id!r}, but its synthesis {meets!r} lies "
                "outside. Give it a synthesis of its own before the outer one."
            )
            subject.report_node("fan_out_not_closed", inner, told, "/synthesis")
