"""What a flow test expects against what came: each test is a sentence about `expect`."""

from __future__ import annotations

from typing import Any

import pytest

from runner.engine.events import ENGINE, Event
from runner.engine.rows import Usage
from runner.simulation.compare import differences
from runner.simulation.flow_test_file import Expect, Reply
from runner.simulation.outcome import Outcome
from runner.simulation.standins import Call


def event(text: str, seq: int = 0) -> Event:
    kind, *rest = text.split()
    path = rest[0] if rest else None
    attempt = int(rest[1]) if len(rest) > 1 else None
    return Event(kind, seq, 0, ENGINE, path, path, 1 if path else None, attempt)


def outcome(**fields: Any) -> Outcome:
    fields.setdefault("status", "succeeded")
    if "events" in fields:
        fields["events"] = [event(text, seq) for seq, text in enumerate(fields["events"], 1)]
    if "calls" in fields:
        fields["calls"] = [Call(queue, ("p", 1, 1), given, Reply(), 0, 0) for queue, given in fields["calls"]]
    return Outcome(**fields)


def told(expect: dict[str, Any], came: Outcome, **more: Any) -> list[str]:
    return differences(Expect.model_validate(expect), came, **more)


ROUTE = ["flow-start", "step-start a 1", "scope-opened a", "step-complete a 1", "edge-taken a 1", "flow-complete"]


def test_what_is_not_named_is_not_compared() -> None:
    assert told({}, outcome(state={"a": 1}, result=3, events=ROUTE, elapsed_ms=7)) == []


@pytest.mark.parametrize(
    ("expect", "came"),
    [
        ({"status": "failed"}, {"status": "succeeded"}),
        ({"state": {"a": 1}}, {"state": {"a": 1, "b": 2}}),
        ({"state": {}}, {"state": {"a": 1}}),
        ({"result": None}, {"result": 0}),
        ({"result": 1}, {"result": True}),
        ({"result": [1, 2]}, {"result": [2, 1]}),
        ({"error": {"code": "x"}}, {"error": None}),
        ({"error": {"code": "x"}}, {"error": {"code": "y", "message": "m"}}),
        ({"error": {"step": "a"}}, {"error": {"code": "y", "message": "m"}}),
        ({"artifacts": {"r": "text"}}, {"artifacts": {}}),
        ({"artifacts": {"r": "text"}}, {"artifacts": {"r": "other"}}),
        ({"calls": {"t": 0}}, {"calls": [("t", {})]}),
        ({"calls": {"t": 2}}, {"calls": [("t", {})]}),
        ({"args": {"t": [{"a": 1}, {"a": 2}]}}, {"calls": [("t", {"a": 2}), ("t", {"a": 1})]}),
        ({"prompts": {"n": ["p"]}}, {"calls": [("llm:n", "q")]}),
        ({"usage": {"cost_usd": 0.001}}, {"usage": Usage(cost_micros=1001)}),
        ({"usage": {"input_tokens": 1}}, {"usage": Usage(input_tokens=2)}),
        ({"elapsed_ms": 5}, {"elapsed_ms": 6}),
        ({"problems": ["a"]}, {"problems": ("a", "b")}),
        ({"problems": ["a", "b"]}, {"problems": ("a",)}),
        ({"problems": []}, {"problems": ("a",)}),
        ({"warnings": ["w"]}, {"warnings": ("v",)}),
        ({"events": ["step-complete a", "step-start a"]}, {"events": ROUTE}),
        ({"events": ["step-start a 2"]}, {"events": ROUTE}),
        ({"events": {"exactly": ["step-start a", "edge-taken a"]}}, {"events": ROUTE}),
        ({"events": {"exactly": ["edge-taken a", "flow-complete", "flow-complete"]}}, {"events": ROUTE}),
        ({"no_events": ["step-start a"]}, {"events": ROUTE}),
        ({"no_events": ["flow-complete"]}, {"events": ROUTE}),
    ],
)
def test_each_difference_is_told(expect: dict[str, Any], came: dict[str, Any]) -> None:
    assert len(told(expect, outcome(**came))) == 1


@pytest.mark.parametrize(
    ("expect", "came"),
    [
        ({"result": 5}, {"result": 5.0}),
        ({"state": {"b": 1, "a": 2}}, {"state": {"a": 2, "b": 1}}),
        ({"error": {"details": {"a": 1}}}, {"error": {"code": "x", "details": {"a": 1, "b": 2}}}),
        ({"usage": {"cost_usd": 0.1}}, {"usage": Usage(1, 2, 100_000)}),
        ({"warnings": ["w"]}, {"warnings": ("v", "w")}),
        ({"events": ["flow-start", "step-complete a", "flow-complete"]}, {"events": ROUTE}),
        ({"events": {"exactly": ["step-start a", "step-complete a 1", "edge-taken a"]}}, {"events": ROUTE}),
        ({"no_events": ["step-start b", "step-start a 2"]}, {"events": ROUTE}),
        ({"elapsed_ms": 5}, {"elapsed_ms": None}),
    ],
)
def test_what_matches_is_no_difference(expect: dict[str, Any], came: dict[str, Any]) -> None:
    assert told(expect, outcome(**came)) == []


def test_the_later_start_of_an_exact_list_counts_too() -> None:
    came = outcome(events=["step-start a 1", "step-retry a 1", "step-start a 1", "step-complete a 1"])
    assert told({"events": {"exactly": ["step-start a", "step-complete a"]}}, came) == []


def test_after_a_crash_neither_times_nor_detail_events_are_compared() -> None:
    expect = {"elapsed_ms": 5, "events": ["scope-joined a", "flow-complete"], "no_events": ["scope-opened a"]}
    came = outcome(events=ROUTE, elapsed_ms=9)
    assert len(told(expect, came)) == 3
    assert told(expect, came, crashed=True) == []


def test_a_missing_event_is_told_with_its_surroundings() -> None:
    (message,) = told({"events": ["step-complete a", "step-start a"]}, outcome(events=ROUTE))
    assert "step-start a did not come; it came too early, as event 2" in message
    assert "edge-taken a 1" in message
