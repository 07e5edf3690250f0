"""`manage.py run_flow` beside a real worker: events as they come, the result, the exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.crew import Crew
from tests.support.runs import document, transform

pytestmark = pytest.mark.processes


def test_a_file_runs_on_the_worker_and_is_followed_to_its_end(crew: Crew, tmp_path: Path) -> None:
    path = tmp_path / "flow.json"
    nodes = [
        transform("first"),
        {"id": "wait", "type": "wait", "config": {"duration_ms": 300}},
        {"id": "answer", "type": "return", "config": {"value": "$n"}},
    ]
    inputs = [{"name": "n", "type": "integer", "required": True}]
    path.write_text(json.dumps(document(nodes, ["first>wait", "wait>answer"], inputs=inputs)))
    done = crew.manage("run_flow", str(path), "--input", "n=42")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    types = [line.split()[2] for line in lines if re.match(r" *\d+  \d\d:\d\d", line)]
    assert types[0] == "flow-start" and types[-1] == "flow-complete" and types.count("step-complete") == 3
    assert lines[-1] == "42"
    run_id = lines[0].split()[1]
    assert crew.manage("verify_history", run_id).returncode == 0
    assert json.loads(crew.manage("run_status", run_id, "--json").stdout)["status"] == "succeeded"


def test_a_hundred_runs_at_once_all_end(crew: Crew) -> None:
    flow = document([transform(f"n{n}") for n in range(5)], [f"n{n}>n{n + 1}" for n in range(4)])
    runs = [crew.agent.start(flow) for _ in range(100)]
    for run_id in runs:
        crew.agent.wait_for(run_id, "succeeded")
