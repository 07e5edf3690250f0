"""The conformance set of flow tests, each run in the simulator, and again with the process killed everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.simulation.flow_test import run_flow_test
from runner.simulation.flow_test_file import FlowTest, read_flow_test

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("flows*/*.json"))


def flow_test(path: Path) -> FlowTest:
    return read_flow_test(path.read_bytes(), path.name)


def test_the_set_is_there() -> None:
    assert len(FILES) >= 95


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_flow_in_the_simulator_and_killed_at_every_boundary(path: Path) -> None:
    verdict = run_flow_test(flow_test(path), crash=True)
    assert verdict.failures == []
