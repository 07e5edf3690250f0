"""What holds for every format: recognising, ids, texts, and that no document, however broken, is too much."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editor.language.catalog import StaticCatalog
from editor.language.document import NODE_ID_PATTERN, SLUG_PATTERN
from editor.language.expressions import compile_text
from editor.language.formats import FORMATS, OWN, detect, read_any
from editor.language.formats.ids import Names, node_id, slug
from editor.language.formats.texts import literal_braces
from editor.language.json_gate import clean_json, pointer
from editor.language.schema import document_text, parse_document
from editor.language.validation import check

HERE = Path(__file__).parent
EXAMPLES = [json.loads(path.read_text())["document"] for path in sorted((HERE / "examples").glob("*.json"))]
FLOWS = sorted((HERE.parents[2] / "conformance" / "flows").glob("*.json"))
JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    "",
    "x",
    "{{a",
    "$expr",
    [],
    {},
    [1],
    {"a": 1},
    {"$expr": "1 +"},
    [[]],
    "TERMINAL",
]


# --- recognising ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ({"stateSchema": {}, "startStep": "a", "steps": {"a": {}}}, "steps"),
        ({"steps": {}}, "steps"),
        ({"steps": [], "edges": []}, "graph"),
        ({"steps": []}, "graph"),
        ({"flow": {"type": "llmCall"}}, "node_tree"),
        ({"type": "sequence", "steps": []}, "node_tree"),
        ({"type": "throw"}, "node_tree"),
        ({"format": 1, "id": "a", "nodes": []}, None),
        ({"format": 2, "steps": []}, None),
        ({"nodes": [], "edges": [], "flow": {"type": "llmCall"}}, None),
        ({"type": "object"}, None),
        ({"flow": "triage"}, None),
        ({}, None),
    ],
)
def test_each_document_has_one_format(raw: dict[str, Any], name: str | None) -> None:
    found = detect(raw)
    assert (found.name if found else None) == name
    if "format" not in raw and "nodes" not in raw:
        assert [known.name for known in FORMATS if known.recognises(raw)] == ([name] if name else [])
    assert read_any(raw).format == (name or OWN)


@pytest.mark.parametrize("path", FLOWS, ids=lambda path: path.stem)
def test_our_own_form_comes_back_byte_for_byte(path: Path) -> None:
    document = json.loads(path.read_text())["flow"]
    found = read_any(document)
    assert (found.format, found.imported.losses) == (OWN, ())
    definition = parse_document(found.imported.document).definition
    if definition is None:
        return
    normal = document_text(definition)
    again = read_any(json.loads(json.dumps(json.loads(normal), indent=2)))
    definition = parse_document(again.imported.document).definition
    assert definition is not None
    assert document_text(definition) == normal


# --- ids and texts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "node", "flow"),
    [
        ("a", "a", "a"),
        ("step-1", "step_1", "step-1"),
        ("1st", "_1st", "st"),
        ("Über uns", "_ber_uns", "ber_uns"),
        ("---", "___", None),
        ("", "step", None),
        ("x" * 80, "x" * 63, "x" * 63),
    ],
)
def test_ids_are_made_to_fit(text: str, node: str, flow: str | None) -> None:
    assert (node_id(text), slug(text)) == (node, flow)
    assert re.fullmatch(NODE_ID_PATTERN, node)
    assert flow is None or re.fullmatch(SLUG_PATTERN, flow)


def test_ids_are_given_once() -> None:
    names = Names()
    assert [names.fit("x" * 70), names.fit("x" * 70), names.fit("x" * 63)] == [
        "x" * 63,
        "x" * 61 + "_2",
        "x" * 61 + "_3",
    ]
    assert [names.numbered("s"), names.fit("s_2"), names.numbered("s", {"s_3"}), names.fit("s_4")] == [
        "s_1",
        "s_2",
        "s_4",
        "s_4_2",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "{{",
        "a {{ b",
        "{{}}",
        '{{"a": 1}}',
        "{{{",
        "{{ two words }}",
        "{{'{{'}}",
        "{{a..b}}",
        "{{constructor}}",
    ],
)
def test_a_text_without_placeholders_says_the_same_as_before(text: str) -> None:
    assert compile_text(literal_braces(text)).render({}) == text


@pytest.mark.parametrize(
    ("text", "rendered"),
    [("{{a}}", "A"), ("{{ a }}!", "A!"), ("{{{a}}}", "{A}"), ("{{x y}} {{a}} {{", "{{x y}} A {{"), ("{{o.k}}", "K")],
)
def test_placeholders_stay_placeholders(text: str, rendered: str) -> None:
    assert compile_text(literal_braces(text)).render({"a": "A", "o": {"k": "K"}}) == rendered


# --- anything -------------------------------------------------------------------------------------------


def mutated(value: Any, chance: random.Random) -> Any:
    """The value with a few places broken."""
    if chance.random() < 0.04:
        return chance.choice(JUNK)
    if isinstance(value, dict):
        kept = {key: mutated(item, chance) for key, item in value.items() if chance.random() > 0.03}
        if chance.random() < 0.05:
            kept[chance.choice(["id", "type", "steps", "x-a", "a", "edges", "flow", "router", "waitFor", "run"])] = (
                chance.choice(JUNK)
            )
        return kept
    if isinstance(value, list):
        return [mutated(item, chance) for item in value]
    return value


@pytest.mark.parametrize("number", range(8))
def test_no_document_is_too_broken_and_none_of_its_keys_is_overlooked(number: int) -> None:
    chance = random.Random(number)
    for _ in range(120):
        raw = mutated(chance.choice(EXAMPLES), chance)
        if not isinstance(raw, dict):
            continue
        whole = {**raw, "unheard_of": 1}
        found = read_any(whole, "t")
        ours = found.imported.document
        assert clean_json(ours) == ours, raw
        check(parse_document(ours), StaticCatalog())
        if found.format == OWN:
            assert ours == whole
            continue
        assert "/unheard_of" in [loss.place for loss in found.imported.losses]
        assert parse_document({**ours, "format": 1}).raw is not None
        assert found == read_any(whole, "t")


FREE = frozenset({"stateSchema", "arguments", "policy", "fields", "checks", "value", "router", "agents"})
"""Keys whose values are the author's own: what stands in them is data, or read as a whole."""


