"""A flow in plain words and as a picture: the samples, the patterns, and documents with faults."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editor.language.describing import describe, picture_of
from editor.language.schema import parse_document
from tests.unit.language.documents import edge, flow, node, put

ROOT = Path(__file__).parents[3]
SAMPLES = sorted((ROOT / "runner/samples/flows").glob("*.json"))
PATTERNS = sorted((ROOT / "tests/conformance/patterns").glob("*.json"))


def text_of(document: dict) -> str:
    return describe(parse_document(document)).as_text()


@pytest.mark.parametrize("path", [*SAMPLES, *PATTERNS], ids=lambda path: path.stem)
def test_every_node_is_described_once_and_always_alike(path: Path):
    found = json.loads(path.read_text())
    document = found if "nodes" in found else found["flow"]
    described = describe(parse_document(document))
    assert sorted(one.node for one in described.steps) == sorted(one["id"] for one in document["nodes"])
    assert described == describe(parse_document(json.loads(json.dumps(document))))
    assert all(one.text.endswith((".", "…")) and ".." not in one.text.replace("…", "") for one in described.steps)


def test_the_sample_is_told_as_a_person_would():
    text = text_of(json.loads((ROOT / "runner/samples/flows/invoice_approval.json").read_text()))
    for said in (
        "It is given file (optional), csv_text (optional) and limit (optional).",
        "It asks a person before it calls pay_* where args.amount > args.review_above.",
        "It hands over Invoice report (markdown).",
        "- For each invoice: Does what is below it for each item of batch.invoices, called invoice.",
        "  - Valid?: Decides how to go on. If check.valid (valid), it goes on with “Pay invoice”. "
        "Otherwise it goes on with “Note: invalid”.",
        "On an error, it goes on with “Note: not paid”. If it is rejected, it goes on with “Note: rejected”.",
    ):
        assert said in text


def test_what_a_node_waits_for_tries_again_and_how_long_it_may_take():
    waits = node(
        "w", "wait", config={"signal": "paid"}, timeout_ms=172_800_000, retry={"max_attempts": 2}, join="active"
    )
    assert text_of(flow([put("a", "x"), waits], [edge("a", "w")])).endswith(
        "- w: Waits for all paths that were taken. Waits for the signal paid. If it fails, it is tried up to 2 times. "
        "It may take 2 days."
    )
    off = put("a", "x", enabled=False)
    assert "Is switched off, and passed through." in text_of(flow([off]))


def test_a_document_with_faults_is_described_as_far_as_it_can_be_read():
    assert text_of({"format": 2}) == "The document cannot be read."
    circles = [node("p", "sequence", parent="q"), node("q", "sequence", parent="p"), node("x", "of_tomorrow")]
    told = text_of(flow(circles))
    assert "Does something that cannot be read (of_tomorrow)." in told and told.count("- ") == 3
    assert "sets" not in text_of(flow([node("a", "set_variable", config={"nothing": 1})]))


def test_a_picture_holds_every_box_and_a_frame_what_stands_in_it():
    places = [put("a", "x", layout={"x": 0, "y": 0}), node("s", "sequence", layout={"x": 300, "y": 0})]
    inner = put("b", "y", parent="s", layout={"x": 40, "y": 60})
    document = flow([*places, inner], [edge("a", "s", when="x > 1")])
    parsed = parse_document(document).definition
    assert parsed is not None
    picture = picture_of(parsed)
    assert picture is not None
    frame, *cards = picture.boxes
    assert (frame.node, frame.frame) == ("s", True) and {one.node for one in cards} == {"a", "b"}
    child = next(one for one in cards if one.node == "b")
    assert frame.x < child.x and child.x + child.width < frame.x + frame.width < picture.width
    assert [wire.label for wire in picture.wires] == ["x > 1"]
    bare = parse_document(flow([put("a", "x")])).definition
    assert bare is not None and picture_of(bare) is None
