"""Which process this is, so that another one can prove that it has ended. Knows the system, not the product.

A name is `host:pid/kernel-start`: `kernel` stands for this boot of this machine and its name spaces of processes and
of time, `start` is when the process began, in the kernel's ticks. Where the system does not tell all of it, a name is
`host:pid`, and nothing can be proved about it.
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
from functools import lru_cache
from pathlib import Path

_PROC = Path("/proc")
_NAME = re.compile(r"(?P<host>.+):(?P<pid>[0-9]+)/(?P<kernel>[0-9a-f]{12})-(?P<start>[0-9]+)")


def own_name() -> str:
    """The name of this process. A forked one has a name of its own."""
    return _name_of(os.getpid())


@lru_cache(maxsize=8)
def _name_of(pid: int) -> str:
    kernel, start = _kernel(), _start_of(pid)
    mark = f"/{kernel}-{start}" if kernel is not None and start is not None else ""
    return f"{socket.gethostname()}:{pid}{mark}"


def has_ended(name: str) -> bool:
    """Whether the process of this name is known to have ended. False: it lives, or nobody here can tell.

    True is a proof: on this machine, since it started, and among the processes that this one sees, either no
    process has its number, or the one that has it began at another time.
    """
    found = _NAME.fullmatch(name)
    if found is None or found["host"] != socket.gethostname() or found["kernel"] != _kernel():
        return False
    pid = int(found["pid"])
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        pass
    start = _start_of(pid)
    return start is not None and start != int(found["start"])


@lru_cache(maxsize=1)
def _kernel() -> str | None:
    """What tells this machine since its last start, with its name spaces, from every other; None where unknown.

    The name space of processes decides whom a number means, that of time how a start is counted.
    """
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        processes = os.readlink(_PROC / "self/ns/pid")
        times = os.readlink(_PROC / "self/ns/time") if (_PROC / "self/ns/time").is_symlink() else ""
        own = int((_PROC / "self/stat").read_text().partition(" ")[0])
    except (OSError, ValueError):
        return None
    if not boot or own != os.getpid():  # /proc tells of another name space
        return None
    return hashlib.sha256(f"{boot}|{processes}|{times}".encode()).hexdigest()[:12]


def _start_of(pid: int) -> int | None:
    """When a process began, in ticks since the machine started; None where the system does not tell."""
    try:
        # The name of the program stands in brackets and may hold anything: count from behind it.
        return int((_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None
