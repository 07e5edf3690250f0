"""Wiring questions that the engine and the checks ask of a graph. What a route means is the engine's."""

from __future__ import annotations

import time
from typing import Any

from editor.language.definition import Definition
from editor.language.graph import Graph
from editor.language.nodes import NODE_TYPES


def make_graph(nodes: list[dict[str, Any]], edges: list[tuple[str, ...]], **top: Any) -> Graph:
    """Build a graph from short notes: a node is {"id", …}, an edge (source, target[, on])."""
    whole = [
        {"type": "one_of", **node, "config": NODE_TYPES[node.get("type", "one_of")].Config.model_construct()}
        for node in nodes
    ]
    drawn = [
        {
            "id": f"e{place}",
            "source": edge[0],
            "target": edge[1],
            **({"on": edge[2]} if len(edge) > 2 else {}),
        }
        for place, edge in enumerate(edges)
    ]
    return Graph(Definition.model_validate({"format": 1, "id": "t", **top, "nodes": whole, "edges": drawn}))


def ids(*names: str, **extra: Any) -> list[dict[str, Any]]:
    return [{"id": name, **extra} for name in names]


def test_children_and_ancestors_follow_the_parents():
    graph = make_graph(
        [
            {"id": "p", "type": "parallel"},
            {"id": "s", "type": "sequence", "parent": "p"},
            {"id": "a", "parent": "s"},
        ],
        [],
    )
    assert graph.children(None) == ("p",)
    assert graph.children("p") == ("s",)
    assert graph.ancestors("a") == ("s", "p")
    assert graph.descendants("p") == ("s", "a")
    assert graph.depth("a") == 2


def test_ancestors_end_where_containers_hold_each_other():
    graph = make_graph(
        [{"id": "p", "type": "sequence", "parent": "q"}, {"id": "q", "type": "sequence", "parent": "p"}], []
    )
    assert graph.ancestors("p") == ("q", "p")


def test_ancestors_of_deeply_nested_containers_are_found_quickly():
    nodes: list[dict[str, Any]] = [{"id": "s0", "type": "sequence"}]
    nodes += [{"id": f"s{n}", "type": "sequence", "parent": f"s{n - 1}"} for n in range(1, 900)]
    graph = make_graph(nodes, [])
    started = time.process_time()
    assert [graph.depth(node["id"]) for node in nodes] == list(range(900))
    assert time.process_time() - started < 2


def test_the_start_is_the_one_node_without_incoming_edges():
    assert make_graph(ids("a", "b"), [("a", "b")]).entries(None) == ("a",)
    assert make_graph(ids("a", "b"), []).entries(None) == ("a", "b")
    assert make_graph(ids("a", "b"), [("a", "b"), ("b", "a")]).entries(None) == ()
    assert make_graph(ids("a", "b"), [("a", "b"), ("b", "a")], start="b").entries(None) == ("b",)


def test_a_sequence_without_success_edges_runs_in_declaration_order():
    nodes = [{"id": "s", "type": "sequence"}, *ids("a", "b", "rescue", "c", parent="s")]
    graph = make_graph(nodes, [("a", "rescue", "error")])
    assert graph.chain("s") == ("a", "b", "c")
    assert graph.entries("s") == ("a",)
    assert [link.target for link in graph.links("a")] == ["rescue", "b"]
    assert graph.reaches("a", "c")


def test_a_sequence_with_success_edges_follows_them():
    nodes = [{"id": "s", "type": "sequence"}, *ids("a", "b", "c", parent="s")]
    graph = make_graph(nodes, [("b", "a"), ("a", "c")])
    assert graph.chain("s") == ()
    assert graph.entries("s") == ("b",)


def test_a_parallel_starts_every_child_that_no_edge_leads_to():
    nodes = [{"id": "p", "type": "parallel"}, *ids("a", "b", "c", parent="p")]
    graph = make_graph(nodes, [("a", "c")])
    assert graph.entries("p") == ("a", "b")
    assert not graph.reaches("a", "b")


def test_reaching_goes_through_no_stop_node():
    graph = make_graph(ids("a", "j", "b"), [("a", "j"), ("j", "b")])
    assert graph.reaches("a", "b")
    assert not graph.reaches("a", "b", frozenset({"j"}))
    assert graph.reaches("a", "j", frozenset({"j"}))
    assert graph.reaches("j", "b", frozenset({"j"}))


def test_a_node_reaches_itself_only_by_a_loop():
    graph = make_graph(ids("a", "b", "c"), [("a", "b"), ("b", "a"), ("b", "c")], start="a")
    assert graph.reaches("a", "a")
    assert not graph.reaches("c", "c")
    assert graph.cycles == (frozenset({"a", "b"}),)
    assert graph.cycle_of("c") is None


def test_a_loop_is_gone_once_its_bounded_node_is_taken_out():
    graph = make_graph(ids("a", "b"), [("a", "b"), ("b", "a"), ("b", "b")], start="a")
    assert graph.has_cycle_without(graph.cycles[0], frozenset({"a"}))
    assert not graph.has_cycle_without(graph.cycles[0], frozenset({"b"}))


def test_no_path_goes_on_after_an_end():
    nodes = [{"id": "e", "type": "end"}, {"id": "b"}]
    graph = make_graph(nodes, [("e", "b")])
    assert not graph.reaches("e", "b")
    assert graph.entries(None) == ("e",)


def test_the_region_of_a_fan_out_lies_before_its_synthesis():
    nodes = [{"id": "plan", "fan_out": True, "synthesis": "sum"}, *ids("web", "web2", "docs", "sum", "after")]
    edges = [
        ("plan", "web"),
        ("plan", "docs"),
        ("web", "web2"),
        ("web2", "sum"),
        ("docs", "sum"),
        ("sum", "after"),
    ]
    graph = make_graph(nodes, edges)
    assert graph.branches("plan") == ("web", "docs")
    assert graph.fan_out_region("plan") == {"web", "web2", "docs"}
    assert graph.fan_outs_around("web2") == ("plan",)
    assert graph.fan_outs_around("after") == ()


def test_edges_across_a_wall_are_kept_apart():
    nodes = [{"id": "p", "type": "parallel"}, {"id": "a", "parent": "p"}, {"id": "b"}]
    graph = make_graph(nodes, [("a", "b"), ("b", "nobody")])
    assert [edge.target for edge in graph.broken_edges] == ["b", "nobody"]
    assert graph.edges == []


def test_meeting_finds_the_nearest_common_container():
    nodes = [
        {"id": "p", "type": "parallel"},
        {"id": "s", "type": "sequence", "parent": "p"},
        {"id": "a", "parent": "s"},
        {"id": "b", "parent": "p"},
        {"id": "c"},
    ]
    graph = make_graph(nodes, [])
    assert graph.meeting("a", "b") == ("p", "s", "b")
    assert graph.meeting("a", "c") == (None, "p", "c")
    assert graph.meeting("p", "a") == (None, "p", "p")
    assert graph.meeting("a", "p") == (None, "p", "p")


def test_a_thousand_nodes_in_one_loop_are_answered_quickly():
    count = 1000
    names = [f"n{place}" for place in range(count)]
    edges = [(names[place], names[(place + 1) % count]) for place in range(count)]
    began = time.process_time()
    graph = make_graph(ids(*names), edges, start="n0")
    assert all(graph.reaches("n0", name) for name in names)
    assert graph.cycles == (frozenset(names),)
    assert all(graph.reaches(name, "n999", frozenset({"n500"})) for name in names[501:600])
    assert time.process_time() - began < 3
