"""The virtual clock of the simulator: what starts when, what ends first, and how ties are settled."""

from __future__ import annotations

from typing import Any

import pytest

from runner.simulation.flow_test import prepare, simulate
from runner.simulation.flow_test_file import FlowTest
from runner.simulation.outcome import Outcome


def call(node: str, **more: Any) -> dict[str, Any]:
    return {"id": node, "type": "tool_call", "config": {"tool": node}, **more}


def value(node: str, **more: Any) -> dict[str, Any]:
    return {"id": node, "type": "set_variable", "config": {"variable": node, "value": 1}, **more}


def parallel(*children: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"id": "p", "type": "parallel"}, *({**child, "parent": "p"} for child in children)]


def run(nodes: list[dict[str, Any]], edges: list[tuple[str, str]] = (), **test: Any) -> Outcome:  # type: ignore[assignment]
    flow = {
        "format": 1,
        "id": "t",
        "nodes": nodes,
        "edges": [{"source": source, "target": target} for source, target in edges],
        **test.pop("flow", {}),
    }
    replies = {node["id"]: [{}] for node in nodes if node["type"] == "tool_call"} | test.pop("replies", {})
    given = {"name": "t", "flow": flow, "replies": replies, "expect": {}, **test}
    prepared = prepare(FlowTest.model_validate(given))
    assert prepared.refusal is None, prepared.refusal
    return simulate(prepared)


def told(outcome: Outcome, *types: str) -> list[str]:
    return [f"{event.type} {event.path or ''}".strip() for event in outcome.events if event.type in types]


def after(ms: int, **more: Any) -> list[dict[str, Any]]:
    return [{"after_ms": ms, **more}]


def test_everything_ready_starts_in_declaration_order_before_anything_ends() -> None:
    outcome = run(parallel(value("a"), call("b"), value("c")))
    assert told(outcome, "step-start", "step-complete") == [
        *("step-start p", "step-start p.a", "step-start p.b", "step-start p.c"),
        *("step-complete p.a", "step-complete p.b", "step-complete p.c", "step-complete p"),
    ]


def test_what_an_end_makes_ready_starts_before_the_next_end() -> None:
    outcome = run(parallel(value("a"), value("a2"), value("b")), [("a", "a2")])
    assert told(outcome, "step-start", "step-complete")[3:6] == [
        "step-complete p.a",
        "step-start p.a2",
        "step-complete p.a2",
    ]


def test_ends_at_the_same_time_come_in_declaration_order_whoever_began_first() -> None:
    nodes = parallel(call("late"), call("first"), call("second"))
    replies = {"late": after(20), "first": after(5), "second": after(15)}
    outcome = run(nodes, [("first", "second")], replies=replies)
    assert told(outcome, "step-complete")[:3] == [
        "step-complete p.first",
        "step-complete p.late",
        "step-complete p.second",
    ]


def test_iterations_that_end_together_come_in_item_order() -> None:
    nodes = [{"id": "l", "type": "for_each", "config": {"items": 3, "concurrency": 3}}, call("a", parent="l")]
    outcome = run(nodes, replies={"a": [{"after_ms": 7}, {"after_ms": 7}, {"after_ms": 7}]})
    assert told(outcome, "step-complete")[:3] == [f"step-complete l[{n}].a" for n in range(3)]


def test_a_wait_and_a_back_off_are_ends_like_others() -> None:
    wait = {"id": "w", "type": "wait", "config": {"duration_ms": 10}}
    retried = call("r", retry={"max_attempts": 2, "backoff_ms": 10})
    outcome = run(
        parallel(call("a"), retried, wait, call("z")),
        replies={"a": after(10), "r": [{"error": "x"}, {}], "z": after(10)},
    )
    seen = told(outcome, "step-complete", "attempt-start")
    assert seen[:5] == [
        "step-complete p.a",
        "attempt-start p.r",
        "step-complete p.r",
        "step-complete p.w",
        "step-complete p.z",
    ]


def test_a_reply_exactly_at_the_limit_is_in_time() -> None:
    assert run([call("a", timeout_ms=50)], replies={"a": after(50)}).status == "succeeded"
    outcome = run([call("a", timeout_ms=50)], replies={"a": after(51)})
    assert (outcome.error or {})["code"] == "operation_timeout"
    assert outcome.elapsed_ms == 50


def test_what_never_answers_runs_into_the_limit_of_the_site() -> None:
    outcome = run([call("a")], replies={"a": [{"hang": True}]})
    assert ((outcome.error or {})["code"], outcome.elapsed_ms) == ("operation_timeout", 300_000)


ASK = {"id": "ask", "type": "approval", "config": {"title": "?"}}


