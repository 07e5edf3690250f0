"""Checks of fan-outs, joins, loops and writes at once. Each rule is also shown where it must keep quiet."""

from __future__ import annotations

import pytest

from tests.unit.language.documents import codes, edge, flow, node, only, problems, put, say, warnings


def fan_out(nodes: list[dict] | None = None, edges: list[dict] | None = None, **plan: object) -> dict:
    """Write plan → web, docs → sum, with more nodes and edges."""
    whole = {"read_only": True, "fan_out": True, "synthesis": "sum", **plan}
    given = {key: value for key, value in whole.items() if value is not None}
    drawn = [edge("plan", "web"), edge("plan", "docs"), edge("web", "sum"), edge("docs", "sum")]
    base = [node("plan", **given), put("web", "w"), put("docs", "d"), say("sum", "{{w}}{{d}}")]
    return flow([*base, *(nodes or [])], [*drawn, *(edges or [])], start="plan")


# --- fan-outs -------------------------------------------------------------------------------------------


def test_a_closed_fan_out_is_fine():
    assert codes(fan_out()) == []
    assert warnings(fan_out()) == set()


def test_a_fan_out_must_be_read_only_and_have_a_synthesis():
    assert codes(fan_out(read_only=None)) == ["fan_out_not_read_only"]
    assert codes(fan_out(synthesis=None)) == ["fan_out_without_synthesis"]


@pytest.mark.parametrize("synthesis", ["zz", "plan"])
def test_the_synthesis_must_be_another_node(synthesis: str):
    assert "synthesis_not_reached" in codes(fan_out(synthesis=synthesis))


def test_every_branch_must_be_able_to_reach_the_synthesis():
    document = fan_out([put("lost", "l")], [edge("plan", "lost")])
    assert "'lost'" in only(document, "synthesis_not_reached").message


def test_a_branch_may_end_early_and_may_have_a_rescue():
    document = fan_out([put("rescue", "r")], [edge("web", "rescue", "error"), edge("rescue", "sum")])
    assert codes(document) == []
    assert codes(fan_out([put("dead", "r")], [edge("web", "dead", "error")])) == []


def test_nothing_enters_the_region_from_outside():
    document = fan_out([put("other", "o")], [edge("sum", "other"), edge("other", "web")])
    assert codes(document) == ["fan_out_not_closed"]


def test_the_region_does_not_lead_back_to_its_fan_out():
    assert codes(fan_out(edges=[edge("web", "plan", when="false")])) == ["fan_out_not_closed"]


def test_the_synthesis_may_lead_back():
    document = fan_out(edges=[edge("sum", "plan", when="w < 2")])
    assert codes(document) == []


def test_the_error_edge_of_a_fan_out_is_no_branch():
    assert codes(fan_out(edges=[edge("plan", "web", "error")])) == ["fan_out_not_closed"]
    assert codes(fan_out([put("rescue", "r")], [edge("plan", "rescue", "error")])) == []


def test_a_fan_out_within_a_branch_needs_its_own_synthesis():
    inner = {"read_only": True, "fan_out": True}
    nodes = [
        node("plan", **inner, synthesis="sum"),
        node("deep", **inner, synthesis="sum"),
        put("a", "a"),
        put("b", "b"),
        put("meet", "m"),
        node("sum"),
    ]
    edges = [
        edge("plan", "deep"),
        edge("deep", "a"),
        edge("deep", "b"),
        edge("a", "meet"),
        edge("b", "meet"),
        edge("meet", "sum"),
    ]
    assert "fan_out_not_closed" in codes(flow(nodes, edges))
    nodes[1]["synthesis"] = "meet"
    assert codes(flow(nodes, edges)) == []


def test_a_fan_out_may_stand_inside_a_sequence():
    document = fan_out()
    document["nodes"] = [node("s", "sequence"), *({**one, "parent": "s"} for one in document["nodes"])]
    del document["start"]
    assert codes(document) == []


# --- read-only ------------------------------------------------------------------------------------------


def test_a_read_only_node_writes_nothing():
    assert codes(flow([put("a", "x", read_only=True)])) == ["read_only_writes"]
    assert codes(flow([node("a", "one_of", read_only=True, output_variable="x")])) == ["read_only_writes"]
    handler = node("a", "handler", config={"handler": "h"}, read_only=True)
    assert codes(flow([handler])) == []
    assert codes(flow([{**handler, "writes": ["x"]}])) == ["read_only_writes"]


