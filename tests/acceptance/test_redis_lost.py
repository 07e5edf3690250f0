"""Losing Redis loses nothing but time: emptied, stopped, or started anew without what it held."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest
import redis

from tests.support.crew import Crew
from tests.support.runs import call, document
from tests.support.stand_in import StandIn

pytestmark = pytest.mark.processes


def flow() -> dict[str, object]:
    """One step, six at once, one after all of them."""
    leaves = [call(f"leaf{n}", "work", parent="all") for n in range(6)]
    nodes = [call("first", "work"), {"id": "all", "type": "parallel", "config": {}}, *leaves, call("last", "work")]
    return document(nodes, ["first>all", "all>last"])


def test_a_redis_that_is_emptied_in_the_middle_delays_and_loses_nothing(crew: Crew, stand_in: StandIn) -> None:
    release = threading.Event()
    stand_in.answer = lambda call: {"result": release.wait(20) and call["path"]}
    run_id = crew.agent.start(flow())
    stand_in.wait_for("first")
    other = crew.agent.start(flow())
    redis.Redis.from_url(crew.valkey.url).flushall()
    release.set()
    for one in (run_id, other):
        assert crew.agent.wait_for(one, "succeeded")["result"] == "last"
        crew.agent.check_whole(one, {})
    assert stand_in.count() == 16


def test_a_redis_that_dies_and_comes_back_empty_is_survived(crew: Crew, stand_in: StandIn) -> None:
    release = threading.Event()
    stand_in.answer = lambda call: {"result": release.wait(20) and call["path"]}
    run_id = crew.agent.start(flow())
    stand_in.wait_for("first")
    crew.valkey.stop(kill=True)
    release.set()
    began = time.monotonic()
    other = crew.agent.start(flow())
    assert time.monotonic() - began < 3, "starting a run waited for Redis"
    time.sleep(1)
    crew.valkey.start()
    for one in (run_id, other):
        assert crew.agent.wait_for(one, "succeeded")["result"] == "last"
        crew.agent.check_whole(one, {})
    assert stand_in.count() == 16


def test_a_redis_that_hangs_keeps_nobody_waiting(crew: Crew, stand_in: StandIn) -> None:
    assert crew.valkey.process is not None
    pid = crew.valkey.process.pid
    crew.agent.wait_for(crew.agent.start(document([call("warm", "work")])), "succeeded")
    os.kill(pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        started = [crew.agent.start(document([call("only", "work")])) for _ in range(2)]
        canceled = crew.agent.start(document([call("not_wanted", "work")]))
        crew.agent.ask("cancel", canceled)
        assert time.monotonic() - began < 3, "starting or cancelling a run waited for Redis"
    finally:
        os.kill(pid, signal.SIGCONT)
    for run_id in started:
        crew.agent.wait_for(run_id, "succeeded")
    assert crew.agent.ask("look", canceled)["status"] == "canceled"