def test_at_one_moment_ends_come_before_decisions_decisions_before_actions_actions_before_limits() -> None:
    outcome = run(
        parallel({**ASK, "timeout_ms": 10}, call("a")),
        replies={"a": after(10)},
        decisions=[{"step": "ask", "approve": True, "after_ms": 10}],
        actions=[{"when": "flow-start", "after_ms": 10, "do": "signal", "key": "k"}],
    )
    kinds = ("step-complete", "approval-decided", "signal-received")
    assert told(outcome, *kinds)[:3] == ["step-complete p.a", "approval-decided p.ask", "step-complete p.ask"]
    assert outcome.status == "succeeded"
    late = run(
        [ASK | {"timeout_ms": 10}],
        actions=[{"when": "flow-start", "after_ms": 10, "do": "signal", "key": "k"}],
    )
    assert told(late, "signal-received", "step-error") == ["signal-received", "step-error ask"]


def test_an_action_without_a_delay_comes_directly_after_its_event() -> None:
    outcome = run(
        [call("a"), call("b")],
        [("a", "b")],
        actions=[{"when": "step-complete a", "do": "pause"}, {"when": "run-paused", "after_ms": 5, "do": "resume"}],
    )
    assert told(outcome, "run-paused", "run-resumed", "step-start") == [
        *("step-start a", "run-paused", "run-resumed", "step-start b"),
    ]
    assert outcome.elapsed_ms == 5


def test_an_action_takes_the_first_occurrence_of_its_event_alone() -> None:
    nodes = [{"id": "l", "type": "for_each", "config": {"items": 3}}, call("a", parent="l")]
    outcome = run(nodes, actions=[{"when": "step-complete", "do": "signal", "key": "k"}])
    assert told(outcome, "signal-received") == ["signal-received"]


def test_the_clock_starts_at_the_epoch() -> None:
    node = {"id": "a", "type": "transform", "config": {"fields": {"at": "{{run.now}}"}}}
    wait = {"id": "w", "type": "wait", "config": {"until": "1970-01-01T00:01:00+00:00"}}
    outcome = run([wait, node], [("w", "a")])
    assert (outcome.result, outcome.elapsed_ms) == ({"at": "1970-01-01T00:01:00.000Z"}, 60_000)


def test_replies_are_used_in_order_and_the_last_one_repeats() -> None:
    nodes = [{"id": "l", "type": "for_each", "config": {"items": 4}}, call("a", parent="l")]
    outcome = run(nodes, replies={"a": [{"result": 1}, {"result": 2}]})
    assert outcome.result == [1, 2, 2, 2]


def test_an_approval_that_nobody_decides_stays_open_unless_a_rule_lets_it_expire() -> None:
    rule = {"tool": "a", "effect": "ask"}
    assert run([call("a")], flow={"permissions": {"rules": [rule]}}).status == "awaiting_approval"
    outcome = run([call("a")], flow={"permissions": {"rules": [rule | {"expires_ms": 700}]}})
    assert ((outcome.error or {})["code"], outcome.elapsed_ms) == ("approval_expired", 700)


def test_a_decision_that_is_refused_leaves_the_approval_to_the_next() -> None:
    form = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
    asking = {"id": "ask", "type": "approval", "config": {"title": "?", "form": form}}
    decisions = [{"step": "ask", "approve": True, "form": {}}, {"step": "ask", "approve": True, "form": {"n": 4}}]
    outcome = run([asking], decisions=decisions)
    assert (outcome.status, outcome.result, len(outcome.refusals)) == ("succeeded", {"n": 4}, 1)


def test_a_model_answers_with_text_or_with_what_its_schema_describes() -> None:
    schema = {"type": "object", "required": ["n"]}
    node = {"id": "m", "type": "llm_call", "config": {"prompt": "p", "output_schema": schema}}
    assert run([node], replies={"llm:m": [{"text": {"n": 1}}]}).result == {"n": 1}
    assert run([node], replies={"llm:m": [{"text": '{"n": 1}'}]}).result == {"n": 1}
    for text in ("no json", {"m": 1}, "[]"):
        outcome = run([node], replies={"llm:m": [{"text": text}]})
        assert (outcome.error or {})["code"] == "output_invalid"
    assert run([{"id": "m", "type": "llm_call", "config": {"prompt": "p"}}]).result == ""


@pytest.mark.parametrize(
    ("text", "status"), [({"error": "x"}, "failed"), ({"delta": {"k": 1}}, "succeeded"), ({}, "succeeded")]
)
def test_a_handler_gives_its_delta(text: dict[str, Any], status: str) -> None:
    node = {"id": "h", "type": "handler", "config": {"handler": "any"}}
    outcome = run([node], replies={"handler:h": [text]})
    assert (outcome.status, outcome.state) == (status, text.get("delta", {}))
