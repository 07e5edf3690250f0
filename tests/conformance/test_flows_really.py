"""The conformance set through real workers, store and queue, on SQLite and on Postgres."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FLOWS = ROOT / "tests" / "conformance" / "flows"


@pytest.mark.processes
@pytest.mark.slow
def test_all_flow_tests_pass_on_the_real_runner(database_url: str) -> None:
    environment = os.environ | {"DATABASE_URL": database_url, "FLOWSITE_NO_BOOTSTRAP": "1"}
    command = [sys.executable, "manage.py", "test_flow", "--real", str(FLOWS)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[-1] == f"{len(list(FLOWS.glob('*.json')))} passed, 0 failed", done.stdout
    assert done.returncode == 0
