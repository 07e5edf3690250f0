"""Writes what `manage.py bench --json FILE` found into the pages about speed and capacity, between their marks.

    python -m tests.bench.figures FILE [FILE…]

Of a workload that several files hold, the last counts. A figure that no file holds is written as "not taken".
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NONE = "not taken"
DATABASES = ("sqlite", "postgres")


@dataclass(slots=True)
class Found:
    """The rows of some files by workload and database, and where they were taken."""

    rows: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    reports: list[dict[str, Any]] = field(default_factory=list)

    def add(self, report: dict[str, Any]) -> None:
        """Take in one file."""
        self.reports.append(report)
        self.rows |= {(row["workload"], row["database"]): row for row in report["rows"]}

    def value(self, workload: str, database: str, name: str) -> float | None:
        """A figure: of the row itself, of its ratios ("against.dbos"), or of what else was measured."""
        row = self.rows.get((workload, database))
        if row is None:
            return None
        if name.startswith("against."):
            found = row["against"].get(name.removeprefix("against."))
        else:
            found = row[name] if row.get(name) is not None else row["more"].get(name)
        return float(found) if found is not None else None

    def told(self, workload: str, database: str, name: str, unit: str = "") -> str:
        """The same as text."""
        value = self.value(workload, database, name)
        return NONE if value is None else f"{short(value)}{unit}"


def short(value: float) -> str:
    """Three digits that matter."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


# The page about speed

GOALS: tuple[tuple[str, float, float, str, str, str], ...] = (
    ("LINEAR of the commit limit, SQLite", 0.14, 0.42, "LINEAR", "sqlite", "of_limit"),
    ("LINEAR against LangGraph, SQLite", 0.5, 1.5, "LINEAR", "sqlite", "against.langgraph"),
    ("LINEAR against DBOS, SQLite", 1.0, 3.0, "LINEAR", "sqlite", "against.dbos"),
    ("LINEAR against LangGraph, Postgres", 0.6, 1.5, "LINEAR", "postgres", "against.langgraph"),
    ("MANY against LangGraph, SQLite", 0.5, 1.5, "MANY", "sqlite", "against.langgraph"),
    ("processor ms a step, SQLite", 1.5, 0.4, "LINEAR", "sqlite", "cpu_ms_step"),
    ("a step of LONG 20000 over one of LONG 2000, processor, SQLite", 1.25, 1.05, "LONG 20000", "sqlite", "of_LONG"),
    ("bytes of the last tenth of LONG 20000 over the first", 1.25, 1.05, "LONG 20000", "sqlite", "growth_bytes"),
    ("START p95, ms, SQLite", 100, 10, "START", "sqlite", "p95_ms"),
    ("START p95, ms, Postgres", 100, 10, "START", "postgres", "p95_ms"),
    ("commit to one page over its socket, p95, ms, SQLite", 100, 5, "LIVE 1", "sqlite", "p95_ms"),
    ("commit to one page over its socket, p95, ms, Postgres", 100, 5, "LIVE 1", "postgres", "p95_ms"),
    ("memory of web, worker of 2 and Redis, MB", 450, 220, "MEMORY", "sqlite", "web_worker_redis_mb"),
)
"""What, what must hold, what is aimed for, and where the figure is. Ratios to others are better the larger."""
LARGER_IS_BETTER = ("of_limit", "against.")


def goals(found: Found) -> str:
    """Each goal with where it stands."""
    rows = []
    for text, must, aim, workload, database, name in GOALS:
        rows.append([text, short(must), short(aim), _standing(found.value(workload, database, name), must, aim, name)])
    chord = found.value("FANOUT by worker", "sqlite", "against.celery")
    rows.append(["FANOUT by the clock, over a Celery chord of 100", "1.5", "0.3", _standing(_inverse(chord), 1.5, 0.3)])
    return table(["goal", "must", "aim", "where it stands"], rows)


def _inverse(value: float | None) -> float | None:
    return None if value is None else 1 / value


