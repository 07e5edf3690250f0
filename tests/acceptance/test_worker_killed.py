"""A worker that is killed loses nothing: its run ends right, and no completed step runs twice."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from tests.support.crashing import POINTS, crash_file
from tests.support.crew import Crew
from tests.support.runs import call, document
from tests.support.site import wait_until
from tests.support.stand_in import StandIn

pytestmark = pytest.mark.processes

LEAVES = ("one", "two", "three", "four")
PATHS = ("first", "second", *(f"all.{leaf}" for leaf in LEAVES), "last")


def flow() -> dict[str, Any]:
    """Two steps, four at once, and one after all of them."""
    nodes = [
        call("first", "work"),
        call("second", "work"),
        {"id": "all", "type": "parallel", "config": {}},
        *(call(leaf, "work", parent="all") for leaf in LEAVES),
        call("last", "work"),
    ]
    return document(nodes, ["first>second", "second>all", "all>last"])


def test_killed_at_every_named_point(crew: Crew, stand_in: StandIn) -> None:
    for count, point in enumerate(POINTS, start=2):
        stand_in.forget()
        crash_file(crew.var).write_text(f"{point}:{count}")
        run_id = crew.agent.start(flow())
        wait_until(crew.has_ended, 30, f"the worker dies {point}")
        crew.start_worker()
        found = crew.agent.wait_for(run_id, "succeeded")
        assert found["result"] == "last"
        assert set(stand_in.by_path()) == set(PATHS)
        crew.agent.check_whole(run_id, stand_in.by_path())


def test_killed_during_a_call(crew: Crew, stand_in: StandIn) -> None:
    stand_in.answer = lambda call: {"hang": True} if stand_in.count("second") == 1 else {"result": call["path"]}
    run_id = crew.agent.start(flow())
    stand_in.wait_for("second")
    crew.kill()
    crew.start_worker()
    crew.agent.wait_for(run_id, "succeeded")
    told = crew.agent.check_whole(run_id, stand_in.by_path())
    calls = [one for one in stand_in.calls if one["path"] == "second"]
    assert len(calls) == 2 and calls[0]["effect_key"] == calls[1]["effect_key"]
    assert calls[1]["fence"] > calls[0]["fence"]
    types = [(event[1], event[2]) for event in told["events"]]
    assert types.count(("attempt-lost", "second")) == 1 and types.count(("step-start", "second")) == 1


def test_a_worker_that_is_stopped_in_order_hands_its_step_back(crew: Crew, stand_in: StandIn) -> None:
    stand_in.answer = lambda call: {"hang": True} if stand_in.count() == 1 else {"result": 1}
    run_id = crew.agent.start(document([call("only", "work")]))
    stand_in.wait_for("only")
    crew.kill(number=signal.SIGTERM)
    crew.start_worker()
    crew.agent.wait_for(run_id, "succeeded")
    told = crew.agent.check_whole(run_id, {})
    assert told["steps"] == [["only", 1, 1, "succeeded", 0]]
    assert "attempt-lost" not in [event[1] for event in told["events"]]


def test_a_sweeper_that_is_killed_is_missed_by_nobody_once_another_runs(crew: Crew, stand_in: StandIn) -> None:
    wait = {"id": "wait", "type": "wait", "config": {"duration_ms": 1_000}}
    run_id = crew.agent.start(document([wait, call("then", "work")], ["wait>then"]))
    crew.kill("sweeper")
    crew.start_sweeper()
    crew.agent.wait_for(run_id, "succeeded")
    crew.agent.check_whole(run_id, stand_in.by_path())
