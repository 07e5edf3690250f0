"""Checks of the drawing: edges, parents, starts. Each rule is also shown where it must keep quiet."""

from __future__ import annotations

import pytest

from tests.unit.language.documents import codes, edge, flow, node, only, problems, put, warnings


def test_a_plain_flow_has_no_problem():
    assert codes(flow([put("a", "x"), put("b", "y")], [edge("a", "b")])) == []


def test_an_edge_to_nobody_dangles_and_says_where():
    found = only(flow([put("a", "x")], [edge("a", "zz")]), "edge_dangling")
    assert (found.path, found.edge) == ("/edges/0/target", "e1")
    assert "'zz'" in found.message


def test_both_ends_of_an_edge_are_reported():
    assert codes(flow([put("a", "x")], [edge("yy", "zz")])) == ["edge_dangling", "edge_dangling"]


def test_an_edge_may_join_children_of_one_container():
    document = flow([node("p", "parallel"), put("a", "x", parent="p"), put("b", "y", parent="p")], [edge("a", "b")])
    assert codes(document) == []


def test_an_edge_may_not_lead_into_a_container():
    document = flow([node("p", "parallel"), put("a", "x", parent="p"), put("b", "y")], [edge("b", "p"), edge("b", "a")])
    assert codes(document) == ["edge_crosses_container"]


def test_a_parent_must_be_a_container_of_the_flow():
    assert only(flow([put("a", "x"), put("b", "y", parent="a")]), "config_invalid").path == "/nodes/1/parent"
    assert only(flow([put("a", "x"), put("b", "y", parent="zz")]), "config_invalid").path == "/nodes/1/parent"


def test_containers_that_hold_one_another_are_one_problem():
    document = flow([node("p", "sequence", parent="q"), node("q", "sequence", parent="p"), put("a", "x")])
    assert codes(document) == ["container_cycle"]


def test_a_container_that_holds_itself_is_a_cycle():
    assert codes(flow([node("p", "sequence", parent="p"), put("a", "x")])) == ["container_cycle"]


@pytest.mark.parametrize(("depth", "expected"), [(32, []), (33, ["nesting_too_deep"])])
def test_containers_are_nested_at_most_32_deep(depth: int, expected: list[str]):
    nested = [node(f"s{level}", "sequence", **({"parent": f"s{level - 1}"} if level else {})) for level in range(depth)]
    assert codes(flow([*nested, put("a", "x", parent=f"s{depth - 1}")])) == expected


def test_the_start_may_be_left_out_if_one_node_has_no_incoming_edge():
    assert codes(flow([put("a", "x"), put("b", "y")], [edge("b", "a")])) == []


def test_several_possible_starts_are_ambiguous_unless_one_is_named():
    nodes = [put("a", "x"), put("b", "y")]
    assert codes(flow(nodes)) == ["start_ambiguous"]
    assert codes(flow(nodes, start="a")) == []
    assert warnings(flow(nodes, start="a")) == {"unreachable_node"}


def test_a_loop_back_to_the_first_node_needs_a_start():
    nodes = [put("a", "x", max_visits=2), node("b")]
    edges = [edge("a", "b"), edge("b", "a", when="x > 1")]
    assert codes(flow(nodes, edges)) == ["no_start"]
    assert codes(flow(nodes, edges, start="a")) == []


def test_a_flow_without_nodes_has_no_start():
    assert codes(flow([])) == ["no_start"]


@pytest.mark.parametrize("start", ["zz", "inner"])
def test_the_start_must_be_a_node_at_top_level(start: str):
    document = flow([node("s", "sequence"), put("inner", "x", parent="s")], start=start)
    assert only(document, "no_start").path == "/start"


def test_a_sequence_may_begin_at_one_node_only():
    nodes = [node("s", "sequence"), put("a", "x", parent="s"), put("b", "y", parent="s"), put("c", "z", parent="s")]
    assert codes(flow(nodes)) == []
    assert codes(flow(nodes, [edge("a", "b", "error")])) == []
    assert only(flow(nodes, [edge("a", "b")]), "start_ambiguous").node == "s"


def test_a_parallel_begins_at_every_free_child():
    nodes = [node("p", "parallel"), put("a", "x", parent="p"), put("b", "y", parent="p"), put("c", "z", parent="p")]
    assert codes(flow(nodes, [edge("a", "b")])) == []


def test_a_container_whose_children_go_in_circles_never_begins():
    nodes = [node("p", "parallel"), put("a", "x", parent="p"), put("b", "y", parent="p")]
    assert codes(flow(nodes, [edge("a", "b"), edge("b", "a")])) == ["no_start"]


def test_an_edge_that_cannot_be_read_makes_no_second_start():
    document = flow([put("a", "x"), put("b", "y")], [{"source": "a", "target": 5}])
    assert codes(document) == ["config_invalid"]


def test_a_node_behind_an_end_is_unreachable():
    document = flow([node("a"), node("e", "end"), put("b", "x")], [edge("a", "e"), edge("e", "b")])
    assert {found.node for found in problems(document) if found.code == "unreachable_node"} == {"b"}


def test_a_node_that_a_rescue_leads_to_is_reachable():
    nodes = [node("s", "sequence"), put("a", "x", parent="s"), put("r", "y", parent="s"), put("b", "z", parent="s")]
    assert warnings(flow(nodes, [edge("a", "r", "error")])) == set()


def test_a_branch_wants_a_way_for_the_remaining_cases():
    nodes = [node("a"), put("b", "x"), put("c", "y")]
    with_default = [edge("a", "b", when="1 > 2"), edge("a", "c")]
    without = [edge("a", "b", when="1 > 2"), edge("a", "c", when="2 > 1")]
    assert warnings(flow(nodes, with_default)) == set()
    assert warnings(flow(nodes, without)) == {"no_default_edge"}
