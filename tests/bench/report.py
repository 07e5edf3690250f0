"""What the benchmark found, as rows, as a table for people, and as JSON with all that is needed to judge it."""

from __future__ import annotations

import os
import platform
import sqlite3
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

#: What the product's figures depend on.
PACKAGES = ("django", "celery", "channels-redis", "redis", "psycopg", "uvicorn", "pydantic")


@dataclass(slots=True)
class Row:
    """One workload on one database: medians over its rounds. `against`: how many times as fast as each peer."""

    workload: str
    database: str
    rounds: int
    steps: float | None = None
    steps_s: float | None = None
    ms_step: float | None = None
    cpu_ms_step: float | None = None
    of_limit: float | None = None
    against: dict[str, float] = field(default_factory=dict)
    more: dict[str, float] = field(default_factory=dict)
    every: dict[str, float] = field(default_factory=dict)
    """Only for the file: each of many figures, of which `more` tells the worst."""


def row_of(
    workload: str,
    database: str,
    ours: Sequence[Mapping[str, float]],
    limits: Sequence[float] = (),
    peers: Mapping[str, Sequence[Mapping[str, float]]] | None = None,
) -> Row:
    """The row of some rounds. Ratios are made within a round, then their median is taken."""
    row = Row(workload, database, len(ours))
    known = {"steps", "seconds", "cpu"}
    row.more = {name: _median(one[name] for one in ours) for name in ours[0] if name not in known}
    if "steps" not in ours[0]:
        return row
    rates = [one["steps"] / one["seconds"] for one in ours]
    row.steps = ours[0]["steps"]
    row.steps_s, row.ms_step = _median(rates), 1000 / _median(rates)
    row.cpu_ms_step = 1000 * _median(one["cpu"] / one["steps"] for one in ours)
    if limits:
        row.of_limit = _median(rate / limit for rate, limit in zip(rates, limits, strict=True))
    for name, theirs in (peers or {}).items():
        of_peer = [one["steps"] / one["seconds"] for one in theirs]
        row.against[name] = _median(rate / other for rate, other in zip(rates, of_peer, strict=True))
        row.more[f"{name}_steps_s"] = _median(of_peer)
        row.more[f"{name}_cpu_ms_step"] = 1000 * _median(one["cpu"] / one["steps"] for one in theirs)
    return row


def as_table(rows: Sequence[Row]) -> str:
    """The rows as a table in Markdown."""
    lines = [
        "| workload | database | steps/s | of the commit limit | CPU ms a step | against | more |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        against = ", ".join(f"{ratio:.2f} x {name}" for name, ratio in row.against.items())
        more = ", ".join(f"{name} {_short(value)}" for name, value in row.more.items())
        cells = [row.workload, row.database, _short(row.steps_s), _short(row.of_limit), _short(row.cpu_ms_step)]
        lines.append("| " + " | ".join([*cells, against or "-", more or "-"]) + " |")
    return "\n".join(lines)


def as_json(rows: Sequence[Row], command: str, versions: Mapping[str, str], folder: Path) -> dict[str, Any]:
    """Everything: rows, date, command, versions, machine."""
    found = {name: version(name) for name in PACKAGES}
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "versions": {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version, **found, **versions},
        "machine": machine(folder),
        "rows": [asdict(row) for row in rows],
    }


def machine(folder: Path) -> dict[str, Any]:
    """What the figures were taken on: processors, memory, the file system of the databases, load."""
    processors = [line for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    memory = next((int(line.split()[1]) for line in _lines("/proc/meminfo") if line.startswith("MemTotal:")), 0)
    return {
        "system": platform.platform(),
        "processor": processors[0].partition(":")[2].strip() if processors else platform.machine(),
        "cores": os.cpu_count(),
        "memory_mb": memory // 1024,
        "file_system": file_system(folder),
        "load_1_min": round(os.getloadavg()[0], 2),
    }


def file_system(folder: Path) -> str:
    """The kind of file system that a folder is on."""
    mounts = [line.split() for line in _lines("/proc/mounts")]
    above = [words for words in mounts if folder.resolve().is_relative_to(words[1])]
    return max(above, key=lambda words: len(words[1]))[2] if above else "unknown"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def _median(values: Any) -> float:
    return float(statistics.median(list(values)))


def _short(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
