"""Reading and writing documents, their hashes, and the JSON Schema of documents."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from editor.language.json_gate import JsonLimits
from editor.language.nodes import NODE_TYPES
from editor.language.schema import (
    DocumentLimits,
    content_hash,
    document_json_schema,
    document_text,
    logic_hash,
    parse_document,
    structure_hash,
    to_json,
)
from tests.unit.language.documents import edge, flow, node, put

FOLDER = Path(__file__).parents[2] / "conformance"
DOCUMENTS = {path.stem: json.loads(path.read_text())["flow"] for path in sorted(FOLDER.glob("flows*/*.json"))}
SCHEMA = document_json_schema()


def definition(document: dict[str, Any]) -> Any:
    parsed = parse_document(document)
    assert parsed.definition is not None, parsed.problems
    return parsed.definition


def told(document: Any) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in parse_document(document).problems]


# --- reading --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["", "{", "[1,]", b"\xff", '{"format": 1, "format": 1}', '{"format": NaN}', "nul"])
def test_broken_json_is_one_problem_of_the_whole(source: str | bytes):
    assert told(source) == [("config_invalid", "")]


def test_what_is_no_object_is_no_document():
    assert told("[]") == [("config_invalid", "")]


@pytest.mark.parametrize("given", [None, 2, "1", True, 1.5])
def test_another_format_is_refused_before_anything_else(given: object):
    assert told({"format": given, "nonsense": 1}) == [("format_unsupported", "/format")]


def test_format_1_may_be_written_as_a_float():
    assert definition({**flow([node("a")]), "format": 1.0}).format == 1


def test_deep_nesting_gets_a_clear_problem():
    assert told("[" * 100_000) == [("config_invalid", "")]
    assert "deeper than 64" in parse_document('{"a":' * 100_000).problems[0].message


def test_a_document_over_its_limits_is_refused():
    limits = DocumentLimits(json=JsonLimits(max_bytes=500), nodes=3)
    big = parse_document(json.dumps(flow([put("a", "x", "y" * 600)])), limits=limits)
    assert "larger than 500 bytes" in big.problems[0].message
    many = parse_document(flow([node(f"n{number}") for number in range(4)]), limits=limits)
    assert [problem.path for problem in many.problems] == ["/nodes"]


def test_every_fault_is_told_at_its_place():
    document = flow(
        [
            node("a", "tool_call", config={"tool": 5, "argz": {}}),
            node("b", retry={"max_attempts": 0, "backoff_ms": -1}, timeout_ms="long", join="both"),
            node("c d"),
            node("e", "wait", config={"duration_ms": 5, "signal": "x"}),
            5,
        ],
        [edge("a", "b", "sucess"), {"source": "a"}],
        inputs=[{"name": "x", "type": "text"}],
        policy={"max_steps": 0},
        permissions={"rules": [{"tool": "a", "effect": "permit"}]},
        colour="red",
    )
    assert sorted(told(document)) == sorted(
        [
            ("config_invalid", "/nodes/0/config/tool"),
            ("config_invalid", "/nodes/0/config/argz"),
            ("retry_invalid", "/nodes/1/retry/max_attempts"),
            ("retry_invalid", "/nodes/1/retry/backoff_ms"),
            ("timeout_invalid", "/nodes/1/timeout_ms"),
            ("config_invalid", "/nodes/1/join"),
            ("config_invalid", "/nodes/2/id"),
            ("config_invalid", "/nodes/3/config"),
            ("config_invalid", "/nodes/4"),
            ("config_invalid", "/edges/0/on"),
            ("config_invalid", "/edges/1/target"),
            ("config_invalid", "/inputs/0/type"),
            ("config_invalid", "/policy/max_steps"),
            ("config_invalid", "/permissions/rules/0/effect"),
            ("config_invalid", "/colour"),
        ]
    )


def test_what_is_readable_stays_readable():
    parsed = parse_document(flow([node("a", timeout_ms=-1), node("b", "nonsense")], [edge("a", "b", when=5)]))
    assert parsed.definition is None
    assert parsed.partial is not None
    assert [one.id for one in parsed.partial.nodes] == ["a", "b"]
    assert [(one.source, one.when) for one in parsed.partial.edges] == [("a", None)]


def test_a_node_type_that_is_no_text_is_unknown():
    document = flow([node("a", {}), node("b", None), {"id": "c"}])
    assert told(document) == [("unknown_type", f"/nodes/{place}/type") for place in range(3)]


def test_null_does_not_stand_for_leaving_out():
    assert told(flow([node("a", parent=None)])) == [("config_invalid", "/nodes/0/parent")]
    assert told(flow([put("a", "x", None)])) == []


@pytest.mark.parametrize("wrong", ["5", True, 1.5])
def test_types_are_strict(wrong: object):
    assert told(flow([node("a", max_visits=wrong)])) == [("config_invalid", "/nodes/0/max_visits")]


def test_only_a_handler_has_writes():
    assert told(flow([node("a", writes=["x"])])) == [("config_invalid", "/nodes/0/writes")]
    assert told(flow([node("a", "handler", config={"handler": "h"}, writes=["x"])])) == []


def test_edges_get_ids_that_are_not_taken():
    document = flow([node("a"), node("b")], [edge("a", "b"), {**edge("a", "b"), "id": "e2"}, edge("a", "b")])
    assert [one.id for one in definition(document).edges] == ["e1", "e2", "e3"]


def test_ids_are_unique():
    document = flow([node("a"), node("a")], [{**edge("a", "a"), "id": "x"}, {**edge("a", "a"), "id": "x"}])
    assert told(document) == [("duplicate_id", "/nodes/1/id"), ("duplicate_id", "/edges/1/id")]


def test_position_is_accepted_for_layout():
    read = definition(flow([node("a", position={"x": 1, "y": 2.5})]))
    assert read.nodes[0].layout.y == 2.5
    assert told(flow([node("a", position={"x": 1, "y": "2"})])) == [("config_invalid", "/nodes/0/position/y")]
    both = node("a", position={"x": 1, "y": 2}, layout={"x": 1, "y": 2})
    assert told(flow([both])) == [("config_invalid", "/nodes/0/position")]


def test_a_plain_number_as_budget_means_units():
    read = definition(flow([node("a", budget=5), node("b", budget={"cost_usd": 0.1})], [edge("a", "b")]))
    assert read.nodes[0].budget.units == 5
    assert read.nodes[1].budget.cost_micros == 100_000


def test_the_backend_is_the_types_unless_the_node_says_otherwise():
    document = flow([node("a", "llm_call", config={"prompt": "x"}), node("b", backend="host"), node("c")])
    assert [one.backend for one in definition(document).nodes] == ["provider", "host", "inline"]


@pytest.mark.parametrize(("attempt", "delay"), [(1, 500), (2, 1000), (3, 1500), (4, 1500), (200, 1500)])
def test_waits_between_attempts_double_up_to_their_cap(attempt: int, delay: int):
    retry = {"max_attempts": 9, "backoff_ms": 500, "max_backoff_ms": 1500}
    assert definition(flow([node("a", retry=retry)])).nodes[0].retry.delay_ms(attempt) == delay


def test_a_wait_without_cap_stays_within_what_a_timer_holds():
    retry = definition(flow([node("a", retry={"max_attempts": 500, "backoff_ms": 1000})])).nodes[0].retry
    assert retry.delay_ms(3) == 4000
    assert retry.delay_ms(400) < 2**63


@pytest.mark.parametrize(
    ("on", "code", "expected"),
    [
        (None, "tool_failed", True),
        (None, "tool_denied", False),
        (["tool_*"], "tool_failed", True),
        (["tool_*"], "tool_denied", False),
        (["operation_timeout"], "tool_failed", False),
        (["operation_timeout"], "operation_timeout", True),
    ],
)
def test_a_retry_covers_the_codes_it_names(on: list[str] | None, code: str, expected: bool):
    retry = {"max_attempts": 2} | ({"on": on} if on else {})
    assert definition(flow([node("a", retry=retry)])).nodes[0].retry.covers(code) is expected


@pytest.mark.parametrize(("share", "allowed"), [(2, 2), ("10%", 3), ("0%", 0), ("12.5%", 4), ("100%", 39)])
def test_failed_items_are_counted_or_shared(share: object, allowed: int):
    config = definition(flow([node("a", "for_each", config={"items": 39, "max_failed": share})])).nodes[0].config
    assert config.allowed_failures(39) == allowed


@pytest.mark.parametrize("share", ["10", "110%", "-1%", -1, "%"])
def test_a_share_is_a_percentage(share: object):
    assert told(flow([node("a", "for_each", config={"items": 1, "max_failed": share})])) == [
        ("config_invalid", "/nodes/0/config/max_failed")
    ]


@pytest.mark.parametrize(
    ("type_", "config", "is_fine"),
    [
        ("wait", {"until": "2030-01-31T08:00:00+01:00"}, True),
        ("wait", {"until": "{{due}}"}, True),
        ("wait", {"until": "2030-01-31T08:00:00"}, False),
        ("wait", {"duration_ms": -1}, False),
        ("wait", {"duration_ms": "soon"}, False),
        ("wait", {"signal": "s", "fresh": True}, True),
        ("wait", {"duration_ms": 1, "fresh": True}, False),
        ("wait", {}, False),
        ("throw", {}, True),
        ("throw", {"code": "out_of_stock"}, True),
        ("throw", {"code": "flow_error"}, True),
        ("throw", {"code": "tool_failed"}, False),
        ("throw", {"code": "Out Of Stock"}, False),
        ("agent", {"prompt": "x"}, False),
        ("agent", {"prompt": "x", "skill": "s", "instructions": "i"}, False),
        ("subflow", {"flow": "f", "version": "latest"}, False),
        ("subflow", {"flow": "f", "version": "self"}, True),
        ("for_each", {"items": True}, False),
        ("for_each", {"items": [], "concurrency": 0}, False),
        ("for_each", {"items": [], "concurrency": 101}, False),
        ("llm_call", {"prompt": {"$expr": "x"}}, True),
        ("llm_call", {"prompt": {"other": "x"}}, False),
        ("verifier", {"checks": {"a": 1}}, False),
    ],
)
def test_configs_are_as_their_type_asks(type_: str, config: dict[str, Any], is_fine: bool):
    assert (told(flow([node("a", type_, config=config)])) == []) is is_fine


# --- writing and hashes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, document in DOCUMENTS.items() if parse_document(document).definition])
def test_a_document_that_is_written_reads_the_same(name: str):
    first = definition(DOCUMENTS[name])
    assert definition(to_json(first)) == first
    assert document_text(definition(json.loads(document_text(first)))) == document_text(first)


def test_keys_of_ones_own_are_kept_everywhere():
    document = flow(
        [put("a", "x", {"x-": 1}, **{"x-note": 1}), node("b", "end", config={"x-c": 3})],
        [{**edge("a", "b"), "x-e": 2}],
        **{"x-top": {"deep": [1]}, "policy": {"x-p": 1, "tone": "dry"}},
    )
    written = to_json(definition(document))
    assert written["x-top"] == {"deep": [1]}
    assert written["nodes"][0]["x-note"] == 1
    assert written["nodes"][0]["config"]["value"] == {"x-": 1}
    assert written["edges"][0]["x-e"] == 2
    assert definition(document).policy.values == {"tone": "dry"}


def changed(change: Any) -> tuple[bool, bool, bool]:
    """Whether a change to a flow changes its content, logic and structure hash."""
    base = flow(
        [
            node("p", "parallel", name="Both", config={"concurrency": 2}),
            node("a", "tool_call", config={"tool": "t", "arguments": {"n": 1}}, parent="p", output_variable="x"),
            node("b", "approval", config={"title": "?", "form": {"type": "object"}}, parent="p"),
            node("l", "for_each", config={"items": "xs"}),
        ],
        [edge("p", "l", when="x > 1")],
        inputs=[{"name": "xs", "type": "list"}],
    )
    other = copy.deepcopy(base)
    change(other)
    one, two = definition(base), definition(other)
    return tuple(make(one) != make(two) for make in (content_hash, logic_hash, structure_hash))  # type: ignore[return-value]


FOR_PEOPLE = (True, False, False)
LOGIC = (True, True, False)
STRUCTURE = (True, True, True)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda d: None, (False, False, False)),
        (lambda d: d.update(name="Other"), FOR_PEOPLE),
        (lambda d: d.update(description="Other"), FOR_PEOPLE),
        (lambda d: d["nodes"][0].update(name="Other", notes="n", layout={"x": 1, "y": 2}), FOR_PEOPLE),
        (lambda d: d["nodes"][0]["config"].update({"x-c": 1}), FOR_PEOPLE),
        (lambda d: d["edges"][0].update(label="yes"), FOR_PEOPLE),
        (lambda d: d["inputs"][0].update(description="The list"), FOR_PEOPLE),
        (lambda d: d["inputs"][0].update(required=True), LOGIC),
        (lambda d: d["edges"][0].update(when="x > 2"), LOGIC),
        (lambda d: d["nodes"][1]["config"]["arguments"].update(n=2), LOGIC),
        (lambda d: d["nodes"][1].update(timeout_ms=5), LOGIC),
        (lambda d: d.update(policy={"max_steps": 5}), LOGIC),
        (lambda d: d["nodes"][1]["config"].update(tool="u"), STRUCTURE),
        (lambda d: d["nodes"][1].update(output_variable="y"), STRUCTURE),
        (lambda d: d["nodes"][1].update(output_mode="append"), STRUCTURE),
        (lambda d: d["nodes"][2]["config"].update(form={"type": "object", "required": []}), STRUCTURE),
        (lambda d: d["nodes"][0]["config"].update(concurrency=3), STRUCTURE),
        (lambda d: d["nodes"][0]["config"].update(stop_when="done > 0"), STRUCTURE),
        (lambda d: d["nodes"][3]["config"].update(items=[1]), STRUCTURE),
        (lambda d: d["nodes"][3].update(join="any"), STRUCTURE),
        (lambda d: d["edges"][0].update(on="error"), STRUCTURE),
        (lambda d: d["nodes"].reverse(), STRUCTURE),
        (lambda d: d["nodes"].append(node("z", parent="p")), STRUCTURE),
    ],
)
def test_each_hash_covers_what_it_is_for(change: Any, expected: tuple[bool, bool, bool]):
    assert changed(change) == expected


def test_hashes_carry_the_version_of_their_recipe():
    read = definition(flow([node("a")]))
    for make in (content_hash, logic_hash, structure_hash):
        tag, _, rest = make(read).partition(":")
        assert (tag, len(rest)) == ("v1", 64)


def test_naming_the_start_that_was_implied_keeps_the_structure():
    implied, named = (
        flow([node("a"), node("b")], [edge("a", "b")]),
        flow([node("a"), node("b")], [edge("a", "b")], start="a"),
    )
    assert structure_hash(definition(implied)) == structure_hash(definition(named))


# --- the JSON Schema of documents -----------------------------------------------------------------------


def test_the_schema_is_one_and_names_every_node_type():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert {f"node_{name}" for name in NODE_TYPES} <= SCHEMA["$defs"].keys()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_schema_and_the_reader_agree(name: str):
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert validator.is_valid(DOCUMENTS[name]) == (
        parse_document(DOCUMENTS[name]).definition is not None or name == "duplicate"
    )


@pytest.mark.parametrize(
    "document",
    [
        flow([node("a", budget=5, position={"x": 1, "y": 2}, **{"x-mine": 1})]),
        flow([node("a", budget="5")]),
        flow([node("a", parent=None)]),
        flow([node("a", colour="red")]),
        flow([node("a", "tool_call")]),
        flow([node("a", "throw")]),
        flow([node("a", "llm_call", config={"prompt": {"$expr": "x"}})]),
        flow([node("a", "llm_call", config={"prompt": {"$expr": "x", "more": 1}})]),
        flow([node("a", join=0)]),
        flow([node("a")], policy={"own": None, "max_steps": 5}),
        flow([node("a")], policy={"max_steps": "5"}),
    ],
)
def test_the_schema_and_the_reader_agree_on_details(document: dict[str, Any]):
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert validator.is_valid(document) == (parse_document(document).definition is not None)
