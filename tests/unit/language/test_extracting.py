"""Cutting nodes out of a flow: what goes in and out of the sub-flow, ways out, and what cannot be cut out."""

from __future__ import annotations

from typing import Any

import pytest

from editor.language.catalog import StaticCatalog
from editor.language.expressions.paths import Path
from editor.language.extracting import Extraction, ExtractionRefusedError, extract
from editor.language.extracting.rewriting import Mention, rewrite_expression, rewrite_value

CATALOG = StaticCatalog()


def document(nodes: list[dict[str, Any]], *edges: tuple[Any, ...], **more: Any) -> dict[str, Any]:
    """A flow; an edge is source, target and what else it says."""
    wired = [{"id": f"e{n}", "source": one[0], "target": one[1], **dict(*one[2:])} for n, one in enumerate(edges)]
    return {"format": 1, "id": "whole", "name": "Whole", "nodes": nodes, "edges": wired, **more}


def compute(node: str, expression: str, **more: Any) -> dict[str, Any]:
    return {"id": node, "type": "evaluator", "config": {"expression": expression}, **more}


def cut(given: dict[str, Any], *nodes: str) -> Extraction:
    return extract(given, nodes, part_id="part", name="Part", catalog=CATALOG)


def reasons(given: dict[str, Any], *nodes: str) -> str:
    with pytest.raises(ExtractionRefusedError) as refused:
        cut(given, *nodes)
    return " ".join(one.message for one in refused.value.reasons)