def test_a_read_only_container_holds_no_writer():
    nodes = [node("s", "sequence", read_only=True), put("a", "x", parent="s")]
    assert only(flow(nodes), "read_only_writes").node == "s"
    assert codes(flow([nodes[0], say("a", "x", parent="s")])) == []


# --- joins ----------------------------------------------------------------------------------------------


def parallel(join: object, edges: list[dict], **top: object) -> dict:
    nodes = [
        node("p", "parallel"),
        *(say(name, "x", parent="p") for name in "abc"),
        say("j", "x", parent="p", join=join),
    ]
    return flow(nodes, edges, **top)


ALL = [edge("a", "j"), edge("b", "j"), edge("c", "j")]


def test_an_all_join_of_sure_sources_does_not_starve():
    assert warnings(parallel("all", ALL)) == set()


@pytest.mark.parametrize("last", [edge("c", "j", when="output"), edge("c", "j", "error")])
def test_an_all_join_starves_where_a_source_may_not_come(last: dict):
    assert "join_may_starve" in warnings(parallel("all", [*ALL[:2], last]))


def test_a_join_that_counts_starves_where_too_few_may_come():
    assert "join_may_starve" not in warnings(parallel(2, ALL))
    assert "join_may_starve" not in warnings(parallel(2, [*ALL[:2], edge("c", "j", when="output")]))
    assert "join_may_starve" in warnings(parallel(4, ALL))


def test_an_all_join_after_a_choice_always_starves():
    nodes = [node("pick"), say("a", "x"), say("b", "x"), say("j", "x", join="all")]
    edges = [edge("pick", "a", when="true"), edge("pick", "b"), edge("a", "j"), edge("b", "j")]
    assert warnings(flow(nodes, edges)) == {"join_may_starve"}
    nodes[3]["join"] = "active"
    assert warnings(flow(nodes, edges)) == set()


def test_an_all_join_inside_a_fan_out_is_judged_within_its_scope():
    nodes = [
        node("first"),
        node("plan", read_only=True, fan_out=True, synthesis="sum"),
        say("a", "x"),
        say("b", "x"),
        say("j", "x", join="all"),
        say("sum", "x"),
    ]
    edges = [edge("first", "plan", when="false"), edge("first", "sum")]
    edges += [edge("plan", "a"), edge("plan", "b"), edge("a", "j"), edge("b", "j"), edge("j", "sum")]
    assert "join_may_starve" not in warnings(flow(nodes, edges))


def test_two_active_joins_in_one_loop_wait_for_one_another():
    nodes = [say("a", "x", join="active"), say("b", "x", join="active"), node("c")]
    edges = [edge("a", "b"), edge("b", "c"), edge("c", "a", when="false")]
    assert codes(flow(nodes, edges, start="a")) == ["join_in_cycle"]
    nodes[1]["join"] = "each"
    assert codes(flow(nodes, edges, start="a")) == []


def test_where_the_first_to_come_counts_it_is_said():
    assert warnings(parallel("any", ALL)) == {"order_counts"}
    assert warnings(parallel("active", ALL)) == set()
    assert warnings(
        flow([node("p", "parallel", config={"stop_when": "done > 0"}), node("a", parent="p"), node("b", parent="p")])
    ) == {"order_counts"}
    assert warnings(flow([node("p", "parallel"), node("a", parent="p"), node("r", "return", parent="p")])) == {
        "order_counts"
    }
    assert warnings(flow([node("s", "sequence"), node("a", parent="s"), node("r", "return", parent="s")])) == set()


def test_a_stop_of_iterations_one_after_another_is_sure():
    document = flow([node("l", "for_each", config={"items": 3, "stop_when": "done > 0"}), node("a", parent="l")])
    assert warnings(document) == set()
    document["nodes"][0]["config"]["concurrency"] = 2
    assert warnings(document) == {"order_counts"}


