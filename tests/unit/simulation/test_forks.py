"""Forks and replays in the simulator: from every kind of place, with changed state, and what must be refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runner.engine.codec import copy_row
from runner.engine.errors import RunError
from runner.engine.replay import ReplayError, checkpoint_at
from runner.engine.statuses import STEP_LIVE
from runner.simulation.crash import Ended, fork_to_end, run_to_end
from runner.simulation.flow_test import prepare, setting_of
from runner.simulation.flow_test_file import FlowTest, read_flow_test
from runner.simulation.history import StoreSource

FLOWS = Path(__file__).parents[2] / "conformance"
SPREAD = 6


def ended(test: FlowTest) -> tuple[Ended, Any]:
    setting = setting_of(prepare(test))
    return run_to_end(setting), setting


def seq_of(run: Ended, kind: str, path: str | None = None, place: int = 0) -> int:
    found = [event.seq for event in run.store.events if event.type == kind and path in (None, event.path)]
    return found[place]


@pytest.mark.parametrize("path", sorted(FLOWS.glob("flows*/*.json")), ids=lambda path: path.stem)
def test_a_fork_from_anywhere_keeps_what_must_hold(path: Path) -> None:
    prepared = prepare(read_flow_test(path.read_bytes(), path.name))
    if prepared.refusal is not None:
        return
    setting = setting_of(prepared)
    whole = run_to_end(setting)
    last = whole.store.seen.seq
    for seq in sorted({max(1, last * place // SPREAD) for place in range(SPREAD + 1)}):
        try:
            fork = fork_to_end(whole.root, seq, setting.make_world())
        except RunError as refused:
            assert refused.code == "run_finished"
            continue
        assert fork.store.events[0].type == "run-forked"
        assert fork.store.seen.forked_from == whole.store.seen.id


def flow(nodes: list[dict[str, Any]], edges: list[str], **more: Any) -> FlowTest:
    document = {
        "format": 1,
        "id": "f",
        "name": "F",
        "nodes": nodes,
        "edges": [dict(zip(("source", "target"), edge.split(">"), strict=True)) for edge in edges],
        **more.pop("document", {}),
    }
    return FlowTest.model_validate({"name": "fork", "flow": document, "expect": {}, **more})


def call(node_id: str, **more: Any) -> dict[str, Any]:
    config = {"tool": node_id, "arguments": more.pop("arguments", {})}
    return {"id": node_id, "type": "tool_call", "config": config, **more}


BRANCHES = flow(
    [
        {"id": "both", "type": "parallel", "config": {}},
        call("quick", parent="both", output_variable="k"),
        call("slow", parent="both", output_variable="slow"),
        {"id": "last", "type": "transform", "config": {"fields": {"k": "$k", "other": "$other"}}},
    ],
    ["both>last"],
    replies={"quick": [{"result": 1, "after_ms": 1}], "slow": [{"result": 2, "after_ms": 9}]},
    document={"state": {"type": "object", "properties": {"k": {"type": "integer"}, "other": {"type": "integer"}}}},
)


def test_changed_state_counts_beside_what_a_parallel_path_has_written() -> None:
    run, setting = ended(BRANCHES)
    seq = seq_of(run, "step-complete", "both.quick")
    fork = fork_to_end(run.root, seq, setting.make_world(), {"k": 50, "other": 60})
    assert fork.outcome.result == {"k": 1, "other": 60}
    assert fork.outcome.given("quick") == [] and len(fork.outcome.given("slow")) == 1


def test_changed_state_must_fit_the_schema() -> None:
    run, setting = ended(BRANCHES)
    with pytest.raises(RunError) as refused:
        fork_to_end(run.root, 2, setting.make_world(), {"k": "text"})
    assert refused.value.code == "state_invalid"


def test_a_container_that_was_being_stopped_fails_in_the_fork() -> None:
    test = flow(
        [
            {"id": "both", "type": "parallel", "config": {}},
            call("bad", parent="both"),
            call("slow", parent="both"),
            {"id": "after", "type": "transform", "config": {"fields": {"code": "{{error.code}}"}}},
        ],
        [],
        replies={"bad": [{"error": "no", "after_ms": 1}], "slow": [{"hang": True}]},
        document={"edges": [{"source": "both", "target": "after", "on": "error"}]},
    )
    run, setting = ended(test)
    seq = seq_of(run, "step-error", "both.bad")
    fork = fork_to_end(run.root, seq, setting.make_world())
    assert (fork.outcome.status, fork.outcome.given("slow")) == ("succeeded", [])


def test_an_agent_goes_on_after_its_last_completed_call() -> None:
    test = flow(
        [{"id": "a", "type": "agent", "config": {"instructions": "", "prompt": "Do it", "tools": ["look"]}}],
        [],
        replies={
            "llm:a": [
                {"tool_calls": [{"tool": "look", "arguments": {"n": 1}}]},
                {"tool_calls": [{"tool": "look", "arguments": {"n": 2}}]},
                {"text": "done"},
            ],
            "look": [{"result": 1}, {"result": 2}],
        },
    )
    run, _ = ended(test)
    assert run.outcome.result == "done"
    second = seq_of(run, "step-complete", "a[1]")
    rest = test.model_copy(update={"replies": {"llm:a": test.replies["llm:a"][2:], "look": test.replies["look"]}})
    fork = fork_to_end(run.root, second, setting_of(prepare(rest)).make_world())
    assert fork.outcome.result == "done" and fork.outcome.given("look") == []
    assert len(fork.outcome.given("llm:a")) == 1


def test_a_signal_that_nobody_had_taken_is_taken_over() -> None:
    test = flow(
        [{"id": "rest", "type": "wait", "config": {"duration_ms": 10}},
         {"id": "w", "type": "wait", "config": {"signal": "go"}}],
        ["rest>w"],
        actions=[{"when": "step-waiting rest", "after_ms": 1, "do": "signal", "key": "go", "value": 7}],
    )  # fmt: skip
    run, setting = ended(test)
    after = seq_of(run, "signal-received")
    world = setting.make_world()
    world.actions.mark_done(0)
    assert fork_to_end(run.root, after, world).outcome.result == 7
    late = seq_of(run, "step-complete", "w")
    with pytest.raises(RunError):
        fork_to_end(run.root, late, setting.make_world())


def test_an_item_loop_goes_on_with_the_items_that_are_left() -> None:
    test = flow(
        [
            {"id": "each", "type": "for_each", "config": {"items": "list"}},
            call("do", parent="each", arguments={"n": "$item"}),
        ],
        [],
        inputs={"list": [1, 2, 3]},
        document={"inputs": [{"name": "list", "type": "list"}]},
        replies={"do": [{"result": "a"}, {"result": "b"}, {"result": "c"}]},
    )
    run, setting = ended(test)
    seq = seq_of(run, "step-complete", "each[0].do")
    fork = fork_to_end(run.root, seq, setting.make_world(), {"list": []})
    assert fork.outcome.given("do") == [{"n": 2}, {"n": 3}]
    assert fork.outcome.result == ["a", "a", "b"]


def test_a_history_that_says_something_else_is_noticed() -> None:
    run, _ = ended(BRANCHES)
    events = [copy_row(event) for event in run.store.events]
    opened = next(event for event in events if event.type == "scope-opened")
    opened.type = "edge-taken"
    with pytest.raises(ReplayError, match=f"event {opened.seq} was edge-taken"):
        checkpoint_at(events, StoreSource(run.store, run.root.programs), len(events) - 1)


def test_a_checkpoint_is_the_end_of_what_happened_together() -> None:
    run, _ = ended(BRANCHES)
    seq = seq_of(run, "step-complete", "both.quick")
    checkpoint = checkpoint_at(run.store.events, StoreSource(run.store, run.root.programs), seq)
    assert checkpoint.seq >= seq
    assert [row.path for row in checkpoint.steps if row.status in STEP_LIVE] == ["both", "both.slow"]