def by_id(flow: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {node["id"]: node for node in flow["nodes"]}


NUMBER = [{"name": "n", "type": "number", "required": True, "description": "How many"}]
LINE = document(
    [compute("a", "n + 1"), compute("b", "steps.a.output * 2"), compute("c", "steps.b.output - n")],
    ("a", "b"),
    ("b", "c"),
    inputs=NUMBER,
)


def test_one_value_goes_out_as_it_is_and_is_read_from_the_new_node():
    made = cut(LINE, "b")
    assert by_id(made.part)["b"]["config"] == {"expression": "given.steps.a.output * 2"}
    assert by_id(made.part)["to_c"] == {
        "id": "to_c",
        "type": "end",
        "layout": {"x": 280, "y": 80},
        "config": {"value": "{{steps.b.output}}"},
    }
    assert by_id(made.document)["part"]["config"]["inputs"] == {
        "given": {"steps": {"$expr": "pick(steps, 'a'.split(','))"}}
    }
    assert by_id(made.document)["c"]["config"] == {"expression": "steps.part.output - n"}
    assert [(edge["source"], edge["target"]) for edge in made.document["edges"]] == [("a", "part"), ("part", "c")]


def test_an_input_of_the_flow_keeps_its_type_and_words():
    made = cut(LINE, "a", "b")
    assert made.part["inputs"] == NUMBER
    assert by_id(made.document)["part"]["config"]["inputs"] == {"n": "{{n}}"}
    assert "steps.a" not in str(made.document)


def test_a_state_key_is_set_in_the_flow_again_under_its_name():
    flow = document(
        [compute("a", "n", output_variable="x"), compute("b", "x + 1", output_variable="y"), compute("c", "x + y")],
        ("a", "b"),
        ("b", "c"),
        inputs=NUMBER,
    )
    assert by_id(cut(flow, "b").document)["part"]["output_variable"] == "y"
    both = cut(flow, "a", "b").document
    assert [node["id"] for node in both["nodes"]] == ["part", "part_set_1", "part_set_2", "c"]
    assert by_id(both)["part_set_1"]["config"] == {"variable": "x", "value": "{{steps.part.output.x}}"}
    assert [(edge["source"], edge["target"]) for edge in both["edges"]] == [
        ("part", "part_set_1"),
        ("part_set_1", "part_set_2"),
        ("part_set_2", "c"),
    ]


def test_ways_out_and_an_error_path_are_told_apart():
    flow = document(
        [compute("a", "n"), {"id": "mend", "type": "one_of"}, compute("low", "1"), compute("high", "2")],
        ("a", "high", {"when": "output > 5"}),
        ("a", "low"),
        ("a", "mend", {"on": "error", "label": "broken"}),
        inputs=NUMBER,
    )
    made = cut(flow, "a")
    assert [(edge["source"], edge["target"], edge.get("on"), edge.get("when")) for edge in made.part["edges"]] == [
        ("a", "to_high", None, "output > 5"),
        ("a", "to_low", None, None),
        ("a", "to_mend", "error", None),
    ]
    assert [(edge["target"], edge.get("when"), edge.get("label")) for edge in made.document["edges"]] == [
        ("high", "steps.part.output.way == 'to_high'", None),
        ("low", "steps.part.output.way == 'to_low'", None),
        ("mend", None, "broken"),
    ]


def test_policy_and_permissions_hold_in_the_sub_flow_too():
    permissions = {"rules": [{"tool": "pay_*", "effect": "ask"}]}
    made = cut({**LINE, "policy": {"max_cost_usd": 1}, "permissions": permissions}, "b")
    assert made.part["policy"] == {"max_cost_usd": 1}
    assert made.part["permissions"] == permissions


def test_a_policy_that_depends_on_the_preset_is_handed_over():
    flow = document([compute("a", "policy.share"), compute("b", "1")], ("a", "b"), policy={"share": 2})
    assert by_id(cut(flow, "a").part)["a"]["config"] == {"expression": "policy.share"}
    made = cut({**flow, "presets": [{"id": "fast", "policy": {"share": 1}}]}, "a")
    assert by_id(made.part)["a"]["config"] == {"expression": "given.policy.share"}


def test_a_node_that_names_what_it_reads_goes_on_to_do_so():
    nodes = [compute("a", "1"), compute("b", "steps.a.output + n", inputs=["n"])]
    made = cut(document(nodes, ("a", "b"), inputs=NUMBER), "b")
    assert by_id(made.part)["b"]["inputs"] == ["n", "given"]
    handed = by_id(made.document)["part"]["config"]["inputs"]
    assert handed.keys() == {"n", "given"}


def test_nothing_else_of_the_document_changes():
    nodes = [{**LINE["nodes"][0], "x-mine": {"kept": True}}, *LINE["nodes"][1:], {"id": "odd", "type": "unheard_of"}]
    given = {**LINE, "nodes": nodes, "x-more": [1]}
    made = cut(given, "b").document
    assert made["x-more"] == [1]
    assert made["nodes"][0] == nodes[0]
    assert made["nodes"][-1] == nodes[-1]


def test_what_cannot_be_cut_out_says_why():
    two = document([compute("a", "1"), compute("b", "2"), compute("c", "3")], ("a", "b"), ("a", "c", {"on": "error"}))
    assert "Paths come in at" in reasons(two, "b", "c")
    inner = document([{"id": "box", "type": "sequence"}, compute("in", "1", parent="box"), compute("out", "2")])
    assert "different containers" in reasons(inner, "in", "out")
    ends = document([{"id": "r", "type": "return", "config": {"value": 1}}])
    assert "ends the whole run" in reasons(ends, "r")
    signal = document([{"id": "w", "type": "wait", "config": {"signal": "go"}}])
    assert "signal to this run" in reasons(signal, "w")
    assert "no node 'nobody'" in reasons(LINE, "nobody")
    assert "Choose at least one node" in reasons(LINE)
    maybe = document(
        [{"id": "w", "type": "one_of"}, compute("a", "1", output_variable="x"), compute("b", "x == null")],
        ("w", "a", {"when": "n > 1"}),
        ("w", "b"),
        ("a", "b"),
        inputs=NUMBER,
    )
    assert "'x' may have no value" in reasons(maybe, "b")
    assert "'x' may not be set by them" in reasons(maybe, "w", "a")


def test_half_a_fan_out_and_half_a_merge_are_refused():
    fan = document(
        [
            {"id": "f", "type": "one_of", "read_only": True, "fan_out": True, "synthesis": "s"},
            compute("a", "1"),
            compute("b", "2"),
            {"id": "s", "type": "one_of"},
        ],
        ("f", "a"),
        ("f", "b"),
        ("a", "s"),
        ("b", "s"),
    )
    assert "choose all of its branches" in reasons(fan, "f", "a", "b")
    assert "Paths come in at" in reasons(fan, "a", "s")
    assert by_id(cut(fan, "f", "a", "b", "s").part).keys() >= {"f", "a", "b", "s"}
    assert "steps" not in str(cut(fan, "a").document)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("steps.a.output.x > 1", "given.steps.a.output.x > 1"),
        ("steps['a'].output[0]", "given.steps.a.output[0]"),
        ("'{{steps.a.output}}' == 'steps.a'", "'{{given.steps.a.output}}' == 'steps.a'"),
        ("x.steps.a && {{ steps.a.error }}", "x.steps.a && {{given.steps.a.error}}"),
        ("steps[name].output", "steps[name].output"),
        ("not ( an expression", "not ( an expression"),
    ],
)
def test_places_are_found_where_they_are_read(text: str, written: str):
    def change(mention: Mention) -> tuple[int, Path] | None:
        return (1, Path("given", ("steps", "a"))) if mention.keys[:1] == ("a",) and mention.root == "steps" else None

    assert rewrite_expression(text, change) == written
    value = {"a": ["$steps", "{{steps.a.output}} of {{'{{'}}", {"$expr": text}], "n": 1}
    wanted = {"a": ["$steps", "{{given.steps.a.output}} of {{'{{'}}", {"$expr": written}], "n": 1}
    assert rewrite_value(value, change) == wanted


def test_a_long_id_of_the_sub_flow_gives_each_new_node_an_id_of_its_own():
    flow = document(
        [compute("a", "n", output_variable="x"), compute("b", "x + 1", output_variable="y"), compute("c", "x + y")],
        ("a", "b"),
        ("b", "c"),
        inputs=NUMBER,
    )
    made = extract(flow, ["a", "b"], part_id="p" * 60, name="Part", catalog=CATALOG)
    assert len(by_id(made.document)) == len(made.document["nodes"]) == 4


def test_what_a_sub_flow_gives_is_not_shown_where_a_sensitive_key_is_set_in_it():
    state = {"properties": {"token": {"type": "string", "x-sensitive": True}}}
    nodes = [
        compute("a", "'t0k3n'", output_variable="token"),
        compute("b", "1"),
        compute("c", "token + steps.b.output"),
    ]
    flow = document(nodes, ("a", "b"), ("b", "c"), state=state)
    assert "which is sensitive" in reasons(flow, "a", "b")
    assert by_id(cut(flow, "a").document)["part"]["output_variable"] == "token"