def test_a_node_that_two_live_paths_lead_to_runs_for_each():
    assert warnings(parallel("each", ALL)) == {"runs_more_than_once"}
    nodes = [node("pick"), node("a"), node("b"), node("c")]
    edges = [edge("pick", "a", when="true"), edge("pick", "b"), edge("a", "c"), edge("b", "c")]
    assert warnings(flow(nodes, edges)) == set()


# --- loops ----------------------------------------------------------------------------------------------

LOOP = [edge("a", "b"), edge("b", "a", when="false"), edge("b", "c")]


@pytest.mark.parametrize(
    ("top", "keys", "expected"),
    [
        ({}, {}, {"loop_without_bound"}),
        ({"policy": {"max_iterations": 3}}, {}, set()),
        ({}, {"max_visits": 3}, set()),
        ({"presets": [{"id": "quick", "policy": {"max_iterations": 3}}]}, {}, set()),
        ({"presets": [{"id": "quick", "policy": {}}]}, {}, {"loop_without_bound"}),
    ],
)
def test_a_loop_wants_a_bound(top: dict, keys: dict, expected: set[str]):
    document = flow([node("a", **keys), node("b"), node("c")], LOOP, start="a", **top)
    assert codes(document) == []
    assert warnings(document) == expected


def test_a_bound_on_one_of_two_loops_leaves_the_other():
    nodes = [node("a", max_visits=3), node("b"), node("c")]
    assert warnings(flow(nodes, [*LOOP, edge("b", "b", "error")], start="a")) == {"loop_without_bound"}


# --- writes at once -------------------------------------------------------------------------------------


def two_writers(edges: list[dict] | None = None, **keys: object) -> set[str]:
    nodes = [node("p", "parallel"), put("a", "k", parent="p", **keys), put("b", "k", parent="p", **keys)]
    return warnings(flow(nodes, edges))


def test_two_paths_that_set_one_key_are_a_conflict():
    assert two_writers() == {"parallel_write_conflict"}


def test_writes_that_are_done_again_at_the_join_are_none():
    for mode in ("append", "extend", "merge", "add"):
        assert two_writers(output_mode=mode) == set()


def test_writes_one_after_the_other_are_none():
    assert two_writers([edge("a", "b")]) == set()


def test_a_write_after_the_join_is_none():
    nodes = [
        node("p", "parallel"),
        put("a", "k", parent="p"),
        node("b", parent="p"),
        put("j", "k", parent="p", join="all"),
    ]
    assert warnings(flow(nodes, [edge("a", "j"), edge("b", "j")])) == set()


def test_writes_deep_inside_the_paths_count():
    nodes = [
        node("p", "parallel"),
        node("s", "sequence", parent="p"),
        put("a", "k", parent="s"),
        put("b", "k", parent="p"),
    ]
    assert warnings(flow(nodes)) == {"parallel_write_conflict"}


def test_branches_of_a_fan_out_that_set_one_key_are_a_conflict():
    document = fan_out()
    document["nodes"][2] = put("docs", "w")
    document["nodes"][3] = say("sum", "{{w}}")
    assert warnings(document) == {"parallel_write_conflict"}


def total(**config: object) -> dict:
    """Write a running total over items."""
    nodes = [
        put("zero", "total", 0),
        node("l", "for_each", config={"items": 3, **config}),
        node("add", "evaluator", config={"expression": "total + item"}, parent="l", output_variable="total"),
        say("after", "{{total}}"),
    ]
    return flow(nodes, [edge("zero", "l"), edge("l", "after")])


def test_concurrency_takes_a_running_total_apart():
    assert warnings(total()) == set()
    assert warnings(total(concurrency=2)) == {"loop_carried_write"}


def test_a_value_passed_on_within_an_iteration_is_no_total():
    nodes = [
        node("l", "for_each", config={"items": 3, "concurrency": 3}),
        put("a", "x", "$item", parent="l"),
        say("b", "{{x}}", parent="l"),
    ]
    assert warnings(flow(nodes)) == set()
    assert warnings(flow([*nodes, say("after", "{{x}}")], [edge("l", "after")])) == {"parallel_write_conflict"}


def test_one_fault_is_one_problem():
    document = parallel("all", [*ALL[:2], edge("c", "j", when="output")])
    found = [problem.code for problem in problems(document)]
    assert len(found) == len(set(found))
