"""A worker that is killed loses nothing: its run ends right, and no completed step runs twice."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.crashing import POINTS, crash_file
from tests.support.flow_runs import Agent
from tests.support.runs import call, document
from tests.support.site import Site, wait_until
from tests.support.stand_in import StandIn

pytestmark = pytest.mark.processes

LEAVES = ("one", "two", "three", "four")


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


PATHS = ("first", "second", *(f"all.{leaf}" for leaf in LEAVES), "last")


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    server = StandIn()
    yield server
    server.close()


@pytest.fixture
def site(database_url: str, make_site: Callable[..., Site], stand_in: StandIn) -> Site:
    site = make_site(
        None if database_url.startswith("sqlite") else database_url,
        DJANGO_SETTINGS_MODULE="tests.support.crash_settings",
        FLOWSITE_STAND_IN_URL=stand_in.url,
        FLOWSITE_LEASE_MS="1500",
        FLOWSITE_SWEEP_MS="200",
    )
    site.start()
    return site


@pytest.fixture
def agent(site: Site) -> Iterator[Agent]:
    agent = Agent(site)
    yield agent
    agent.close()


def test_killed_at_every_named_point_and_during_a_call(site: Site, agent: Agent, stand_in: StandIn) -> None:
    for count, point in enumerate(POINTS, start=2):
        stand_in.forget()
        crash_file(site.var).write_text(f"{point}:{count}")
        before = site.pid("worker")
        assert before is not None
        run_id = agent.start(flow())
        site.wait_for_restart("worker", before)
        assert not crash_file(site.var).exists(), f"the worker did not die {point}"
        found = agent.wait_for(run_id, "succeeded")
        assert found["result"] == "last"
        assert set(stand_in.by_path()) == set(PATHS)
        agent.check_whole(run_id, stand_in.by_path())

    stand_in.forget()
    stand_in.answer = lambda call: {"hang": True} if stand_in.count("second") == 1 else {"result": call["path"]}
    run_id = agent.start(flow())
    stand_in.wait_for("second")
    old = site.kill("worker")
    site.wait_for_restart("worker", old)
    agent.wait_for(run_id, "succeeded")
    told = agent.check_whole(run_id, stand_in.by_path())
    calls = [one for one in stand_in.calls if one["path"] == "second"]
    assert len(calls) == 2 and calls[0]["effect_key"] == calls[1]["effect_key"]
    assert calls[1]["fence"] > calls[0]["fence"]
    types = [(event[1], event[2]) for event in told["events"]]
    assert types.count(("attempt-lost", "second")) == 1 and types.count(("step-start", "second")) == 1


def test_a_worker_that_is_stopped_in_order_hands_its_step_back(site: Site, agent: Agent, stand_in: StandIn) -> None:
    stand_in.answer = lambda call: {"hang": True} if stand_in.count() == 1 else {"result": 1}
    run_id = agent.start(document([call("only", "work")]))
    stand_in.wait_for("only")
    old = site.kill("worker", signal.SIGTERM)
    site.wait_for_restart("worker", old)
    wait_until(lambda: stand_in.count() == 2, 20, "the step ran again")
    agent.wait_for(run_id, "succeeded")
    told = agent.check_whole(run_id, {})
    assert told["steps"] == [["only", 1, 1, "succeeded", 0]]
    assert "attempt-lost" not in [event[1] for event in told["events"]]


def test_a_sweeper_that_is_killed_comes_back_and_timers_fire(site: Site, agent: Agent, stand_in: StandIn) -> None:
    run_id = start_flow_test(
        site,
        document(
            [{"id": "wait", "type": "wait", "config": {"duration_ms": 2_000}}, call("then", "work")], ["wait>then"]
        ),
        replies={"work": [{}]},
    )
    old = site.kill("sweeper")
    site.wait_for_restart("sweeper", old)
    agent.wait_for(run_id, "succeeded")
    agent.check_whole(run_id, stand_in.by_path())
