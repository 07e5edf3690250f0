"""The watcher of the simulator notices what must never happen; each test breaks one rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runner.engine.codec import copy_row
from runner.engine.rows import StepRow
from runner.engine.statuses import RunStatus, StepStatus
from runner.simulation.crash import run_to_end
from runner.simulation.flow_test import prepare, setting_of
from runner.simulation.flow_test_file import FlowTest
from runner.simulation.invariants import InvariantError, Watcher
from runner.simulation.memory import MemoryStore

FLOW = {
    "format": 1,
    "id": "t",
    "nodes": [
        {"id": "a", "type": "tool_call", "config": {"tool": "a"}},
        {"id": "b", "type": "tool_call", "config": {"tool": "b"}},
    ],
    "edges": [{"source": "a", "target": "b"}],
}


@pytest.fixture
def ended() -> MemoryStore:
    """The rows of a short run that has ended."""
    test = FlowTest.model_validate(
        {"name": "short", "flow": FLOW, "replies": {"a": [{"result": 1}], "b": [{"result": 2}]}, "expect": {}}
    )
    setting = setting_of(prepare(test))
    ended = run_to_end(setting)
    assert ended.outcome.status == "succeeded"
    return ended.store


def row(store: MemoryStore, node: str) -> StepRow:
    found: StepRow = next(one for one in store.rows("steps") if one.node == node)
    return found


def lower_seq(store: MemoryStore) -> None:
    store.events.pop()


def alter_event(store: MemoryStore) -> None:
    store.events[1].data["more"] = 1


def swap_events(store: MemoryStore) -> None:
    store.events[1], store.events[2] = store.events[2], store.events[1]


def revive(store: MemoryStore) -> None:
    row(store, "b").status = StepStatus.RUNNING


def change_usage(store: MemoryStore) -> None:
    changed = copy_row(row(store, "a"))
    changed.usage.input_tokens = 5
    store._put("steps", changed)


def go_on_without_life(store: MemoryStore) -> None:
    store._run.status = RunStatus.ACTIVE


def miscount(store: MemoryStore) -> None:
    store._run.running = 1


def count_a_path_too_many(store: MemoryStore) -> None:
    store.rows("scopes")[0].live = 1


def succeed_twice(store: MemoryStore) -> None:
    row(store, "b").path = "a"


@pytest.mark.parametrize(
    ("breakage", "told"),
    [
        (lower_seq, "the run counts"),
        (alter_event, "is not what was hashed"),
        (swap_events, "has the number"),
        (revive, "lives again"),
        (change_usage, "changed its usage"),
        (go_on_without_life, "nothing in it is alive"),
        (miscount, "says running = 1"),
        (count_a_path_too_many, "says live = 1"),
        (succeed_twice, "succeeded 2 times"),
    ],
)
def test_the_watcher_names_what_is_broken(
    ended: MemoryStore, breakage: Callable[[MemoryStore], Any], told: str
) -> None:
    watcher = Watcher()
    watcher.check(ended)
    breakage(ended)
    if breakage in (alter_event, swap_events):
        watcher = Watcher()
    with pytest.raises(InvariantError, match=told):
        watcher.check(ended)
