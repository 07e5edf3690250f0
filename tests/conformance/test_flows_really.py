"""The conformance set and some random flows through real workers, store and queue, on SQLite and on Postgres."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = [ROOT / "tests" / "conformance" / name for name in ("flows", "flows-more")]
#: Flow tests of the sample flow with most kinds of nodes.
RESEARCH = (
    "takes-ten-steps",
    "searches-again-while-sources-are-missing",
    "asks-before-each-search-where-a-tool-says-so",
)
SAMPLES = [ROOT / "runner" / "samples" / "tests" / f"research-{name}.json" for name in RESEARCH]
#: Random flows, whose outcome in the simulator is expected of the real runner.
RANDOM = 4


@pytest.mark.processes
@pytest.mark.slow
def test_all_flow_tests_pass_on_the_real_runner(database_url: str) -> None:
    environment = os.environ | {"DATABASE_URL": database_url, "FLOWSITE_NO_BOOTSTRAP": "1"}
    command = [
        sys.executable,
        "manage.py",
        "test_flow",
        "--real",
        "--random",
        str(RANDOM),
        *map(str, FOLDERS + SAMPLES),
    ]
    count = RANDOM + len(SAMPLES) + sum(len(list(folder.glob("*.json"))) for folder in FOLDERS)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[-1] == f"{count} passed, 0 failed", done.stdout
    assert done.returncode == 0
