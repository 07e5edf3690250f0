"""Faults that random flows brought to light, each as the smallest flow that shows it."""

from __future__ import annotations

import json
from typing import Any

from runner.engine.rows import RunRow, SignalRow, Stored
from runner.engine.slice import Changes, Slice
from runner.simulation.flow_test import run_flow_test
from runner.simulation.flow_test_file import FlowTest
from runner.simulation.memory import MemoryStore


def failures(nodes: list[dict[str, Any]], edges: list[dict[str, Any]], **test: Any) -> list[str]:
    flow = {"format": 1, "id": "t", "nodes": nodes, "edges": edges} | test.pop("flow", {})
    given = {"name": "found", "flow": flow, **test}
    return run_flow_test(FlowTest.model_validate(given), crash=True).failures


def call(node: str, **more: Any) -> dict[str, Any]:
    return {"id": node, "type": "tool_call", "config": {"tool": node}, **more}


def edge(source: str, target: str, **more: Any) -> dict[str, Any]:
    return {"source": source, "target": target, **more}


def test_the_branches_of_a_fan_out_in_a_loop_are_visited_again_with_each_pass() -> None:
    nodes = [
        {"id": "plan", "type": "one_of", "read_only": True, "fan_out": True, "synthesis": "sum"},
        call("a", output_variable="a"),
        call("b", output_variable="b"),
        {"id": "sum", "type": "set_variable", "config": {"variable": "n", "value": 1}, "output_mode": "add"},
        {"id": "fin", "type": "end", "config": {"value": "$n"}},
    ]
    edges = [
        edge("plan", "a"),
        edge("plan", "b"),
        edge("a", "sum"),
        edge("b", "sum"),
        edge("sum", "plan", when="n < 3"),
        edge("sum", "fin"),
    ]
    expect = {"status": "succeeded", "result": 3, "calls": {"a": 3, "b": 3}}
    replies = {"a": [{"result": 1}], "b": [{"result": 1}]}
    assert failures(nodes, edges, flow={"start": "plan"}, replies=replies, expect=expect) == []


def test_max_visits_bounds_the_branches_of_a_fan_out_over_all_passes() -> None:
    nodes = [
        {"id": "plan", "type": "one_of", "read_only": True, "fan_out": True, "synthesis": "sum"},
        call("a", output_variable="a", max_visits=2),
        {"id": "sum", "type": "set_variable", "config": {"variable": "n", "value": 1}, "output_mode": "add"},
    ]
    edges = [edge("plan", "a"), edge("a", "sum"), edge("sum", "plan")]
    expect = {"calls": {"a": 2}, "error": {"code": "iteration_limit"}}
    flow = {"start": "plan", "policy": {"max_iterations": 9}}
    assert failures(nodes, edges, flow=flow, replies={"a": [{"result": 1}]}, expect=expect) == []


def test_an_active_join_waits_for_paths_that_concurrency_has_not_let_start_yet() -> None:
    nodes = [
        {"id": "p", "type": "parallel", "config": {"concurrency": 2}},
        call("a", parent="p"),
        call("b", parent="p"),
        call("c", parent="p"),
        call("j", parent="p", join="active"),
    ]
    edges = [edge("a", "j"), edge("b", "j"), edge("c", "j")]
    replies = {name: [{"result": name}] for name in "abcj"}
    expect = {
        "status": "succeeded",
        "calls": {"a": 1, "b": 1, "c": 1, "j": 1},
        "result": {"a": "j", "b": "j", "c": "j"},
    }
    assert failures(nodes, edges, replies=replies, expect=expect) == []


def test_an_all_join_gets_the_paths_that_concurrency_has_not_let_start_yet() -> None:
    nodes = [
        {"id": "p", "type": "parallel", "config": {"concurrency": 1}},
        call("a", parent="p"),
        call("b", parent="p"),
        call("j", parent="p", join="all"),
    ]
    replies = {name: [{"result": name}] for name in "abj"}
    expect = {"status": "succeeded", "calls": {"j": 1}}
    assert failures(nodes, [edge("a", "j"), edge("b", "j")], replies=replies, expect=expect) == []


def test_a_value_just_written_reads_like_one_read_from_its_text() -> None:
    """The text of an object in a template must not depend on whether a worker still had the object in memory."""
    stored = Stored.of({"b": [{"z": 1, "y": {"d": 1, "c": 2}}], "a": 2.0})
    assert json.dumps(stored.value) == json.dumps(json.loads(stored.text or ""))


def test_two_waits_of_one_transaction_take_two_kept_signals() -> None:
    store = MemoryStore(RunRow(id="r"))
    signals = [SignalRow(n, "k", Stored.of(n), 0) for n in (1, 2)]
    store.commit(Changes(store.run, new_signals=[*signals, SignalRow(3, "other", Stored.of(3), 0)]))
    slice_ = Slice(store.run, store)
    taken = []
    while (signal := slice_.kept_signal("k")) is not None:
        slice_.take_signal(signal, f"step {signal.n}")
        taken.append(signal.n)
    assert taken == [1, 2]
