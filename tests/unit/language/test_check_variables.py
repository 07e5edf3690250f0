"""Checks of names: who can have set what is read. The rule must never refuse a flow that could work."""

from __future__ import annotations

from itertools import pairwise

import pytest

from editor.language.catalog import HandlerSpec, StaticCatalog
from tests.unit.language.documents import codes, edge, flow, node, only, problems, put, say, warnings

INPUTS = [{"name": "topic", "type": "short_text"}]


def chain(*nodes: dict, **top: object) -> dict:
    """Write a flow whose nodes follow one another."""
    ids = [one["id"] for one in nodes if "parent" not in one]
    return flow(list(nodes), [edge(a, b) for a, b in pairwise(ids)], **top)


# --- what may be read -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "{{topic}}",
        "{{inputs.topic}}",
        "{{policy.anything}}",
        "{{run.id}} {{run.visit}} {{run.attempt}} {{run.started_at}} {{run.now}}",
        "{{declared}}",
        "{{opt_7}}",
        "{{before}}",
        "{{steps.first.output.x}}",
        {"$expr": "topic"},
    ],
)
def test_inputs_declared_keys_and_earlier_outputs_can_be_read(text: object):
    state = {"type": "object", "properties": {"declared": {}}, "patternProperties": {"^opt_": {}}}
    document = chain(put("first", "before"), say("read", text), inputs=INPUTS, state=state)
    assert codes(document) == []


def test_a_node_reads_its_own_output_only_in_a_loop():
    once = chain(say("a", "{{x}}", output_variable="x"))
    assert codes(once) == ["unknown_variable"]
    edges = [edge("a", "b"), edge("b", "a", when="true")]
    again = flow([say("a", "{{x}}", output_variable="x"), node("b")], edges, start="a")
    assert codes(again) == []


def test_what_a_later_node_sets_cannot_be_read_but_in_a_loop():
    nodes = [say("a", "{{x}}"), put("b", "x")]
    assert codes(flow(nodes, [edge("a", "b")])) == ["unknown_variable"]
    assert codes(flow(nodes, [edge("a", "b"), edge("b", "a")], start="a")) == []


def test_one_way_on_which_it_is_set_is_enough():
    nodes = [node("pick"), put("a", "x"), node("b"), say("read", "{{x}}")]
    edges = [edge("pick", "a", when="true"), edge("pick", "b"), edge("a", "read"), edge("b", "read")]
    assert codes(flow(nodes, edges)) == []


def test_the_other_branch_of_a_choice_sets_nothing_for_this_one():
    nodes = [node("pick"), put("a", "x"), say("b", "{{x}}")]
    edges = [edge("pick", "a", when="true"), edge("pick", "b")]
    assert codes(flow(nodes, edges)) == ["unknown_variable"]


def test_an_output_is_not_there_on_the_error_edge_of_its_own_node():
    nodes = [node("a", "tool_call", config={"tool": "t"}, output_variable="x"), say("b", "{{x}}")]
    assert codes(flow(nodes, [edge("a", "b", "error")])) == ["unknown_variable"]
    assert codes(flow(nodes, [edge("a", "b", "limit")])) == []
    assert codes(flow(nodes, [edge("a", "b")])) == []


def test_an_edge_sees_what_its_source_wrote():
    nodes = [put("a", "x"), put("b", "y")]
    assert codes(flow(nodes, [edge("a", "b", when="x > 1 && output > 1")])) == []
    assert codes(flow(nodes, [edge("a", "b", when="y > 1")])) == ["unknown_variable"]


def test_an_edge_sees_the_error_only_on_another_outcome():
    nodes = [node("a", "tool_call", config={"tool": "t"}), node("b"), node("c")]
    good = [edge("a", "b"), edge("a", "c", "error", when="error.code == 'x'")]
    bad = [edge("a", "b", when="error.code == 'x'"), edge("a", "c", "error")]
    assert codes(flow(nodes, good)) == []
    assert only(flow(nodes, bad), "unknown_variable").edge == "e1"


def test_output_means_nothing_inside_a_config():
    assert codes(chain(put("a", "x"), say("b", "{{output}}"))) == ["unknown_variable"]


