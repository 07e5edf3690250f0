"""Golden runs: the code of today gives the same histories, and still reads those that were recorded."""

from __future__ import annotations

import json

import pytest

from runner.engine.errors import RunError
from runner.engine.events import event_hash
from runner.simulation.history import history_differences, replay_differences
from runner.simulation.memory import MemoryStore
from runner.simulation.runs import SimulatedRun, fork_of
from tests.golden.golden import KEPT, TESTS, differences, kept, run_now

AGAIN = "If that was meant: python -m tests.golden.record --write"


def test_every_golden_run_is_recorded_and_nothing_else() -> None:
    assert sorted(path.stem for path in KEPT.glob("*.json")) == sorted(TESTS)


@pytest.mark.parametrize("name", TESTS)
def test_the_same_history_comes_out_today(name: str) -> None:
    found = differences(kept(name), run_now(name))
    assert found == [], f"{AGAIN}\n" + "\n".join(found)


@pytest.mark.parametrize("name", TESTS)
def test_what_was_recorded_can_still_be_read(name: str) -> None:
    for recorded, (_, program) in zip(kept(name)["runs"], run_now(name).runs, strict=True):
        store = MemoryStore.restore(json.dumps(recorded))
        before = ""
        for event in store.events:
            assert (event_hash(event.text), event.prev) == (event.hash, before)
            before = event.hash
        assert [*history_differences(store), *replay_differences(store, {None: program})] == []
        for seq in range(1, store.seen.seq + 1):
            try:
                fork_of(SimulatedRun(program, store), seq)
            except RunError as refused:
                assert refused.code == "run_finished"
