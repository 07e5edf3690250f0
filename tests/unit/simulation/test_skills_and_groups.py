"""Agents with skills and groups of tools in the simulator: what they may call, what they must answer, who may fail."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runner.simulation.flow_test import run_flow_test
from runner.simulation.flow_test_file import read_flow_test

SCHEMA = {"type": "object", "required": ["word"], "properties": {"word": {"type": "string"}}}
AGENT = {"id": "ask", "type": "agent", "config": {"skill": "finder@1.0.0", "prompt": "x"}, "output_variable": "found"}
GROUP = {
    "id": "both",
    "type": "tool_group",
    "config": {"role": "search", "on_item_error": "collect", "max_failed": "50%"},
    "retry": {"max_attempts": 2, "backoff_ms": 100},
    "output_variable": "found",
}


def failures(node: dict[str, Any], *, crash: bool = False, **test: Any) -> list[str]:
    flow = {"format": 1, "id": "one", "nodes": [node], "edges": []}
    written = json.dumps({"name": "t", "flow": flow, **test})
    return run_flow_test(read_flow_test(written, "t"), crash=crash).failures


def test_an_agent_may_call_the_tools_of_its_skill_and_must_answer_as_it_says() -> None:
    call = {"tool_calls": [{"tool": "look", "arguments": {"at": 1}}, {"tool": "buy", "arguments": {}}]}
    found = failures(
        AGENT,
        crash=True,
        skills={"finder@1.0.0": {"tools": ["look"], "output_schema": SCHEMA}},
        tools={"look": {}, "buy": {}},
        replies={"llm:ask": [call, {"text": {"word": "b"}}], "look": [{"result": 2}]},
        expect={
            "status": "succeeded",
            "state": {"found": {"word": "b"}},
            "calls": {"look": 1, "buy": 0, "llm:ask": 2},
            "events": ["step-start ask", "step-complete ask[0]", "step-error ask[1]", "step-complete ask"],
        },
    )
    assert found == []


@pytest.mark.parametrize("text", [{"words": 1}, "no JSON", {"word": 1}])
def test_an_answer_that_is_not_what_the_skill_says_fails(text: Any) -> None:
    found = failures(
        AGENT,
        skills={"finder@1.0.0": {"output_schema": SCHEMA}},
        replies={"llm:ask": [{"text": text}]},
        expect={"status": "failed", "error": {"code": "output_invalid", "step": "ask"}},
    )
    assert found == []


def test_a_skill_that_a_test_does_not_declare_answers_with_a_text() -> None:
    expect = {"status": "succeeded", "state": {"found": "a text"}}
    assert failures(AGENT, replies={"llm:ask": [{"text": "a text"}]}, expect=expect) == []


def test_each_member_of_a_group_is_tried_again_by_itself_and_some_may_fail() -> None:
    found = failures(
        GROUP,
        crash=True,
        roles={"search": ["near", "far"]},
        replies={"near": [{"error": "busy"}, {"result": 1}], "far": [{"error": "away"}]},
        expect={
            "status": "succeeded",
            "state": {"found": [1, None]},
            "calls": {"near": 2, "far": 2},
            "events": ["step-retry both[0]", "step-retry both[1]", "step-complete both[0] 2", "step-complete both"],
        },
    )
    assert found == []


def test_more_failures_than_a_group_allows_fail_it_with_the_last_reason() -> None:
    message = "2 calls of 'both' failed; at most 1 may. away"
    found = failures(
        GROUP,
        roles={"search": ["near", "far"]},
        replies={"near": [{"error": "busy"}], "far": [{"error": "away", "after_ms": 10}]},
        expect={"status": "failed", "error": {"code": "items_failed", "message": message}},
    )
    assert found == []


def test_members_of_a_group_are_asked_about_one_by_one() -> None:
    found = failures(
        {**GROUP, "config": {**GROUP["config"], "max_failed": 1}},
        roles={"search": ["near", "far"]},
        tools={"near": {"needs_approval": True}, "far": {"needs_approval": True}},
        replies={"near": [{"result": 1}], "far": [{"result": 2}]},
        decisions=[{"step": "both[0]", "approve": True}, {"step": "both[1]", "approve": False, "comment": "no"}],
        expect={
            "status": "succeeded",
            "state": {"found": [1, None]},
            "calls": {"near": 1, "far": 0},
            "events": ["approval-requested both[0]", "approval-requested both[1]", "step-complete both"],
        },
    )
    assert found == []
