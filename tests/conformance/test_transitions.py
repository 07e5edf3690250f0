"""Every pair of a status and a happening is exercised by the flow tests, or cannot come about for a given reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.simulation.covering import cover
from runner.simulation.flow_test_file import FlowTest, read_flow_test
from runner.simulation.transitions import IMPOSSIBLE, PAIRS, Transitions

HERE = Path(__file__).parent
FILES = [*sorted(HERE.glob("flows*/*.json")), *sorted(HERE.glob("contract/*.json"))]
SEEDS = range(1, 7)


@pytest.fixture(scope="module")
def tests() -> list[FlowTest]:
    return [read_flow_test(path.read_bytes(), path.name) for path in FILES]


@pytest.mark.slow
def test_every_pair_is_exercised_or_declared_impossible(tests: list[FlowTest]) -> None:
    transitions = cover(tests, SEEDS)
    print("\n".join(transitions.lines()))
    assert list(transitions.open()) == []
    assert list(transitions.contradictions()) == []


def test_what_was_not_exercised_is_told(tests: list[FlowTest]) -> None:
    few = cover([test for test in tests if test.name == "linear"][:1], ())
    assert len(list(few.open())) > 20 or not few.seen
    assert any("NOT EXERCISED" in line for line in few.lines())


def test_each_reason_covers_something_and_no_pair_is_declared_twice() -> None:
    for one in IMPOSSIBLE:
        assert any(one.covers(pair) for pair in PAIRS), one
    assert all(sum(one.covers(pair) for one in IMPOSSIBLE) <= 1 for pair in PAIRS)


def test_a_pair_that_came_about_although_declared_is_told() -> None:
    transitions = Transitions()
    transitions._note([("step", "skipped", "StepFinished")], "changed")
    assert list(transitions.contradictions()) == [("step", "skipped", "StepFinished")]
