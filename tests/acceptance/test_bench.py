"""`manage.py bench`: that it measures the real runner and says what it found, not how fast that is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench.rounds import WORKLOADS
from tests.support.site import ROOT

pytestmark = pytest.mark.processes


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    surroundings = {name: value for name, value in os.environ.items() if name != "FLOWSITE_TEST_OWNER"}
    return subprocess.run(
        [sys.executable, "manage.py", "bench", *arguments],
        cwd=ROOT,
        env={**surroundings, "DJANGO_SETTINGS_MODULE": "flowsite.settings", "FLOWSITE_NO_BOOTSTRAP": "1"},
        check=False,
        capture_output=True,
        text=True,
        timeout=900,
    )


@pytest.mark.timeout(900)
def test_a_quick_round_fills_the_table_and_the_file(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    done = bench("--quick", "--db", "sqlite", "--json", str(path), "--against", "dbos,celery", "--peers", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert f"dbos is not installed: python3 -m venv {tmp_path}/dbos && " in done.stderr
    found = json.loads(path.read_text())
    rows: dict[str, dict[str, Any]] = {row["workload"]: row for row in found["rows"]}
    assert {row.partition(" ")[0] for row in rows} == {*WORKLOADS, "fill"}
    linear = rows["LINEAR"]
    assert (linear["steps"], linear["database"]) == (10, "sqlite")
    assert linear["of_limit"] > 0 and linear["cpu_ms_step"] > 0 and linear["against"] == {}
    # The lock, the two step runs, the events and the run's row; and what a start and a claim add once.
    assert 5 <= linear["more"]["statements"] <= 10
    assert linear["more"]["bytes"] > 1_000 and linear["more"]["peak_mb"] > 0
    assert set(rows["FANOUT by worker"]["against"]) == {"celery"}
    assert rows["LONG"]["more"]["growth_bytes"] > 0 and rows["LONG"]["steps"] == 500
    assert rows["LIVE 1"]["more"]["p95_ms"] > 0 and rows["LIVE 1"]["more"]["busy_steps_s"] > 0
    assert rows["MANY"]["steps"] == rows["WORKERS 2"]["steps"] == 25
    assert rows["EDITOR"]["more"]["checks_ms"] > 0 and rows["EDITOR"]["more"]["open_ms"] > 0
    assert rows["INBOX"]["every"]["reviewer decides"] > 0 and rows["HISTORY"]["more"]["pages"] > 20
    assert rows["MEMORY"]["more"]["web_worker_redis_mb"] > rows["MEMORY"]["more"]["worker_mb"] > 0
    assert rows["ONE_RUN 4 on one run"]["steps"] == 9 and rows["ONE_RUN 4 on runs of their own"]["steps"] == 36
    assert rows["EVENTS 4 a commit, 2 at once"]["more"]["bytes"] > 0 and rows["MESSAGES"]["more"]["hints_s"] > 0
    assert {"python", "django", "sqlite", "celery"} <= set(found["versions"])
    assert found["machine"]["cores"] and found["date"] and "--quick" in found["command"]
    assert done.stdout.startswith("| workload | database |")


def test_an_unknown_workload_or_runner_is_refused_with_what_there_is() -> None:
    unknown = bench("LINEER")
    assert unknown.returncode == 2 and "There is no workload LINEER. There are: LINEAR, FANOUT," in unknown.stderr
    stranger = bench("LINEAR", "--against", "airflow")
    assert stranger.returncode == 2 and "There are: langgraph, dbos, celery." in stranger.stderr