# --- containers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["sequence", "parallel", "for_each"])
def test_what_is_set_inside_a_container_can_be_read_after_it(kind: str):
    config = {"items": 3} if kind == "for_each" else {}
    document = chain(
        node("box", kind, config=config), put("in", "x", parent="box"), say("read", "{{x}}{{steps.in.output}}")
    )
    assert codes(document) == []


def test_what_is_set_before_a_container_can_be_read_inside_it():
    document = chain(put("a", "x"), node("box", "parallel"), say("in", "{{x}}", parent="box"))
    assert codes(document) == []


def test_parallel_paths_never_see_each_others_writes():
    nodes = [node("p", "parallel"), put("a", "x", parent="p"), say("b", "{{x}}{{steps.a.output}}", parent="p")]
    assert codes(flow(nodes)) == ["unknown_variable", "unknown_variable"]
    assert codes(flow(nodes, [edge("a", "b")])) == []


def test_parallel_paths_see_each_others_writes_in_the_next_pass():
    nodes = [node("p", "parallel"), put("a", "x", parent="p"), say("b", "{{x}}", parent="p"), node("n")]
    assert codes(flow(nodes, [edge("p", "n"), edge("n", "p")], start="p")) == []


def test_a_sequence_runs_in_order():
    good = [node("s", "sequence"), put("a", "x", parent="s"), say("b", "{{x}}", parent="s")]
    bad = [node("s", "sequence"), say("b", "{{x}}", parent="s"), put("a", "x", parent="s")]
    assert codes(flow(good)) == []
    assert codes(flow(bad)) == ["unknown_variable"]


def test_iterations_one_after_another_see_what_earlier_ones_set():
    nodes = [node("l", "for_each", config={"items": 3}), say("a", "{{x}}", parent="l"), put("b", "x", parent="l")]
    assert codes(flow(nodes)) == []


def test_iterations_at_once_do_not():
    loop = node("l", "for_each", config={"items": 3, "concurrency": 2})
    nodes = [loop, say("a", "{{x}}", parent="l"), put("b", "x", parent="l")]
    assert codes(flow(nodes)) == ["unknown_variable"]


def test_item_and_index_are_known_inside_the_loop_only():
    loop = node("l", "for_each", config={"items": 3, "item_variable": "row"})
    inside = say("a", "{{row.id}} {{index}} $row", parent="l")
    assert codes(chain(loop, inside)) == []
    assert codes(chain(loop, inside, say("after", "{{row}}"))) == ["unknown_variable"]
    assert codes(chain(loop, say("a", "{{item}}", parent="l"))) == ["unknown_variable"]


def test_the_items_are_computed_before_the_first_iteration():
    nodes = [node("l", "for_each", config={"items": "xs"}), put("a", "xs", [1], parent="l")]
    assert codes(flow(nodes)) == ["unknown_variable"]


def test_stop_when_sees_what_its_paths_wrote():
    config = {"items": 3, "stop_when": "x > 1 && output && done > 1 && item > 0 && steps.a.output"}
    assert codes(flow([node("l", "for_each", config=config), put("a", "x", parent="l")])) == []
    assert codes(flow([node("p", "parallel", config={"stop_when": "y"}), put("a", "x", parent="p")])) == [
        "unknown_variable"
    ]


def test_a_container_has_no_output_for_its_own_children():
    nodes = [node("s", "sequence", output_variable="x"), say("a", "{{x}}{{steps.s.output}}", parent="s")]
    assert codes(flow(nodes)) == ["unknown_variable", "unknown_variable"]


# --- fan-outs and joins ---------------------------------------------------------------------------------


def fan(*extra_edges: dict, reader: str = "sum") -> dict:
    nodes = [
        node("plan", read_only=True, fan_out=True, synthesis="sum"),
        put("web", "w"),
        put("side", "s"),
        put("docs", "d"),
        say("sum", "{{w}} {{s}} {{d}}" if reader == "sum" else "-"),
    ]
    drawn = [
        edge("plan", "web"),
        edge("plan", "docs"),
        edge("web", "side", when="true"),
        edge("web", "sum"),
        edge("docs", "sum"),
    ]
    return flow(nodes, [*drawn, *extra_edges])


