"""One reader for each watched run of this process; it feeds all the run's sockets. Sockets are run_socket.py's.

Hints come over the channel layer and may get lost, so each reader also looks by itself every two seconds.
Readers hold a short tail of the newest events; whoever is further behind reads from the database.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async

from editor.pseudonyms import shown_text
from runner.consumers.chores import chores
from runner.consumers.hints import Hints
from runner.models import Event, Run
from runner.serializers.browser import text_for_browser
from runner.streaming import group_of

log = logging.getLogger(__name__)

BATCH = 200
"""Events in one read and in one frame, at most."""
TAIL = 1_000
"""Events that a reader keeps."""
POLL_S = 2.0


@dataclass(frozen=True, slots=True)
class Line:
    """One event: its number, and its envelope as JSON text that a browser can read."""

    seq: int
    text: str


def _events_after(run_id: str, seq: int) -> list[Line]:
    rows = Event.objects.after(run_id, seq, BATCH).values_list("seq", "text")
    return [Line(number, text_for_browser(shown_text(text))) for number, text in rows]


def _newest_seq(run_id: str) -> int:
    return Run.objects.filter(pk=run_id).values_list("seq", flat=True).first() or 0


class RunReader:
    """Reads the events of one run as they come, and rings the bell of each socket that watches it."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.head = 0
        self.bells: set[asyncio.Event] = set()
        self._tail: deque[Line] = deque(maxlen=TAIL)
        self._hinted = asyncio.Event()
        self._started = asyncio.Event()
        self._read_at = 0.0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to read; `ready` waits for the first answer of the database."""
        self._task = asyncio.create_task(self._read_on())

    def stop(self) -> None:
        """Read no more."""
        chores().stop(self._task)

    async def ready(self) -> None:
        """Wait until the number of the newest event is known."""
        await self._started.wait()

    def hint(self, seq: int) -> None:
        """Somebody says that events up to `seq` exist."""
        if seq > self.head:
            self._hinted.set()

    def is_fresh(self) -> bool:
        """Whether the database answered lately: only then a page may call itself live."""
        return monotonic() - self._read_at < 5 * POLL_S

    async def lines_after(self, seq: int) -> Sequence[Line]:
        """The next events after a number, at most BATCH: from the tail, or from the database."""
        if self._tail and self._tail[0].seq <= seq + 1:
            return list(islice((line for line in self._tail if line.seq > seq), BATCH))
        found: list[Line] = await database_sync_to_async(_events_after)(self.run_id, seq)
        return found

    async def _read_on(self) -> None:
        while True:
            try:
                await self._read()
            except Exception:
                log.warning("The events of run %s cannot be read; trying again.", self.run_id, exc_info=True)
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await self._hinted.wait()
            self._hinted.clear()

    async def _read(self) -> None:
        if not self._started.is_set():
            self.head = await database_sync_to_async(_newest_seq)(self.run_id)
            self._started.set()
        while True:
            lines = await database_sync_to_async(_events_after)(self.run_id, self.head)
            self._read_at = monotonic()
            if lines:
                self._tail.extend(lines)
                self.head = lines[-1].seq
                for bell in self.bells:
                    bell.set()
            if len(lines) < BATCH:
                return


class Feeds:
    """The readers of one event loop, and the one channel that brings hints for all of them."""

    def __init__(self) -> None:
        self._readers: dict[str, RunReader] = {}
        self._hints = Hints(self._pass_on, "runs are polled meanwhile", pause_s=POLL_S, longest_pause_s=30.0)

    async def watch(self, run_id: str, bell: asyncio.Event) -> RunReader:
        """The reader of a run, made if nobody watches it yet; `bell` is set whenever there is more."""
        reader = self._readers.get(run_id)
        if reader is None:
            reader = self._readers[run_id] = RunReader(run_id)
            reader.start()
            self._hints.join(group_of(run_id))
        reader.bells.add(bell)
        await reader.ready()
        return reader

    def leave(self, run_id: str, bell: asyncio.Event) -> None:
        """Watch no more; a reader that nobody needs stops."""
        reader = self._readers.get(run_id)
        if reader is None:
            return
        reader.bells.discard(bell)
        if reader.bells:
            return
        reader.stop()
        del self._readers[run_id]
        self._hints.leave(group_of(run_id))

    def _pass_on(self, message: dict[str, Any]) -> None:
        reader = self._readers.get(str(message.get("run")))
        seq = message.get("seq")
        if reader is not None and isinstance(seq, int):
            reader.hint(seq)


_feeds: WeakKeyDictionary[asyncio.AbstractEventLoop, Feeds] = WeakKeyDictionary()


def feeds() -> Feeds:
    """The readers of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _feeds:
        _feeds[loop] = Feeds()
    return _feeds[loop]
