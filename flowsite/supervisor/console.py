"""What the person at the terminal sees: the supervisor's lines, and those of its children."""

from __future__ import annotations

import sys


class Console:
    """Writes whole lines only. A terminal that went away is no reason to stop: then nothing is written."""

    def __init__(self) -> None:
        self._unfinished: dict[str, bytes] = {}

    def say(self, text: str) -> None:
        self._print(text)

    def write(self, name: str, data: bytes) -> None:
        """Take output of the child `name`; print each line once it is complete."""
        *lines, rest = (self._unfinished.pop(name, b"") + data).split(b"\n")
        for line in lines:
            self._print_line(name, line)
        if rest:
            self._unfinished[name] = rest

    def end_line(self, name: str) -> None:
        """Print what the child `name` wrote last without ending its line."""
        if rest := self._unfinished.pop(name, b""):
            self._print_line(name, rest)

    def _print_line(self, name: str, line: bytes) -> None:
        if line.startswith(b"{"):  # a log line for programs: they read it as it is
            self._print(line.decode(errors="replace").rstrip())
            return
        self._print(f"{name:<8} | {line.decode(errors='replace').rstrip()}")

    def _print(self, text: str) -> None:
        try:
            print(text, flush=True)
        except OSError:
            sys.stdout = open("/dev/null", "w")  # noqa: SIM115 - stays open until the end
