"""The sample flow for research on a worker that is killed while it takes evidence: the same report, to the byte."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import runner.samples
from tests.support.crashing import AFTER_CALL, BEFORE_CALL, crash_file
from tests.support.crew import Crew
from tests.support.site import wait_until

pytestmark = [pytest.mark.processes, pytest.mark.slow]

FLOW = json.loads((Path(runner.samples.__file__).parent / "flows" / "deep_research.json").read_bytes())
#: Nodes whose attempts a worker runs; a member of a group has a path that ends with its number.
WORK = {node["id"] for node in FLOW["nodes"] if node["type"] in ("agent", "handler", "tool_call")}
STEP_SEVEN = re.compile(r"extract_evidence\[\d+\]\.extract$")


def attempts_of(told: dict[str, Any]) -> list[str]:
    """The paths of the attempts of a run that a worker ran, in order."""
    paths = [path for _, kind, path, _ in told["events"] if kind in ("step-start", "attempt-start")]
    return [path for path in paths if path.endswith("]") or path.rpartition(".")[2] in WORK]


def middle_of_step_seven(attempts: list[str]) -> int:
    """Which attempt of the run, counted from 1, takes evidence from a document in the middle."""
    places = [place for place, path in enumerate(attempts, 1) if STEP_SEVEN.match(path)]
    assert len(places) > 2, "there is no middle"
    return places[len(places) // 2]


def test_killed_in_the_middle_of_taking_evidence_nothing_changes(crew: Crew) -> None:
    whole = crew.agent.ask("start_with_own_tools", FLOW)
    expected = crew.agent.wait_for(whole, "succeeded", 120)
    attempts = attempts_of(crew.agent.ask("history", whole))
    middle = middle_of_step_seven(attempts)
    for point in (BEFORE_CALL, AFTER_CALL):
        crash_file(crew.var).write_text(f"{point}:{middle}")
        killed = crew.agent.ask("start_with_own_tools", FLOW)
        wait_until(crew.has_ended, 30, f"the worker dies {point}")
        crew.start_worker()
        found = crew.agent.wait_for(killed, "succeeded", 120)
        assert found["result"] == expected["result"]
        assert crew.agent.ask("artifacts", killed) == crew.agent.ask("artifacts", whole)
        told = crew.agent.ask("history", killed)
        lost = [path for _, kind, path, _ in told["events"] if kind == "attempt-lost"]
        assert told["fault"] is None and lost == [attempts[middle - 1]], lost
        assert [path for path, *_, count in told["steps"] if count] == lost
        assert attempts_of(told) == attempts
