"""The incident switch beside real workers: what is stopped waits, loses nothing, and goes on by itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.crew import Crew
from tests.support.runs import call, document
from tests.support.stand_in import StandIn

pytestmark = pytest.mark.processes


@pytest.fixture
def two_workers(crew: Crew) -> Iterator[Crew]:
    """Two workers on the same queues."""
    crew.start_worker("another")
    yield crew
    crew.kill("another")


def test_running_work_of_every_worker_stops_at_its_next_claim_and_goes_on_after_the_release(
    two_workers: Crew, stand_in: StandIn
) -> None:
    crew, go_on = two_workers, threading.Event()

    def answer(asked: dict[str, Any]) -> dict[str, Any]:
        return {"result": asked["path"]} if go_on.wait(60) else {}

    stand_in.answer = answer
    flow = document([call("first", "work"), call("second", "work")], ["first>second"])
    runs = [crew.agent.start(flow) for _ in range(4)]
    stand_in.wait_for("first", count=4)  # each process of both workers holds one
    stop_id = crew.agent.ask("stop", "all", "", "a real alarm")
    go_on.set()
    for run_id in runs:
        crew.agent.wait_for(
            run_id,
            lambda _, run_id=run_id: "step-complete" in [e[1] for e in crew.agent.ask("history", run_id)["events"]],
        )
    with pytest.raises(AssertionError, match=r"everything is stopped by ada since .*: a real alarm"):
        crew.agent.start(flow)
    crew.kill("another")  # nor does a worker that starts meanwhile, and sweeps
    crew.start_worker("another")
    time.sleep(1)
    assert stand_in.count("second") == 0
    crew.agent.ask("release", stop_id)
    for run_id in runs:
        crew.agent.wait_for(run_id, "succeeded")
        crew.agent.check_whole(run_id, {})
    assert stand_in.by_path() == {"first": 4, "second": 4}


def test_a_stopped_tool_holds_only_the_steps_that_would_call_it(crew: Crew) -> None:
    stop_id = crew.agent.ask("stop", "tool", "sort_by_keywords", "it sorts wrongly")
    held = crew.agent.ask(
        "start_with_own_tools", document([call("sort", "sort_by_keywords", {"message": "the invoice is wrong"})])
    )
    free = crew.agent.ask("start_with_own_tools", document([call("choose", "choose_model", {"wanted": False})]))
    crew.agent.wait_for(free, "succeeded")
    assert crew.agent.ask("history", held)["steps"] == [["sort", 1, 1, "pending", 0]]
    crew.agent.ask("release", stop_id)
    crew.agent.wait_for(held, "succeeded")
    assert crew.agent.check_whole(held, {})["steps"] == [["sort", 1, 1, "succeeded", 0]]
