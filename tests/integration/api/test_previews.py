"""Previews of expressions and templates: with the values of a past run as they were at a place, or with samples."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from django.contrib.auth.models import User

from runner.models import Event, Run, StepRun
from runner.services import past_values
from tests.integration.api.conftest import Program, refusal
from tests.support.flows import begin, publish


def put(node_id: str, key: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"id": node_id, "type": "set_variable", "config": {"variable": key, "value": value}, **more}


def counted(name: str, **more: Any) -> dict[str, Any]:
    """n is 1, in a loop of three items 2, 5 and 12, then 10."""
    return {
        "format": 1,
        "id": name,
        "inputs": [
            {"name": "topic", "type": "short_text", "default": "cats"},
            {"name": "secret", "type": "short_text", "sensitive": True, "default": "s3cret"},
            {"name": "left_out", "type": "short_text"},
        ],
        "state": {"type": "object", "properties": {"empty": {"default": None}}},
        "policy": {"depth": 2},
        "nodes": [
            put("one", "n", 1),
            {"id": "loop", "type": "for_each", "config": {"items": "'a,b'.length"}},
            put("twice", "n", {"$expr": "n * 2 + index"}, parent="loop"),
            put("ten", "n", 10),
            put("other", "n", 0),
        ],
        "edges": [
            {"id": "in", "source": "one", "target": "loop"},
            {"id": "big", "source": "loop", "target": "ten", "when": "n >= 3"},
            {"id": "small", "source": "loop", "target": "other", "when": "n > 0"},
        ],
        **more,
    }


@pytest.fixture
def run(people: dict[str, User]) -> Run:
    return begin(publish(counted("counted"), people["analyst"]), people["analyst"])


@pytest.fixture
def ask(analyst: Program, run: Run) -> Any:
    def of(kind: str, value: Any, *, sampled: bool = False, **more: Any) -> dict[str, Any]:
        source = {} if sampled else {"run": run.pk}
        answer = analyst.post("flows/counted/preview/", {"kind": kind, "value": value, **source, **more})
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found

    return of


def test_values_are_those_before_the_last_step_at_the_node(ask: Any, run: Run):
    assert [ask("value", "n", node=node)["shown"] for node in ("one", "loop", "ten")] == ["", "1", "12"]
    assert ask("value", "n")["shown"] == "10"
    assert ask("value", "index", node="twice")["shown"] == "2"
    assert ask("value", "n", node="twice")["shown"] == "5"
    told = ask("value", "n", node="ten")
    assert told["told"] == f"Run {run.pk[:8]}, before its last step here."
    assert told["type"] == "whole number"
    assert "has not run" in ask("value", "n", node="other")["told"]


def test_edges_see_what_their_source_gave_and_say_what_follows(ask: Any):
    big = ask("condition", "n >= 3 && output.length == 3", edge="big")
    assert (big["holds"], big["consequence"]) == (True, "This edge would be taken.")
    assert "unless one tried before it is" in ask("condition", "n > 0", edge="small")["consequence"]
    assert ask("condition", "n > 100", edge="big")["consequence"] == "This edge would not be taken."
    broken = ask("condition", "nowhere > 3", edge="big")
    assert broken["result"] == "error" and "counts as not matched" in broken["consequence"]


def test_missing_and_null_are_told_apart(ask: Any):
    assert ask("value", "policy.nothing")["result"] == "missing"
    unknown = ask("value", "nothing")
    assert unknown["result"] == "error" and unknown["reads"] == [{"place": "nothing", "result": "missing", "shown": ""}]
    assert ask("value", "null")["shown"] == "null"
    text = ask("template", "{{topic}} and {{left_out}}")
    assert text["shown"] == '"cats and "'
    assert [(one["place"], one["result"]) for one in text["reads"]] == [("topic", "value"), ("left_out", "missing")]


def test_errors_say_where(ask: Any):
    error = ask("value", "n + trimm(topic)")["error"]
    assert error["code"] == "expression_invalid" and error["position"] == 4 and "round(x, n?)" in error["forms"]
    nested = ask("template", {"a": ["x", "{{topic"]})["error"]
    assert nested["code"] == "template_invalid" and nested["at"] == ["a", "1"] and nested["position"] == 0
    assert ask("expression", "trim(topic)")["result"] == "error"
    assert ask("value", 3)["result"] == "error"


def test_sensitive_values_are_covered_and_not_even_compared(ask: Any):
    for kind, value in (("value", "secret"), ("template", "x {{inputs.secret}}"), ("condition", "secret == 's3cret'")):
        told = ask(kind, value)
        assert told["result"] == "covered" and told["holds"] is None and told["shown"] == ""
        assert "s3cret" not in str(told)
    assert ask("value", "inputs")["result"] == "covered"
    marked = counted("counted")
    marked["inputs"][0] |= {"sensitive": True}
    assert ask("value", "topic", document=marked)["result"] == "covered"


@pytest.mark.parametrize("node", [None, "show"])
def test_what_a_node_wrote_that_touches_something_sensitive_is_covered(
    analyst: Program, people: dict[str, User], node: str | None
):
    secret = {"name": "secret", "type": "short_text", "sensitive": True, "default": "s3cret"}
    loop = {"id": "loop", "type": "for_each", "config": {"items": ["{{secret}}"], "item_variable": "one"}}
    document = {
        "format": 1,
        "id": "counted",
        "inputs": [secret],
        "nodes": [
            {
                "id": "first",
                "type": "transform",
                "config": {"fields": {"a": "{{secret}}"}},
                "output_variable": "sorted",
            },
            put("second", "kept", "{{secret}}"),
            put("open", "free", 1),
            loop,
            put("inner", "index_seen", {"$expr": "index"}, parent="loop"),
            put("show", "shown", 2),
        ],
        "edges": [
            {"id": f"{a}_{b}", "source": a, "target": b}
            for a, b in pairwise(("first", "second", "open", "loop", "show"))
        ],
    }
    run = begin(publish(document, people["analyst"]), people["analyst"])
    assert run.status == "succeeded", run.error
    at = {} if node is None else {"node": node}

    def told(value: str, **more: Any) -> str:
        asked = {"run": run.pk, "kind": "template", "value": value, **at, **more}
        answer = analyst.post("flows/counted/preview/", asked)
        assert answer.status_code == 200 and "s3cret" not in answer.content.decode()
        return str(answer.json()["result"])

    for value in ("{{sorted}}", "{{sorted.a}}", {"x": ["{{kept}}"]}, "{{steps.first.output}}"):
        assert told(value) == "covered"
    assert told("{{one}}", node="inner") == "covered"
    assert told("{{index}}", node="inner") == "value"
    assert told("{{free}} {{nothing}}") == "value"


def test_samples_lie_over_what_the_document_says(ask: Any):
    assert ask("template", "{{topic}} {{inputs.topic}} {{policy.depth}}", sampled=True)["shown"] == '"cats cats 2"'
    assert ask("value", "empty", sampled=True)["shown"] == "null"
    over = ask(
        "value", "topic + steps.one.output", sampled=True, sample={"topic": "t", "steps": {"one": {"output": 5}}}
    )
    assert over["shown"] == '"t5"'
    assert over["told"] == "Sample values."
    assert (
        ask("value", "inputs.topic + policy.depth", sampled=True, sample={"inputs": {"topic": "i"}})["shown"] == '"i2"'
    )
    rule = ask("condition", "args.amount > 10", sampled=True, sample={"args": {"amount": 11}})
    assert rule["holds"] is True


def test_results_that_the_version_did_not_keep_are_found(ask: Any):
    assert ask("value", "steps.one.output", node="ten")["shown"] == "1"
    assert ask("value", "steps.ten.output", node="ten")["result"] in ("missing", "error")


def test_large_values_are_cut(ask: Any):
    told = ask("value", "range(5000)", sampled=True)
    assert told["cut"] and len(told["shown"]) == 2000 and told["type"] == "list of 5,000"
    assert ask("value", "range(90000).concat(range(90000))", sampled=True)["result"] == "error"


def test_a_run_of_another_flow_or_of_nobody_is_none(analyst: Program, run: Run, people: dict[str, User]):
    publish(counted("another"), people["analyst"])
    for flow, run_id in (("another", run.pk), ("counted", "0" * 32)):
        body = {"kind": "value", "value": "n", "run": run_id}
        assert refusal(analyst.post(f"flows/{flow}/preview/", body), 404)["code"] == "not_found"


def test_too_long_a_history_is_not_gone_through(ask: Any, analyst: Program, run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(past_values, "MOST_EVENTS", 5)
    answer = analyst.post("flows/counted/preview/", {"kind": "value", "value": "n", "run": run.pk})
    assert answer.json()["code"] == "limit_exceeded"


def test_nothing_is_written(ask: Any, run: Run):
    def rows() -> tuple[int, int, int]:
        return Event.objects.count(), StepRun.objects.count(), Run.objects.get(pk=run.pk).rev

    before = rows()
    ask("template", "{{topic}}", node="ten")
    assert rows() == before
