"""One JSON line in, one out: how the benchmark asks the processes that do its work. Standard library only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


class TalkError(RuntimeError):
    """The other process could not do what it was asked; the message holds its traceback."""


class Talker:
    """A child process that answers; see `answer`."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str]) -> None:
        self.pid = 0
        self._process = subprocess.Popen(
            list(argv), cwd=ROOT, env=dict(environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid = self._process.pid

    def ask(self, verb: str, **arguments: Any) -> Any:
        """Have it do something; gives its answer. Raises TalkError."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([verb, arguments]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise TalkError(f"The process that was asked for {verb} {arguments} has ended.")
        answer = json.loads(line)
        if "error" in answer:
            raise TalkError(answer["error"])
        return answer["value"]

    def close(self) -> None:
        """Let the process end: nothing more is asked. One that does not is killed."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def answer(verbs: Mapping[str, Callable[..., Any]]) -> None:
    """Answer calls until the input ends. What the work prints goes to the error stream."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        verb, arguments = json.loads(line)
        try:
            said = {"value": verbs[verb](**arguments)}
        except Exception:
            said = {"error": traceback.format_exc()}
        out.write(json.dumps(said) + "\n")
        out.flush()
