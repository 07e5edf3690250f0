"""Which flow tests are golden, what is kept of their runs, and in what a run of today differs from what was kept."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.engine.program import Program
from runner.simulation.crash import run_to_end
from runner.simulation.flow_test import prepare, setting_of
from runner.simulation.flow_test_file import read_flow_test
from runner.simulation.memory import MemoryStore
from runner.simulation.runs import SimulatedRun

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).parent / "runs"

_FLOWS = """
    approval-approved approval-node approval-rejected-edge artifact budget-exhausted cancel container-retry-skips-done
    fan-out fan-out-conditional for-each-concurrent handler-sees-declared-inputs join-active join-any loop-limit-edge
    loop-until-covered one-of-first-match parallel-failure-cancels parallel-isolated pause-resume retry-step
    retry-then-success return-cancels throw timeout-then-retry wait
"""
_CONTRACT = """
    approval-changed-arguments artifact-in-parallel budget-of-container-cancels fan-out-nested
    for-each-collect-concurrent join-absorbed-by-a-path-that-joined-again loop-through-a-container
    stop-when-cancels-nested timeout-container-parallel wait-signals-kept-in-order
"""
_MORE = "agent-approval agent-loop subflow tool-group"
_SAMPLES = """
    asks-above-the-limit notes-what-a-reviewer-rejects pays-what-a-reviewer-approves pays-what-a-reviewer-changed
    tries-a-payment-again triage-answers-from-the-sales-desk triage-asks-the-model-where-there-is-one
    triage-sends-what-the-reviewer-wrote triage-tries-to-send-again
"""

TESTS: dict[str, Path] = {
    name: ROOT / folder / f"{name}.json"
    for folder, names in (
        ("tests/conformance/flows", _FLOWS),
        ("tests/conformance/contract", _CONTRACT),
        ("tests/conformance/flows-more", _MORE),
        ("runner/samples/tests", _SAMPLES),
    )
    for name in names.split()
}


@dataclass(frozen=True)
class Golden:
    """The rows of a run and its child runs when it had come to rest, each with its program, and what came of it."""

    runs: list[tuple[MemoryStore, Program]]
    end: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """What is kept in a file."""
        return {"end": self.end, "runs": [json.loads(store.save()) for store, _ in self.runs]}


def run_now(name: str) -> Golden:
    """Run a golden flow test with the code of today."""
    test = read_flow_test(TESTS[name].read_bytes(), name)
    prepared = prepare(test)
    assert prepared.refusal is None, prepared.refusal
    ended = run_to_end(setting_of(prepared))
    outcome = ended.outcome
    end = {part: getattr(outcome, part) for part in ("status", "state", "result", "error", "artifacts")}
    runs: list[SimulatedRun] = ended.runs
    return Golden([(run.store, run.program) for run in runs], end)


def kept(name: str) -> dict[str, Any]:
    """What was recorded. Raises FileNotFoundError where nothing was."""
    found: dict[str, Any] = json.loads((KEPT / f"{name}.json").read_text())
    return found


def write(name: str, golden: Golden) -> None:
    """Record a run, in place of what was recorded before."""
    KEPT.mkdir(exist_ok=True)
    text = json.dumps(golden.as_json(), ensure_ascii=False, indent=0, sort_keys=True, separators=(",", ":"))
    (KEPT / f"{name}.json").write_text(text + "\n")


def differences(before: dict[str, Any] | None, golden: Golden) -> list[str]:
    """In what a run of today differs from what was recorded: lines of a unified diff."""
    now = golden.as_json()
    return list(difflib.unified_diff(_lines(before), _lines(now), "recorded", "now", lineterm="", n=1))


def _lines(told: dict[str, Any] | None) -> list[str]:
    """The events of all runs, as they were hashed, then what came of it."""
    if told is None:
        return []
    events = [event["text"] for run in told["runs"] for event in run["events"]]
    return [*events, *(f"{part}: {json.dumps(value, sort_keys=True)}" for part, value in sorted(told["end"].items()))]
