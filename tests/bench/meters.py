"""What some work costs: by the clock, of processors, in statements, in bytes. Linux's /proc tells most of it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def tree(roots: Iterable[int]) -> list[int]:
    """These processes and all that they have started."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int(_stat(int(folder.name))[1])
            except (OSError, ValueError, IndexError):
                continue
    found = list(roots)
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid and child not in found]
    return found


def cpu_s(roots: Iterable[int]) -> float:
    """Seconds of processor time that processes and their living children have used; 10 ms exact."""
    used = 0.0
    for pid in tree(roots):
        try:
            fields = _stat(pid)
        except OSError:
            continue
        used += (int(fields[11]) + int(fields[12])) * _TICK_S
    return used


def memory_mb(roots: Iterable[int]) -> float:
    """MiB of memory that processes and their children hold, shared pages counted in proportion (PSS)."""
    total = 0
    for pid in tree(roots):
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return total / 1024


def reset_peak() -> None:
    """Forget how much memory this process held at most."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_mb() -> float:
    """MiB that this process held at most so far, or since `reset_peak`."""
    text = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith("VmHWM:"))


def written_bytes(connection: Any) -> int:
    """Bytes of the log of changes so far: Postgres's, or all that this process has written (SQLite's log is most)."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_current_wal_insert_lsn() - '0/0'")
            return int(cursor.fetchone()[0])
    text = Path("/proc/self/io").read_text()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("wchar:"))


@dataclass(slots=True)
class Statements:
    """Counts statements while it is installed as a wrapper of a connection; starts of transactions are none."""

    texts: list[str] = field(default_factory=list)

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith(("BEGIN", "SAVEPOINT", "RELEASE")):
            self.texts.append(sql)
        return execute(sql, params, many, context)


@dataclass(slots=True)
class Stopwatch:
    """Seconds by the clock, and of this process on a processor, since it was made."""

    clock: float = field(default_factory=time.perf_counter)
    processor: float = field(default_factory=time.process_time)

    def read(self) -> dict[str, float]:
        """`{seconds, cpu}`."""
        return {"seconds": time.perf_counter() - self.clock, "cpu": time.process_time() - self.processor}

    def span(self) -> dict[str, float]:
        """`{cpu, began, ended}`: by a clock that all processes of the machine share."""
        return {"cpu": time.process_time() - self.processor, "began": self.clock, "ended": time.perf_counter()}


def _stat(pid: int) -> list[str]:
    """The fields of a process's status line after its name: state, parent, …"""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
