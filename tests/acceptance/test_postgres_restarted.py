"""A database that goes away for a moment: workers and sweeper wait for it, and runs end right."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

import pytest

from tests.support.crew import Crew
from tests.support.postgres import PostgresCluster, create_database
from tests.support.runs import call, document
from tests.support.stand_in import StandIn

pytestmark = pytest.mark.processes


def test_a_result_that_finds_no_database_is_committed_when_it_is_back(
    postgres_cluster: PostgresCluster, tmp_path: Path, stand_in: StandIn
) -> None:
    url = create_database(postgres_cluster.url(), "site")
    crew = Crew(tmp_path / "crew", url, FLOWSITE_STAND_IN_URL=stand_in.url, FLOWSITE_SWEEP_MS="200")
    release = threading.Event()
    stand_in.answer = lambda call: {"result": release.wait(30) and call["path"]}
    try:
        crew.start()
        run_id = crew.agent.start(document([call("first", "work"), call("second", "work")], ["first>second"]))
        stand_in.wait_for("first")
        postgres_cluster.stop(signal.SIGQUIT)  # as in a crash: all sessions end at once
        release.set()
        time.sleep(1.5)
        postgres_cluster.start()
        assert crew.agent.wait_for(run_id, "succeeded")["result"] == "second"
        assert stand_in.by_path() == {"first": 1, "second": 1}
        crew.agent.check_whole(run_id, stand_in.by_path())
    finally:
        crew.close()
