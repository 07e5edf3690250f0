"""Locks between processes, on files: waited for in steps, so that a call that is told to stop does."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_STEP_SECONDS = 0.02


@contextmanager
def locked(path: Path, *, shared: bool = False, go_on: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock of a file; the file stays. `go_on` is called while waiting, and may raise.

    The lock goes with the process, however that ends.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        while True:
            try:
                fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                go_on()
                time.sleep(_STEP_SECONDS)
        yield
    finally:
        os.close(descriptor)
