"""Sub-flows in the simulator: runs of their own that begin, end and are canceled with the step that waits."""

from __future__ import annotations

from typing import Any

from runner.simulation.flow_test import run_flow_test
from runner.simulation.flow_test_file import FlowTest

CHILD = {
    "format": 1,
    "id": "child",
    "inputs": [{"name": "n", "type": "integer"}],
    "nodes": [
        {"id": "work", "type": "tool_call", "config": {"tool": "work", "arguments": {"n": "$n"}}},
        {"id": "fin", "type": "end", "config": {"value": "{{steps.work.output}}"}},
    ],
    "edges": [{"source": "work", "target": "fin"}],
}


def sub(node: str, **more: Any) -> dict[str, Any]:
    config = {"flow": "child", "version": 1, "inputs": {"n": 1}} | more.pop("config", {})
    return {"id": node, "type": "subflow", "config": config, **more}


def failures(nodes: list[dict[str, Any]], edges: list[dict[str, Any]], **test: Any) -> list[str]:
    flow = {"format": 1, "id": "t", "nodes": nodes, "edges": edges} | test.pop("flow", {})
    replies = {"work": [{"result": "done", "after_ms": 10}]} | test.pop("replies", {})
    given = {"name": "t", "flow": flow, "flows": {"child@1": CHILD}, "replies": replies, **test}
    return run_flow_test(FlowTest.model_validate(given), crash=True).failures


def test_a_step_ends_as_its_child_run_ends_and_uses_what_that_used() -> None:
    replies = {"work": [{"result": "done", "after_ms": 10, "usage": {"input_tokens": 3}}]}
    expect = {
        "status": "succeeded",
        "state": {"x": "done"},
        "calls": {"work": 1},
        "args": {"work": [{"n": 1}]},
        "usage": {"input_tokens": 3},
        "elapsed_ms": 10,
        "events": ["step-start s", "step-complete s"],
    }
    assert failures([sub("s", output_variable="x")], [], replies=replies, expect=expect) == []


def test_children_at_once_work_at_once_each_on_its_own() -> None:
    nodes = [
        {"id": "l", "type": "for_each", "config": {"items": [5, 6, 7], "concurrency": 3}, "output_variable": "o"},
        sub("s", parent="l", config={"inputs": {"n": "$item"}}),
    ]
    replies = {"work": [{"result": n, "after_ms": after} for n, after in ((1, 30), (2, 20), (3, 10))]}
    expect = {"state": {"o": [1, 2, 3]}, "args": {"work": [{"n": 5}, {"n": 6}, {"n": 7}]}, "elapsed_ms": 30}
    assert failures(nodes, [], replies=replies, expect=expect) == []


def test_a_failed_child_fails_its_step_and_a_retry_starts_another() -> None:
    replies = {"work": [{"error": "no"}, {"result": "done"}]}
    nodes = [sub("s", output_variable="x", retry={"max_attempts": 2, "backoff_ms": 5})]
    expect = {"status": "succeeded", "state": {"x": "done"}, "calls": {"work": 2}, "events": ["step-retry s 1"]}
    assert failures(nodes, [], replies=replies, expect=expect) == []
    expect = {"status": "failed", "error": {"code": "tool_failed", "step": "s"}, "calls": {"work": 1}}
    assert failures([sub("s")], [], replies=replies, expect=expect) == []


def test_a_child_that_nobody_waits_for_any_more_is_canceled() -> None:
    actions = [{"when": "step-start s", "after_ms": 3, "do": "cancel"}]
    expect = {"status": "canceled", "calls": {"work": 1}, "elapsed_ms": 3}
    assert failures([sub("s")], [], actions=actions, expect=expect) == []
    expect = {"status": "failed", "error": {"code": "operation_timeout"}, "calls": {"work": 1}, "elapsed_ms": 4}
    assert failures([sub("s", timeout_ms=4)], [], expect=expect) == []


def test_a_decision_may_be_about_a_call_of_a_child() -> None:
    tools = {"work": {"needs_approval": True}}
    decisions = [{"step": "work", "approve": True, "after_ms": 100}]
    expect = {"status": "succeeded", "state": {"x": "done"}, "elapsed_ms": 110}
    assert failures([sub("s", output_variable="x")], [], tools=tools, decisions=decisions, expect=expect) == []


def test_a_flow_may_be_its_own_sub_flow_within_bounds() -> None:
    nodes = [
        {"id": "more", "type": "one_of"},
        sub("s", config={"flow": "t", "version": "self", "inputs": {"n": {"$expr": "n - 1"}}}),
        {"id": "fin", "type": "end", "config": {"value": ["$n", "{{steps.s.output}}"]}},
        {"id": "bottom", "type": "end", "config": {"value": "bottom"}},
    ]
    edges = [
        {"source": "more", "target": "s", "when": "n > 0"},
        {"source": "more", "target": "bottom"},
        {"source": "s", "target": "fin"},
    ]
    flow = {"inputs": [{"name": "n", "type": "integer", "default": 2}]}
    expect = {"status": "succeeded", "result": [2, [1, "bottom"]]}
    assert failures(nodes, edges, flow=flow, expect=expect) == []
