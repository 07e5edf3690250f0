"""Which names can be read where: the same answers as the checks give, with types and certainty."""

from __future__ import annotations

from typing import Any

import pytest

from editor.language.catalog import StaticCatalog, ToolSpec
from editor.language.schema import parse_document
from editor.language.validation import Spot, VisibleName, visible_names
from tests.unit.language.documents import EMPTY, edge, flow, node, problems, put, say


def names(document: dict[str, Any], catalog: Any = EMPTY, **spot: Any) -> dict[str, VisibleName]:
    found = visible_names(parse_document(document), catalog, Spot(**spot))
    assert found is not None
    return {one.name: one for one in found}


BRANCHED = flow(
    [node("begin"), put("a", "x", 3), put("b", "y", "text"), say("then", "{{x}}"), put("never", "z")],
    [edge("begin", "a", when="q == 'a'"), edge("begin", "b"), edge("a", "then"), edge("b", "then")],
    inputs=[{"name": "q", "type": "short_text", "required": True}, {"name": "maybe", "type": "integer"}],
    state={"type": "object", "properties": {"declared": {"type": ["string", "null"], "description": "Said so."}}},
    start="begin",
)


def test_says_what_can_have_a_value_and_what_surely_has_one():
    found = names(BRANCHED, node="then")
    assert {name: one.is_certain for name, one in found.items() if one.kind in ("input", "state")} == {
        "q": True,
        "maybe": False,
        "x": False,
        "y": False,
        "declared": False,
    }
    assert "z" not in found and "steps.never.output" not in found
    assert found["x"].sources == ("a",)
    assert found["declared"].description == "Said so."


def test_types_come_from_inputs_the_state_schema_and_what_nodes_give():
    found = {name: one.as_json()["type"] for name, one in names(BRANCHED, node="then").items()}
    assert found["maybe"] == "whole number"
    assert found["x"] == "whole number"
    assert found["y"] == "text"
    assert found["declared"] == "text or null"
    assert found["steps.begin.output"] == "any"
    assert found["run"] == "object"


def test_before_the_first_node_nothing_has_run():
    found = names(BRANCHED, node="begin")
    assert set(found) == {"q", "maybe", "declared", "inputs", "policy", "run"}


def test_an_edge_sees_what_its_source_gave():
    document = flow(
        [node("ask", "llm_call", config={"prompt": "p"}), say("b", "x"), say("c", "x")],
        [{"id": "good", **edge("ask", "b")}, {"id": "bad", **edge("ask", "c", on="error")}],
    )
    good, bad = names(document, edge="good"), names(document, edge="bad")
    assert good["output"].schema == {"type": "string"} and "error" not in good
    assert set(bad["error"].schema["properties"]) == {"code", "message", "details"}
    assert not bad["output"].is_certain
    assert good["steps.ask.output"].is_certain and "steps.ask.error" in good


def test_items_are_seen_inside_their_loop_only():
    loop = node("loop", "for_each", config={"items": 3, "item_variable": "n", "stop_when": "done > 1"})
    document = flow([loop, say("inside", "{{n}}", parent="loop"), say("after", "x")], [edge("loop", "after")])
    inside = names(document, node="inside")
    assert inside["n"].schema == {"type": "integer"} and inside["index"].is_certain
    assert not {"n", "index"} & set(names(document, node="after"))
    within = names(document, node="loop", field="/config/stop_when")
    assert {"n", "index", "output", "done", "steps.inside.output"} <= set(within)
    assert "done" not in names(document, node="loop", field="/config/items")


def test_a_rule_sees_the_arguments_of_its_tool():
    schema = {"type": "object", "properties": {"amount": {"type": "number"}}}
    catalog = StaticCatalog(tool_specs={"pay": ToolSpec("pay", "Pays.", schema)})
    document = flow([node("a")], permissions={"rules": [{"tool": "pay", "effect": "ask"}]})
    assert [one.schema for one in names(document, catalog, rule=0).values()] == [schema]
    assert visible_names(parse_document(document), catalog, Spot(rule=1)) is None


def test_modes_give_the_type_of_the_variable():
    ask = node("ask", "llm_call", config={"prompt": "p"}, output_variable="log", output_mode="append")
    found = names(flow([ask, say("b", "x")], [edge("ask", "b")]), node="b")
    assert found["log"].schema == {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize("spot", [{"node": "nowhere"}, {"edge": "nowhere"}, {}])
def test_a_place_that_is_not_there_is_none(spot: dict[str, Any]):
    assert visible_names(parse_document(BRANCHED), EMPTY, Spot(**spot)) is None


def test_broken_documents_are_read_as_far_as_they_can_be():
    circle = flow([node("a", "sequence", parent="b", config={}), node("b", "sequence", parent="a", config={})])
    assert "run" in names(circle, node="a")
    assert visible_names(parse_document({"format": 2}), EMPTY, Spot(node="a")) is None


@pytest.mark.parametrize("at", ["begin", "a", "b", "then"])
def test_every_name_that_is_offered_passes_the_check(at: str):
    for name in names(BRANCHED, node=at):
        nodes = [
            {**item, "type": "transform", "config": {"fields": {"t": f"{{{{{name}}}}}"}}} if item["id"] == at else item
            for item in BRANCHED["nodes"]
        ]
        changed = {**BRANCHED, "nodes": nodes}
        found = {one.code for one in problems(changed) if one.node == at}
        assert "unknown_variable" not in found, name
