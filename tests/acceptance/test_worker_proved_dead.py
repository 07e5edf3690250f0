"""A worker that is killed on the sweeper's machine: its step goes on at once, however long its lease."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from tests.support.crew import Crew
from tests.support.postgres import create_database
from tests.support.runs import call, document
from tests.support.stand_in import StandIn

pytestmark = pytest.mark.processes

HOURS = str(5 * 3_600_000)


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_no_lease_of_a_dead_process_is_waited_for(
    database: str, tmp_path: Path, stand_in: StandIn, request: pytest.FixtureRequest
) -> None:
    url = None
    if database == "postgres":
        url = create_database(request.getfixturevalue("postgres_server"), f"dead-{uuid.uuid4().hex[:12]}")
    crew = Crew(
        tmp_path / "crew", url, FLOWSITE_STAND_IN_URL=stand_in.url, FLOWSITE_SWEEP_MS="200", FLOWSITE_LEASE_MS=HOURS
    )
    stand_in.answer = lambda call: {"hang": True} if stand_in.count() == 1 else {"result": call["path"]}
    try:
        crew.start()
        run_id = crew.agent.start(document([call("only", "work")]))
        stand_in.wait_for("only")
        crew.kill()
        crew.start_worker("another")
        assert crew.agent.wait_for(run_id, "succeeded")["result"] == "only"
        told = crew.agent.check_whole(run_id, stand_in.by_path())
        assert told["steps"] == [["only", 1, 1, "succeeded", 1]]
        assert [event[1] for event in told["events"]].count("attempt-lost") == 1
        assert stand_in.calls[1]["fence"] > stand_in.calls[0]["fence"]
    finally:
        crew.close()