def _standing(value: float | None, must: float, aim: float, name: str = "") -> str:
    if value is None:
        return NONE
    is_better: Callable[[float], bool] = (
        (lambda limit: value >= limit) if name.startswith(LARGER_IS_BETTER) else (lambda limit: value <= limit)
    )
    return f"{short(value)}: " + ("reached" if is_better(aim) else "holds" if is_better(must) else "**missed**")


def linear(found: Found) -> str:
    """LINEAR beside the other runners."""
    rows = []
    for database in DATABASES:
        told = [found.told("LINEAR", database, name) for name in ("steps_s", "of_limit", "limit_per_s", "cpu_ms_step")]
        rows.append([f"{database}: LINEAR", *told, "1"])
        for peer in ("langgraph", "dbos"):
            theirs = [found.told("LINEAR", database, f"{peer}_{name}") for name in ("steps_s", "cpu_ms_step")]
            rows.append(
                [f"{database}: {peer}", theirs[0], "", "", theirs[1], found.told("LINEAR", database, f"against.{peer}")]
            )
    head = ["", "steps a second", "of the commit limit", "commits a second", "processor ms a step", "ours over it"]
    return table(head, rows)


WORK = ("LINEAR", "FANOUT", "LONG", "LONG 20000", "LOOP", "WIDE_STATE", "REAL", "MANY", "FANOUT by worker")


def work(found: Found) -> str:
    """What a step costs in each workload."""
    names = ("steps_s", "cpu_ms_step", "statements", "bytes", "peak_mb")
    rows = [[one, *(_both(found, one, name) for name in names)] for one in WORK]
    head = ["SQLite; Postgres", "steps a second", "processor ms a step", "statements a step", "bytes written a step"]
    return table([*head, "MB at most"], rows)


def _both(found: Found, workload: str, name: str) -> str:
    if not any((workload, database) in found.rows for database in DATABASES):
        return NONE
    values = [found.value(workload, database, name) for database in DATABASES]
    return "" if values == [None, None] else "; ".join(NONE if one is None else short(one) for one in values)


def people(found: Found) -> str:
    """What people wait for: starts, news, pages."""
    rows = [["START, ms from the request to the first step's start: p50, p95", *_pair(found, "START")]]
    for count in (1, 100, 1000):
        rows.append(
            [
                f"LIVE, ms from a commit to {count:,} socket{'' if count == 1 else 's'}, a step each 50 ms: p50, p95",
                *_pair(found, f"LIVE {count}"),
            ]
        )
        rows.append(["the same, the run at full speed: p50, p95", *_pair(found, f"LIVE {count}", "busy_")])
    for name in ("open", "checks", "save"):
        told = [found.told("EDITOR", one, f"{name}_ms") for one in DATABASES]
        rows.append([f"EDITOR, 500 nodes: {name}, ms of processor", *told])
    for name in ("INBOX", "HISTORY"):
        rows.append([_pages_named(found, name), *(_pages(found, name, one) for one in DATABASES)])
    rows.append(
        ["INBOX, a decision, ms of processor", *(found.told("INBOX", one, "reviewer decides") for one in DATABASES)]
    )
    return table(["what", "SQLite", "Postgres"], rows)


def _pair(found: Found, workload: str, before: str = "") -> list[str]:
    return [
        ", ".join(found.told(workload, one, f"{before}{name}_ms") for name in ("p50", "p95"))
        if (workload, one) in found.rows
        else NONE
        for one in DATABASES
    ]


def _pages_named(found: Found, name: str) -> str:
    runs, waiting = (_sizes(found, what) for what in ("runs", "open_approvals"))
    of = f"{waiting} open approvals" if name == "INBOX" else "pages and lists"
    return f"{name}, {of}, beside {runs} runs: median, slowest, above 50 ms of processor"


def _sizes(found: Found, what: str) -> str:
    """How much of something the databases were filled with."""
    sizes = {found.told("fill", one, what) for one in DATABASES} - {NONE}
    return " and ".join(sorted(sizes)) or "?"


