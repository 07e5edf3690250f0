"""One watcher of the run list for each process: it rings all its sockets when runs start, go on, wait or end."""

from __future__ import annotations

import asyncio
from typing import ClassVar
from weakref import WeakKeyDictionary

from runner.consumers.mark_feed import Mark, MarkFeed
from runner.models import Run
from runner.streaming import RUNS_GROUP

POLL_S = 3.0
"""How often the database is asked although nobody said anything: whether a run is at work just now is not said."""
GATHER_S = 0.25
LOOKED_AT = 1_000
"""Of so many runs that live it is known where they stand."""


class RunsFeed(MarkFeed):
    """Rings the bells of one event loop's sockets."""

    group: ClassVar[str] = RUNS_GROUP
    about: ClassVar[str] = "the list of runs"

    def read_mark(self) -> Mark:
        """What changes whenever a run starts or ends, or lists show it in other words."""
        newest = Run.objects.order_by("-started_at", "-pk").values_list("pk", flat=True).first()
        ended = Run.objects.filter(ended_at__isnull=False).order_by("-ended_at").values_list("pk", "ended_at").first()
        standing = Run.objects.live().order_by().values_list("pk", "status", "running", "live", "waiting_other")
        return (newest, ended, tuple(sorted((*row[:2], row[2] > 0, row[3] > row[4]) for row in standing[:LOOKED_AT])))

    @property
    def poll_s(self) -> float:
        return POLL_S

    @property
    def gather_s(self) -> float:
        return GATHER_S


_feeds: WeakKeyDictionary[asyncio.AbstractEventLoop, RunsFeed] = WeakKeyDictionary()


def runs_feed() -> RunsFeed:
    """The watcher of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _feeds:
        _feeds[loop] = RunsFeed()
    return _feeds[loop]