def test_a_synthesis_sees_every_branch_also_what_ended_early():
    assert codes(fan()) == []


def test_a_branch_does_not_see_the_other():
    document = fan(reader="docs")
    document["nodes"][3] = say("docs", "{{w}}")
    assert codes(document) == ["unknown_variable"]


# --- handlers -------------------------------------------------------------------------------------------


def handler(node_id: str, **keys: object) -> dict:
    return node(node_id, "handler", config={"handler": node_id}, **keys)


def test_an_earlier_handler_of_unknown_writes_may_supply_any_key():
    assert codes(chain(handler("h"), say("read", "{{anything}}"))) == []
    assert codes(chain(say("read", "{{anything}}"), handler("h"))) == ["unknown_variable"]


def test_but_only_a_key_that_the_schema_allows():
    state = {"type": "object", "properties": {"known": {}}, "additionalProperties": False}
    assert codes(chain(handler("h"), say("read", "{{anything}}"), state=state)) == ["unknown_variable"]


def test_a_handler_says_what_it_writes_itself_or_by_its_registration():
    catalog = StaticCatalog(handler_specs={"h": HandlerSpec("h", frozenset({"made"}))})
    assert codes(chain(handler("h"), say("read", "{{made}}")), catalog) == []
    assert codes(chain(handler("h"), say("read", "{{other}}")), catalog) == ["unknown_variable"]
    assert codes(chain(handler("h", writes=["mine"]), say("read", "{{mine}}")), catalog) == []


def test_what_a_handler_declares_to_read_must_have_been_set():
    assert codes(chain(put("a", "x"), handler("h", inputs=["x"]))) == []
    assert only(chain(put("a", "x"), handler("h", inputs=["y"])), "unknown_variable").path == "/nodes/1/inputs/0"


# --- messages and neighbours ----------------------------------------------------------------------------


def test_an_unknown_variable_is_told_with_its_place_and_a_near_name():
    found = only(chain(put("a", "category"), say("b", "Hi {{categroy}}")), "unknown_variable")
    assert (found.path, found.node) == ("/nodes/1/config/fields/text", "b")
    assert found.hint == "Did you mean 'category'?"


def test_every_unknown_variable_of_every_node_is_reported():
    document = chain(say("a", "{{p}} {{q}}"), say("b", ["{{r}}", {"deep": "{{s}}"}]))
    assert codes(document) == ["unknown_variable"] * 4


def test_an_invalid_expression_is_not_read_for_variables():
    document = flow([node("e", "evaluator", config={"expression": "nobody ? 1 : 2"})])
    assert codes(document) == ["expression_invalid"]


def test_steps_of_a_node_that_never_ran_before_are_unknown():
    assert codes(chain(say("a", "{{steps.b.output}}"), node("b"))) == ["unknown_variable"]
    assert codes(chain(say("a", "{{steps.zz.output}}"))) == ["unknown_variable"]
    rescued = [node("a", "tool_call", config={"tool": "t"}), say("b", "{{steps.a.error.code}}")]
    assert codes(flow(rescued, [edge("a", "b", "error")])) == []


def test_run_and_inputs_have_the_keys_they_have():
    assert codes(chain(say("a", "{{run.nope}}"))) == ["unknown_variable"]
    assert codes(chain(say("a", "{{inputs.nope}}"), inputs=INPUTS)) == ["unknown_variable"]


def test_a_permission_rule_sees_only_the_arguments():
    rules = [{"tool": "*", "when": "args.amount > 5", "effect": "ask"}]
    assert codes(chain(node("a"), permissions={"rules": rules})) == []
    rules = [{"tool": "*", "when": "topic == 'x'", "effect": "ask"}]
    document = chain(node("a"), inputs=INPUTS, permissions={"rules": rules})
    assert only(document, "unknown_variable").path == "/permissions/rules/0/when"


