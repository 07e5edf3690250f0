"""A test run that stands still ends by itself and names the test that had begun."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.site import ROOT
from tests.support.standstill import EXIT_CODE

CONFTEST = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.support.standstill import Standstill
def pytest_configure(config):
    config.pluginmanager.register(Standstill(config, 1.0))
"""
HANGS = """
import time
def test_quick(): ...
def test_hangs(): time.sleep(120)
"""


def test_the_test_that_hangs_is_named(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(HANGS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:django", "-p", "no:valkey", "-p", "no:schemathesis"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    assert result.returncode == EXIT_CODE, result.stdout + result.stderr
    assert result.stdout.rstrip().endswith("Begun and not ended:\n  test_it.py::test_hangs"), result.stdout
