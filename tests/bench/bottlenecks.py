"""Where the first bottleneck is: workloads that several processes do at the same time, for the page on capacity."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

from tests.bench.talk import Talker
from tests.support.crew import Crew

AT_ONCE = (1, 2, 4)
BOTTLENECKS = ("ONE_RUN", "EVENTS", "MESSAGES", "WORKERS")

Figures = dict[str, float]


class Several:
    """Processes of the site that are asked at the same time; a message to them ends after one step."""

    def __init__(self, crew: Crew, count: int, *, quick: bool) -> None:
        self.quick = quick
        words = [sys.executable, "-m", "tests.bench.site_process"]
        self.talkers = [Talker(words, crew.environment | {"FLOWSITE_SEGMENT_STEPS": "1"}) for _ in range(count)]

    def close(self) -> None:
        """End them."""
        for talker in self.talkers:
            talker.close()

    def ask(self, verb: str, each: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Ask as many of them as there are entries, all at once; gives their answers in order."""
        with ThreadPoolExecutor(len(each)) as pool:
            asked = [
                pool.submit(talker.ask, verb, quick=self.quick, **arguments)
                for talker, arguments in zip(self.talkers, each, strict=False)
            ]
            return [one.result() for one in asked]


@contextmanager
def several(crew: Crew, *, quick: bool) -> Iterator[Several]:
    """Processes enough for all workloads here."""
    with ExitStack() as ends:
        found = Several(crew, AT_ONCE[-1], quick=quick)
        ends.callback(found.close)
        yield found


def one_run(team: Several) -> Iterator[tuple[str, Figures]]:
    """Branches of one run that end at the same time wait for its row; those of several runs do not."""
    for count in AT_ONCE:
        for name, runs in (("one run", 1), ("runs of their own", count))[: 1 if count == 1 else 2]:
            team.ask("take", [{"steps": steps} for steps in _shares(team, count, runs)])  # compiled and connected
            found = team.ask("take", [{"steps": steps} for steps in _shares(team, count, runs)])
            yield f"ONE_RUN {count} on {name}", together(found)


def _shares(team: Several, count: int, runs: int) -> list[list[str]]:
    """The branches that each of so many processes takes: all of a run of its own, or every so many-th of one run."""
    branches = team.talkers[0].ask("branches", quick=team.quick, runs=runs)
    return branches if runs == count and count > 1 else [branches[0][place::count] for place in range(count)]


def events(team: Several) -> Iterator[tuple[str, Figures]]:
    """Events that the database takes, four in a commit as a step makes them, and a hundred."""
    for at_once in (4, 100):
        for count in AT_ONCE:
            each = [{"at_once": at_once}] * count
            team.ask("insert_events", each)  # connected, and with rows to add
            yield f"EVENTS {at_once} a commit, {count} at once", together(team.ask("insert_events", each))


def together(found: Sequence[Mapping[str, float]]) -> Figures:
    """What several processes did from the first one's begin to the last one's end: they need not have overlapped."""
    whole = {"steps": sum(one["steps"] for one in found), "cpu": sum(one["cpu"] for one in found)}
    more = {name: found[0][name] for name in found[0] if name not in ("steps", "cpu", "began", "ended")}
    return {**more, **whole, "seconds": max(one["ended"] for one in found) - min(one["began"] for one in found)}


@contextmanager
def workers(crew: Crew, count: int) -> Iterator[list[int]]:
    """A worker of so many processes; gives its process ids for meters."""
    before = os.environ.get("FLOWSITE_WORKERS")
    os.environ["FLOWSITE_WORKERS"] = str(count)
    name = f"worker-of-{count}"
    try:
        crew.start_worker(name)
        yield [crew.pid(name)]
    finally:
        crew.kill(name)
        del os.environ["FLOWSITE_WORKERS"]
        if before is not None:
            os.environ["FLOWSITE_WORKERS"] = before