def test_a_dollar_name_that_nobody_sets_is_a_warning_because_it_stays_as_written():
    document = chain(say("a", "$USD"))
    assert codes(document) == []
    assert warnings(document) == {"maybe_unset"}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (chain(put("a", "x"), say("b", "$x")), set()),
        (chain(say("b", "$topic"), inputs=[{"name": "topic", "type": "short_text", "required": True}]), set()),
        (chain(say("b", "$topic"), inputs=[{"name": "topic", "type": "short_text", "default": "x"}]), set()),
        (chain(say("b", "$topic"), inputs=INPUTS), {"maybe_unset"}),
        (chain(node("p", "parallel"), put("a", "x", parent="p"), say("b", "$x")), set()),
        (chain(node("l", "for_each", config={"items": 2}), put("a", "x", parent="l"), say("b", "$x")), {"maybe_unset"}),
        (chain(put("a", "x", enabled=False), say("b", "$x")), {"maybe_unset"}),
        (chain(node("a", "handler", config={"handler": "h"}), say("b", "$x")), {"maybe_unset"}),
    ],
)
def test_a_dollar_name_warns_unless_it_surely_has_a_value(document: dict, expected: set[str]):
    assert warnings(document) == expected


def test_a_dollar_name_set_on_one_branch_only_may_be_unset():
    nodes = [node("pick"), put("a", "x"), node("b"), say("read", "$x")]
    edges = [edge("pick", "a", when="1 > 0"), edge("pick", "b"), edge("a", "read"), edge("b", "read")]
    assert warnings(flow(nodes, edges)) == {"maybe_unset"}
    nodes[2] = put("b", "x")
    assert warnings(flow(nodes, edges)) == {"maybe_unset"}, "two writers are not followed; a warning may be cautious"


def test_an_all_join_has_what_each_of_its_sources_set():
    nodes = [
        node("p", "parallel"),
        put("a", "x", parent="p"),
        put("b", "y", parent="p"),
        say("j", ["$x", "$y"], parent="p", join="all"),
    ]
    assert warnings(flow(nodes, [edge("a", "j"), edge("b", "j")])) == set()


# --- declared reads and reserved names ------------------------------------------------------------------


def test_declared_inputs_are_a_contract():
    good = chain(put("a", "x"), say("b", "{{x}} {{run.id}} {{steps.a.output}}", inputs=["x"]))
    bad = chain(put("a", "x"), put("c", "z"), say("b", "{{x}} {{z}}", inputs=["x"]))
    assert codes(good) == []
    assert codes(bad) == ["undeclared_read"]


def test_an_item_is_no_state_key_and_need_not_be_declared():
    loop = node("l", "for_each", config={"items": 3})
    assert codes(chain(loop, say("a", "{{item}}", parent="l", inputs=[]))) == []


@pytest.mark.parametrize("name", ["inputs", "steps", "policy", "run", "true", "__proto__"])
def test_no_state_key_is_called_like_a_root(name: str):
    assert "reserved_name" in codes(chain(put("a", name)))
    assert "reserved_name" in codes(chain(say("a", "x", output_variable=name)))
    assert "reserved_name" in codes(chain(node("a"), inputs=[{"name": name, "type": "number"}]))
    assert "reserved_name" in codes(chain(node("a"), state={"properties": {name: {}}}))
    assert "reserved_name" in codes(chain(node("l", "for_each", config={"items": 1, "item_variable": name})))


@pytest.mark.parametrize("name", ["output", "error", "args", "done", "item"])
def test_a_state_key_may_be_called_like_what_edges_see(name: str):
    assert codes(chain(put("a", name), say("b", "{{" + name + "}}"))) == []


def test_the_attempt_is_refused_in_what_an_attempt_repeats():
    call = {"tool": "t", "arguments": {"n": "{{run.attempt}}"}}
    assert codes(chain(node("a", "tool_call", config=call))) == ["template_invalid"]
    assert codes(chain(node("a", "llm_call", config={"prompt": "{{run}}"}))) == ["template_invalid"]
    assert codes(chain(node("a", "tool_call", config={"tool": "t", "arguments": {"n": "{{run.visit}}"}}))) == []
    assert codes(chain(say("a", "{{run.attempt}}"))) == []


def test_every_broken_template_is_reported_at_its_place():
    document = chain(say("a", ["{{", "fine", "{{a"]))
    assert [found.path for found in problems(document)] == [
        "/nodes/0/config/fields/text/0",
        "/nodes/0/config/fields/text/2",
    ]
    assert codes(document) == ["template_invalid"] * 2
