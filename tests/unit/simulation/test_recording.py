"""Tests made of runs, and runs replayed: every run of a flow test gives a test that passes, and goes the same way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runner.simulation.crash import Ended, run_to_end
from runner.simulation.flow_test import prepare, run_flow_test, setting_of
from runner.simulation.flow_test_file import FlowTest, read_flow_test
from runner.simulation.recorded import covered, recorded
from runner.simulation.recording import Recording, record_test
from runner.simulation.safe_replay import replay

CONTRACT = Path(__file__).parents[2] / "conformance" / "contract"
#: Of each kind something: loops, parallel paths, sub-flows, agents, people, time, failures.
NAMES = sorted(
    path.name
    for pattern in (
        "agent-*", "approval-in*", "approvals-*", "budget-*", "cancel-*", "collect-*", "fan-out-j*", "group-*",
        "person-retry-*", "retry-*b*", "subflow-*", "wait-*",
    )
    for path in CONTRACT.glob(f"{pattern}.json")
)  # fmt: skip

#: What a run does not keep: the reply whose result the state refused, and why an agent gave up.
LOST = {"agent-turns-bounded.json", "person-retry-arguments-checked.json"}
REFUSED = {"approvals-and-a-form.json"}


def ended(test: FlowTest) -> Ended | None:
    prepared = prepare(test)
    return None if prepared.refusal is not None else run_to_end(setting_of(prepared))


def base_of(test: FlowTest) -> dict[str, Any]:
    whole = test.model_dump(mode="json", by_alias=True, include={"name", "tools", "skills", "roles", "flows"})
    return {**whole, "flow": test.flow}


def record(test: FlowTest, run: Ended) -> Recording:
    return record_test(recorded(run.runs), base_of(test))


@pytest.mark.parametrize("name", NAMES)
def test_a_run_gives_a_test_that_passes_and_a_replay_that_goes_the_same_way(name: str):
    test = read_flow_test((CONTRACT / name).read_bytes(), name)
    run = ended(test)
    assert (run is None) == (name in REFUSED)
    if run is None:
        return
    made = record(test, run)
    assert run_flow_test(FlowTest.model_validate(made.content)).failures == []
    told = [note for note in made.notes if "failed with" not in note and "keeps no reply" not in note]
    assert told == []
    past = recorded(run.runs)
    if past.is_ended and name not in LOST and not past.troubles:
        assert replay(past, past.program).verdict == "same"


DOCUMENT: dict[str, Any] = {
    "format": 1,
    "id": "f",
    "inputs": [{"name": "n", "type": "integer"}, {"name": "key", "type": "short_text", "sensitive": True}],
    "nodes": [
        {"id": "get", "type": "tool_call", "config": {"tool": "get", "arguments": {"n": "{{n}}", "key": "{{key}}"}},
         "output_variable": "got"},
        {"id": "say", "type": "llm_call", "config": {"prompt": "Tell of {{n}}"}, "output_variable": "said"},
        {"id": "end", "type": "return", "config": {"value": "{{said}}"}},
    ],
    "edges": [{"source": "get", "target": "say"}, {"source": "say", "target": "end"}],
}  # fmt: skip


def a_run(**more: Any) -> tuple[FlowTest, Ended]:
    replies = {
        "get": [{"result": {"name": "secret name", "size": 7, "open": True, "none": None}}],
        "llm:say": [{"text": "short", "usage": {"input_tokens": 3, "cost_usd": 0.002}}],
    }
    whole = {"name": "t", "flow": DOCUMENT, "inputs": {"n": 1}, "replies": replies, "expect": {}, **more}
    test = FlowTest.model_validate(whole)
    run = ended(test)
    assert run is not None
    return test, run


def test_sensitive_values_are_replaced_where_there_are_any():
    test, run = a_run(inputs={"n": 1, "key": "pass phrase"})
    made = record(test, run)
    text = json.dumps(made.content)
    assert "pass phrase" not in text and "secret name" not in text
    assert made.content["replies"]["get"] == [{"result": {"name": "covered", "size": 0, "open": True, "none": None}}]
    assert made.content["replies"]["llm:say"][0]["text"] == "short"
    assert made.notes[:2] == (
        "Sensitive inputs were replaced: key.",
        "Replies that touch sensitive values were replaced: get.",
    )
    test, run = a_run()
    assert record(test, run).content["replies"]["get"][0]["result"]["name"] == "secret name"
    assert covered([1.5, {"a": "b"}]) == [0, {"a": "covered"}]


def change(node: int, **config: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(DOCUMENT))
    document["nodes"][node]["config"].update(config)
    return document


@pytest.mark.parametrize(
    ("document", "verdict"),
    [
        (change(2, value="{{n}}"), "ending"),
        (change(1, prompt="Say {{n}}"), "unknown"),
        (change(1, system="Be brief."), "unknown"),
        (change(0, arguments={"n": "{{n}}", "key": "{{key}}"}), "same"),
        ({**DOCUMENT, "inputs": [*DOCUMENT["inputs"], {"name": "m", "type": "integer", "required": True}]}, "refused"),
        ({**DOCUMENT, "nodes": DOCUMENT["nodes"][:2], "edges": DOCUMENT["edges"][:1]}, "route"),
        ({**DOCUMENT, "policy": {"max_cost_usd": 0.001}}, "same"),
    ],
)
def test_a_replay_says_in_what_a_changed_flow_would_differ(document: dict[str, Any], verdict: str):
    _, run = a_run()
    changed, _ = a_run(flow=document, inputs={"n": 1, "m": 2} if verdict == "refused" else {"n": 1})
    program = setting_of(prepare(changed)).program
    assert replay(recorded(run.runs), program).verdict == verdict


def test_a_replay_adds_up_what_was_recorded_to_cost():
    _, run = a_run()
    twice = json.loads(json.dumps(DOCUMENT))
    twice["nodes"].insert(2, {"id": "say2", "type": "llm_call", "config": {"prompt": "Tell of {{n}}"}})
    twice["edges"] = [{"source": "get", "target": "say"}, {"source": "say", "target": "say2"},
                      {"source": "say2", "target": "end"}]  # fmt: skip
    changed, _ = a_run(flow=twice)
    found = replay(recorded(run.runs), setting_of(prepare(changed)).program)
    # Another node asks its model the same: that is another call, and nobody knows what it would have said.
    assert (found.verdict, found.cost_before, found.cost_after) == ("unknown", 2000, None)
    loops = json.loads(json.dumps(DOCUMENT))
    loops["state"] = {"type": "object"}
    loops["start"] = "get"
    loops["edges"] = [{"source": "get", "target": "say"},
                      {"source": "say", "target": "say", "when": "run.visit < 2"},
                      {"source": "say", "target": "end"}]  # fmt: skip
    loops["nodes"][1]["max_visits"] = 3
    changed, _ = a_run(flow=loops)
    found = replay(recorded(run.runs), setting_of(prepare(changed)).program)
    assert (found.verdict, found.cost_before, found.cost_after) == ("route", 2000, 4000)
