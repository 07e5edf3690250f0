"""The rounds of one database: the limit, our workload, each peer's, and the limit again, one right after the other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.bottlenecks import AT_ONCE, BOTTLENECKS, events, one_run, several, workers
from tests.bench.meters import memory_mb
from tests.bench.report import Row, row_of
from tests.bench.talk import Talker, TalkError
from tests.support.crew import Crew
from tests.support.site import SiteError

INLINE = {"LINEAR": 7, "FANOUT": 5, "LONG": 3, "LOOP": 1, "WIDE_STATE": 3, "REAL": 3}
"""Workloads that the asked process works on by itself, and their rounds."""
CREWED = {"MANY": 5, "START": 1, "LIVE": 1, "MEMORY": 1}
"""Those that need a worker (FANOUT too, for its second row) or a web server."""
PAGES = ("EDITOR", "INBOX", "HISTORY")
WORKLOADS = (*INLINE, *CREWED, *PAGES, *BOTTLENECKS)
WATCHERS = (1, 100, 1_000)
LONGER = 20_000
LENGTHY = ("LONG", "LOOP")
"""Not done in full only to warm up."""
PAGE_GOAL_MS = 50.0


class Rounds:
    """Measures workloads on one database; `peers` are the processes of other runners, by name."""

    def __init__(self, database: str, crew: Crew, peers: Mapping[str, Talker], *, quick: bool, crowd: int) -> None:
        self.database = database
        self.crew = crew
        self.peers = peers
        self.quick = quick
        self.crowd = crowd
        self.rows: list[Row] = []
        self.failed: list[str] = []
        self.site = Talker([sys.executable, "-m", "tests.bench.site_process"], crew.environment)

    def close(self) -> None:
        """End the processes that were started."""
        self.site.close()

    def measure(self, wanted: Sequence[str]) -> list[Row]:
        """Do the workloads; gives their rows. What fails is told, and noted in `failed`; the others go on."""
        for name in INLINE:
            if name in wanted:
                self._try(name, partial(self._inline, name))
        if "EDITOR" in wanted:
            self._try("EDITOR", lambda: self._note("EDITOR", [self._ask("EDITOR")]))
        if "LIVE" in wanted:
            self._try("LIVE", self._live)
        for name in BOTTLENECKS:
            if name in wanted:
                self._try(name, partial(self._bottleneck, name))
        if set(wanted) & {"MANY", "FANOUT", "START", "MEMORY"}:
            self._try("MANY, FANOUT, START, MEMORY", partial(self._crewed, wanted))
        if set(wanted) & {"INBOX", "HISTORY"}:
            self._try("INBOX, HISTORY", partial(self._pages, wanted))
        return self.rows

    def _try(self, name: str, work: Callable[[], object]) -> None:
        try:
            work()
        except (TalkError, SiteError) as error:
            self.failed.append(f"{name} on {self.database}")
            print(f"{name} on {self.database} failed: {error}", file=sys.stderr, flush=True)

    # Workloads

    def _inline(self, name: str) -> None:
        self.site.ask(name, quick=self.quick or name in LENGTHY)  # compiled, imported and connected
        rounds = 1 if self.quick else INLINE[name]
        ours, limits, theirs = self._rounds(name, rounds, lambda: self._ask(name))
        row = self._note(name, ours, limits, theirs)
        if name == "LINEAR":
            row.more |= self._ask("count") | {"limit_per_s": sum(limits) / len(limits)}
        if name == "LONG" and not self.quick:
            longer = self._ask("LONG", steps=LONGER)
            found = self._note(f"LONG {LONGER}", [longer])
            assert found.cpu_ms_step and row.cpu_ms_step
            found.more["of_LONG"] = found.cpu_ms_step / row.cpu_ms_step

    def _live(self) -> None:
        """With a web server and no worker: the asked process commits the steps, and knows when it did."""
        self.crew.start_web()
        pids = [self.crew.pid("web")]
        before = memory_mb(pids)
        for watchers in WATCHERS[:1] if self.quick else WATCHERS:
            found = self._ask("LIVE", port=self.crew.port, watchers=watchers, pids=pids)
            row = self._note(f"LIVE {watchers}", [found])
            row.more["web_kb_socket"] = (memory_mb(pids) - before) * 1024 / watchers
        self.crew.kill("web")

    def _crewed(self, wanted: Sequence[str]) -> None:
        self.crew.start_worker()
        self.crew.start_sweeper()
        pids = [self.crew.pid("worker")]
        for name, verb in (("MANY", "MANY"), ("FANOUT by worker", "FANOUT_WORKER")):
            if name.partition(" ")[0] in wanted:
                work = partial(self._ask, verb, pids=pids)
                work()
                self._note(name, *self._rounds(verb, 1 if self.quick else CREWED["MANY"], work))
        if "START" in wanted:
            self._note("START", [self._ask("START")])
        if "MEMORY" in wanted:
            self._memory()

    def _memory(self) -> None:
        """What the processes of a site hold, after runs were worked on and a page was asked for."""
        self.crew.start_web()
        self._ask("START")
        redis = self.crew.valkey.process
        pids = {name: self.crew.pid(name) for name in ("web", "worker", "sweeper")}
        if redis is not None:
            pids["redis"] = redis.pid
        found = {name: memory_mb([pid]) for name, pid in pids.items()}
        goal = sum(found[name] for name in ("web", "worker", "redis") if name in found)
        self._note("MEMORY", [{f"{name}_mb": mb for name, mb in found.items()} | {"web_worker_redis_mb": goal}])

    def _bottleneck(self, name: str) -> None:
        """Before worker and sweeper are started: nothing else works on the runs meanwhile, but what WORKERS starts."""
        if name == "MESSAGES":
            self._note(name, [self._ask(name)])
        elif name == "WORKERS":
            for count in AT_ONCE[:2] if self.quick else AT_ONCE:
                with workers(self.crew, count) as pids:
                    self._ask("MANY", pids=pids)
                    rounds = 1 if self.quick else 3
                    self._note(f"WORKERS {count}", [self._ask("MANY", pids=pids) for _ in range(rounds)])
        else:
            with several(self.crew, quick=self.quick) as team:
                for which, figures in (one_run if name == "ONE_RUN" else events)(team):
                    self._note(which, [figures])

    def _pages(self, wanted: Sequence[str]) -> None:
        self._note("fill", [self.site.ask("fill", runs=self.crowd, events=25)])
        for name in ("INBOX", "HISTORY"):
            if name in wanted:
                found = self._ask(name)
                slowest = sorted(found, key=lambda path: -found[path])[: len(found) if name == "INBOX" else 10]
                row = self._note(name, [{path: found[path] for path in slowest}])
                values = sorted(found.values())
                over = sum(value > PAGE_GOAL_MS for value in values)
                row.more |= {"pages": len(values), "median_ms": values[len(values) // 2], "over_50_ms": over}
                row.every = found
        if "LINEAR" in wanted:
            ours, limits, _ = self._rounds("LINEAR", 1 if self.quick else 3, lambda: self._ask("LINEAR"))
            self._note(f"LINEAR beside {self.crowd} runs", ours, limits)

    # Rounds

    def _rounds(
        self, verb: str, rounds: int, work: Callable[[], dict[str, float]]
    ) -> tuple[list[dict[str, float]], list[float], dict[str, list[dict[str, float]]]]:
        theirs: dict[str, list[dict[str, float]]] = {name: [] for name in self._peers_for(verb)}
        ours, limits = [], []
        for place in range(rounds):
            before = self._ask("limit")["per_s"]
            ours.append(work())
            limits.append((before + self._ask("limit")["per_s"]) / 2)
            for name, found in theirs.items():
                if place == 0:
                    self.peers[name].ask(verb, quick=True)
                found.append(self.peers[name].ask(verb, quick=self.quick))
        return ours, limits, theirs

    def _peers_for(self, verb: str) -> list[str]:
        return [name for name in self.peers if verb in PEERS_DO[name]]

    def _ask(self, verb: str, **arguments: Any) -> dict[str, float]:
        found: dict[str, float] = self.site.ask(verb, quick=self.quick, **arguments)
        return found

    def _note(
        self,
        workload: str,
        ours: Sequence[Mapping[str, float]],
        limits: Sequence[float] = (),
        peers: Mapping[str, Sequence[Mapping[str, float]]] | None = None,
    ) -> Row:
        row = row_of(workload, self.database, ours, limits, peers)
        self.rows.append(row)
        print(f"{workload} on {self.database} is measured.", file=sys.stderr, flush=True)
        return row


PEERS_DO = {
    "langgraph": ("LINEAR", "MANY", "LONG"),
    "dbos": ("LINEAR", "MANY", "LONG"),
    "celery": ("FANOUT_WORKER",),
}


def peer_python(name: str, folder: Path) -> str | None:
    """The Python that has a peer: its own environment in `folder`, or (Celery) this one. None: it is not installed."""
    if name == "celery":
        return sys.executable
    own = folder / name / "bin" / "python"
    return str(own) if own.exists() else None
