"""Ends a test run in which nothing happens any more, and says which tests had begun.

A test that hangs fails by its own time limit; this is for what no limit of a test sees: a worker that died and is
waited for, or a test that cannot be interrupted.
"""

from __future__ import annotations

import os
import threading
import time

import pytest

LONGEST_SILENCE_S = 900.0
LOOKS_EVERY_S = 5.0
EXIT_CODE = 70


class Standstill:
    """Watches the reports of a run from its controlling process."""

    def __init__(self, config: pytest.Config, longest_s: float = LONGEST_SILENCE_S) -> None:
        self._config = config
        self.longest_s = longest_s
        self.begun: dict[str, None] = {}
        self._heard_at = time.monotonic()
        self._is_over = threading.Event()

    def pytest_sessionstart(self) -> None:
        threading.Thread(target=self._watch, name="standstill", daemon=True).start()

    def pytest_sessionfinish(self) -> None:
        self._is_over.set()

    def pytest_collectreport(self) -> None:
        self._heard_at = time.monotonic()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.begun[nodeid] = None
        self._heard_at = time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.begun.pop(nodeid, None)
        self._heard_at = time.monotonic()

    def _watch(self) -> None:
        while not self._is_over.wait(min(LOOKS_EVERY_S, self.longest_s)):
            if time.monotonic() - self._heard_at > self.longest_s:
                names = "".join(f"\n  {name}" for name in self.begun) or " none"
                if capture := self._config.pluginmanager.getplugin("capturemanager"):
                    capture.suspend_global_capture()
                terminal = self._config.get_terminal_writer()
                terminal.line(f"\nNothing was heard for {self.longest_s:g} s. Begun and not ended:{names}", flush=True)
                os._exit(EXIT_CODE)


def watch(config: pytest.Config) -> None:
    """Watch this run, if this process controls one and nobody sits at a debugger."""
    if not hasattr(config, "workerinput") and not config.getoption("usepdb") and not config.option.collectonly:
        config.pluginmanager.register(Standstill(config), "standstill")