def objects(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The places of all objects of a document whose keys belong to its format."""
    if isinstance(value, dict) and (not path or path[-1] not in FREE):
        if not (path and path[-1] == "steps"):
            yield path
        for key, item in value.items():
            if key not in FREE:
                yield from objects(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from objects(item, (*path, number))


@pytest.mark.parametrize("raw", [pytest.param(raw, id=str(number)) for number, raw in enumerate(EXAMPLES)])
def test_no_key_is_dropped_unseen_wherever_it_stands(raw: dict[str, Any]) -> None:
    for path in objects(raw):
        whole = copy.deepcopy(raw)
        here: Any = whole
        for key in path:
            here = here[key]
        here["unheardOf"] = "kept"
        found = read_any(whole, "t").imported
        assert pointer((*path, "unheardOf")) in [loss.place for loss in found.losses]
        assert '"x-unheardOf": "kept"' in json.dumps(found.document), path


def test_a_large_document_is_read_in_a_moment() -> None:
    many = 3_000
    wide = {"type": "parallel", "steps": [{"type": "end"}] * many}
    steps = {f"s{n}": {"router": f"s{n + 1}", "waitFor": {"mode": "any", "steps": ["s1"]}} for n in range(many)}
    wires = [{"from": "s0", "to": f"s{n}"} for n in range(1, many)]
    graph = {"steps": [{"id": f"s{n}", "type": "transform"} for n in range(many)], "edges": wires}
    for raw in (wide, {"steps": steps}, graph):
        assert len(read_any(raw).imported.document["nodes"]) >= many
