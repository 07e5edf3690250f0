"""An app for tests alone: it kills a worker with SIGKILL at a named point, once, where a file says so.

The file `crash_at` in the site's folder holds `POINT:N`: die when the point is reached for the Nth time.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.conf import settings

BEFORE_CALL, AFTER_CALL = "before the call", "after the call"
BEFORE_COMMIT, AFTER_COMMIT, AFTER_HINTS = "before the commit", "after the commit", "after the hints"
POINTS = (BEFORE_CALL, AFTER_CALL, BEFORE_COMMIT, AFTER_COMMIT, AFTER_HINTS)


def crash_file(var: Path) -> Path:
    """Where a test writes what shall happen."""
    return var / "crash_at"


def reached(point: str) -> None:
    """Die, worker and all, if it is time to."""
    path = crash_file(settings.VAR)
    try:
        wanted, _, left = path.read_text().partition(":")
    except OSError:
        return
    if wanted != point:
        return
    if int(left) > 1:
        path.write_text(f"{point}:{int(left) - 1}")
        return
    path.unlink()
    os.kill(os.getppid(), signal.SIGKILL)  # the pool's processes die with it
    os.kill(os.getpid(), signal.SIGKILL)


def _around(module: Any, name: str, before: str | None, after: str | None) -> None:
    inner: Callable[..., Any] = getattr(module, name)

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if before:
            reached(before)
        result = inner(*args, **kwargs)
        if after:
            reached(after)
        return result

    setattr(module, name, wrapped)


class CrashingConfig(AppConfig):
    """Puts the points into the worker's code."""

    name = "tests.support.crashing"
    label = "crashing"

    def ready(self) -> None:
        if not os.environ.get("FLOWSITE_READY_FILE"):
            return  # only the worker dies
        from runner.services import after_commit, steps
        from runner.store.transactions import RunTransaction

        _around(steps, "run_attempt", BEFORE_CALL, AFTER_CALL)
        _around(RunTransaction, "write", None, BEFORE_COMMIT)
        _around(after_commit, "announce", AFTER_COMMIT, AFTER_HINTS)
