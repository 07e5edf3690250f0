"""The flow tests that are shipped beside the sample flows: they hold their documents, and they pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import runner.samples
from runner.simulation.flow_test import run_flow_test
from runner.simulation.flow_test_file import read_flow_test

FOLDER = Path(runner.samples.__file__).parent
FILES = sorted((FOLDER / "tests").glob("*.json"))
KILLED_EVERYWHERE = {
    "pays-what-a-reviewer-approves",
    "research-takes-ten-steps",
    "triage-sorts-by-words-when-the-model-fails",
    "triage-tries-to-send-again",
}


def test_they_are_there() -> None:
    assert len(FILES) >= 25
    assert {path.stem for path in FILES} >= KILLED_EVERYWHERE


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_is_about_the_flow_as_shipped(path: Path) -> None:
    document = json.loads(path.read_bytes())["flow"]
    shipped = json.loads((FOLDER / "flows" / f"{document['id']}.json").read_bytes())
    assert document == shipped, "copy the flow's new document into its tests"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_passes(path: Path) -> None:
    verdict = run_flow_test(read_flow_test(path.read_bytes(), path.name), crash=path.stem in KILLED_EVERYWHERE)
    assert verdict.failures == []
