"""Runs of flow tests on a site of real processes: started, watched and checked from outside."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from tests.support.site import ROOT


class Agent:
    """A process of the site that does what a test asks: see site_agent.py."""

    def __init__(self, environment: dict[str, str], output: Callable[[], str]) -> None:
        self._output = output
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.site_agent"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, verb: str, *arguments: Any) -> Any:
        """Have the agent do something; gives its answer. Raises AssertionError with the agent's traceback."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([verb, arguments]) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def start(self, flow: dict[str, Any], options: dict[str, Any] | None = None, **test: Any) -> str:
        """Start a run of a flow test whose tool is called `work`; gives the run's id."""
        return str(self.ask("start", flow, {"replies": {"work": [{}]}} | test, options or {}))

    def wait_for(
        self, run_id: str, wanted: str | Callable[[dict[str, Any]], bool], timeout_s: float = 60
    ) -> dict[str, Any]:
        """Wait until a run has a status, or its report pleases. Raises AssertionError with all that is known."""
        until = time.monotonic() + timeout_s
        while True:
            found: dict[str, Any] = self.ask("look", run_id)
            if wanted(found) if callable(wanted) else found["status"] == wanted:
                return found
            if time.monotonic() > until:
                told = json.dumps(self.ask("history", run_id), indent=1)
                raise AssertionError(f"{found}\n{told}\n{self._output()[-8000:]}")
            time.sleep(0.1)

    def check_whole(self, run_id: str, calls: dict[str, int]) -> dict[str, Any]:
        """No event is missing or doubled, no completed step ran twice, and every repeated call was a lost one.

        `calls` are the calls that came for each path. Gives the history. Raises AssertionError.
        """
        told: dict[str, Any] = self.ask("history", run_id)
        assert told["fault"] is None
        assert [event[0] for event in told["events"]] == list(range(1, len(told["events"]) + 1))
        completed = [event[2] for event in told["events"] if event[1] == "step-complete"]
        assert len(completed) == len(set(completed)), completed
        lost = {path: count for path, _, _, _, count in told["steps"]}
        for path, count in calls.items():
            assert count <= 1 + lost[path], f"{path} was called {count} times, and lost {lost[path]} times"
        return told

    def close(self) -> None:
        """End the agent."""
        self._process.kill()
        self._process.wait()
