"""Reading flow-test files: what is refused, and how it is told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runner.simulation.flow_test_file import FlowTestError, micros, read_flow_test

GOOD: dict[str, Any] = {"name": "n", "flow": {"format": 1}, "expect": {"status": "succeeded"}}


def fault(**changes: Any) -> str:
    with pytest.raises(FlowTestError) as caught:
        read_flow_test(json.dumps(GOOD | changes), "file.json")
    return str(caught.value)


def test_a_small_file_is_read() -> None:
    test = read_flow_test(json.dumps(GOOD), "file.json")
    assert (test.name, test.expect.status, test.inputs) == ("n", "succeeded", {})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"expects": {}}, "expects: there is no such key"),
        ({"expect": {"stauts": "failed"}}, "expect.stauts: there is no such key"),
        ({"replies": {"t": [{"resutl": 1}]}}, r"replies.t[0].resutl: there is no such key"),
        ({"replies": {"t": [{"text": "x"}]}}, "a reply of 't' has no 'text'"),
        ({"replies": {"llm:a": [{"result": 1}]}}, "a reply of 'llm:a' has no 'result'"),
        ({"replies": {"handler:a": [{"result": 1}]}}, "a reply of 'handler:a' has no 'result'"),
        ({"replies": {"t": []}}, "the list of replies is empty"),
        ({"replies": {"t": [{"after_ms": -1}]}}, "replies.t[0].after_ms"),
        ({"tools": {"t": {"needs_aproval": True}}}, "tools.t.needs_aproval: there is no such key"),
        ({"decisions": [{"step": "a"}]}, "decisions[0].approve"),
        ({"actions": [{"when": "step-strat a", "do": "cancel"}]}, "there is no event type 'step-strat'"),
        ({"actions": [{"when": "step-start a x", "do": "cancel"}]}, "is not TYPE PATH [ATTEMPT]"),
        ({"actions": [{"when": "flow-start", "do": "signal"}]}, "signal needs `key`"),
        ({"actions": [{"when": "flow-start", "do": "retry_step"}]}, "retry_step needs `step`"),
        ({"expect": {"usage": {"euros": 1}}}, "expect.usage"),
    ],
)
def test_a_fault_is_told_with_its_place(changes: dict[str, Any], told: str) -> None:
    assert told in fault(**changes)


def test_every_fault_is_told_not_the_first_one() -> None:
    message = fault(expects={}, replies={"t": [{"a": 1}]}, decisions=[{}])
    assert message.count("\n") >= 4


def test_broken_json_and_flow_documents_are_told_apart() -> None:
    with pytest.raises(FlowTestError, match="line 1") as broken:
        read_flow_test('{"name": }', "file.json")
    with pytest.raises(FlowTestError, match="is a flow document") as document:
        read_flow_test('{"format": 1, "nodes": []}', "file.json")
    assert (broken.value.is_document, document.value.is_document) == (False, True)


@pytest.mark.parametrize(
    ("dollars", "expected"),
    [(0.001, 1000), (0.3, 300_000), (1, 1_000_000), (0.0000005, 0), (0.0000015, 2), (0.1 + 0.2, 300_000)],
)
def test_money_is_exact_in_micro_dollars(dollars: float, expected: int) -> None:
    assert micros(dollars) == expected