def _pages(found: Found, name: str, database: str) -> str:
    row = found.rows.get((name, database))
    if row is None:
        return NONE
    slowest = max(row["every"], key=lambda path: row["every"][path])
    more = row["more"]
    return (
        f"{short(more['median_ms'])}, {short(row['every'][slowest])} (`{_shortened(slowest)}`),"
        f" {more['over_50_ms']:.0f} of {more['pages']:.0f}"
    )


def _shortened(path: str) -> str:
    return re.sub(r"[0-9a-f]{32}", "…", path)


def memory(found: Found) -> str:
    """The memory of a site's processes, on SQLite."""
    names = ("web", "worker", "redis", "sweeper")
    return (
        "Memory: " + ", ".join(f"{name} {found.told('MEMORY', 'sqlite', f'{name}_mb', ' MB')}" for name in names) + "."
    )


# The page about capacity


def bottlenecks(found: Found) -> str:
    """What each part carries."""

    def row(what: str, workload: str, name: str, unit: str) -> list[str]:
        return [what, *(found.told(workload, one, name, unit) for one in DATABASES)]

    rows = []
    for count in (1, 2, 4):
        rows.append(
            row(
                f"branches of one run ending at once, {count} processes",
                f"ONE_RUN {count} on one run",
                "steps_s",
                " steps/s",
            )
        )
        if count > 1:
            which = f"ONE_RUN {count} on runs of their own"
            rows.append(row(f"the same, each on a run of its own, {count} processes", which, "steps_s", " steps/s"))
    for at_once in (4, 100):
        for count in (1, 2, 4):
            which = f"EVENTS {at_once} a commit, {count} at once"
            rows.append(
                row(f"rows of events alone, {at_once} in a commit, {count} clients", which, "steps_s", " events/s")
            )
    rows += [
        row(f"50 runs of 10 steps, {count} worker processes", f"WORKERS {count}", "steps_s", " steps/s")
        for count in (1, 2, 4)
    ]
    for text, name in (
        ("round trips to Redis", "round_trips_s"),
        ("hints to workers", "hints_s"),
        ("news of runs", "news_s"),
    ):
        rows.append(row(f"{text}, one process", "MESSAGES", name, "/s"))
    for count in (1, 100, 1000):
        rows.append(row(f"one frame to one of {count} pages, of the web process", f"LIVE {count}", "frame_us", " us"))
    rows.append(row("memory of the web process for each of 1,000 pages", "LIVE 1000", "web_kb_socket", " kB"))
    return table(["what, on this machine", "SQLite", "Postgres"], rows)


def taken(found: Found) -> str:
    """When, where and by which commands the figures were taken."""
    told = []
    for report in found.reports:
        machine, versions = report["machine"], report["versions"]
        named = ", ".join(
            f"{name} {versions[name]}"
            for name in ("python", "sqlite", "django", "celery", "langgraph", "dbos")
            if name in versions
        )
        where = f"{machine['cores']} cores, load {machine['load_1_min']} at the end"
        command = re.sub(r" --(json|peers) \S+", "", report["command"]).strip()
        told.append(f"`{command}`: {report['date'][:16]}, {where}, {named}.")
    return "\n".join(told)


BLOCKS: Mapping[str, Callable[[Found], str]] = {
    "taken": taken, "linear": linear, "goals": goals, "work": work, "people": people, "memory": memory,
    "bottlenecks": bottlenecks,
}  # fmt: skip


def written(text: str, found: Found) -> str:
    """A page with its figures in place: between `<!-- figures: NAME -->` and `<!-- end of figures -->`."""

    def block(match: re.Match[str]) -> str:
        return f"{match[1]}\n{BLOCKS[match[2]](found)}\n{match[3]}"

    return re.sub(r"(<!-- figures: (\w+) -->)\n.*?(<!-- end of figures -->)", block, text, flags=re.DOTALL)


def main() -> None:
    """Fill both pages."""
    found = Found()
    for name in sys.argv[1:]:
        found.add(json.loads(Path(name).read_text()))
    for page in (ROOT / "docs" / "performance.md", ROOT / "docs" / "capacity.md"):
        page.write_text(written(page.read_text(), found))


if __name__ == "__main__":
    main()
