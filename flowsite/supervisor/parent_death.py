"""Asks the kernel to end this process when its parent ends. Linux only; elsewhere it does nothing."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(parent_pid: int, death_signal: signal.Signals = signal.SIGKILL) -> None:
    """Receive `death_signal` when the parent `parent_pid` dies; exit at once if it is already gone.

    The kernel means the parent's *thread* that made this process, so it must be made from the main thread.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
    if os.getppid() != parent_pid:
        os._exit(1)
