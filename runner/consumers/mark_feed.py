"""Watching one small mark in the database for all sockets of a process: they are rung when it differs.

Hints come over the channel layer and may get lost, so a watcher also looks by itself. What the mark is, and what is
told when it differs, are for subclasses.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from contextlib import suppress
from time import monotonic
from typing import Any, ClassVar

from channels.db import database_sync_to_async

from runner.consumers.chores import chores
from runner.consumers.hints import Hints

log = logging.getLogger(__name__)

Mark = tuple[Any, ...]


class MarkFeed:
    """Rings the bells of one event loop's sockets."""

    group: ClassVar[str]
    """Whose hints are heard."""
    about: ClassVar[str]
    """What is watched, for the log."""

    def __init__(self) -> None:
        self.bells: set[asyncio.Event] = set()
        self._mark: Mark | None = None
        self.version = ""
        """A text that differs whenever something may have changed."""
        self._changed_at = self._read_at = 0.0
        self._hinted = asyncio.Event()
        self._started = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        without = f"{self.about} polled meanwhile"
        self._hints = Hints(lambda _: self._hinted.set(), without, pause_s=self.poll_s, longest_pause_s=120.0)

    def read_mark(self) -> Mark:
        """What differs whenever something has changed; asked of the database in a thread."""
        raise NotImplementedError

    @property
    def poll_s(self) -> float:
        """How often the database is asked although nobody said anything."""
        raise NotImplementedError

    @property
    def gather_s(self) -> float:
        """Hints that come within this time are one."""
        raise NotImplementedError

    def watch(self, bell: asyncio.Event) -> None:
        """Ring this bell whenever something may have changed. The first bell starts the watcher."""
        self.bells.add(bell)
        if self._task is None:
            self._task = asyncio.create_task(self._look())
        self._hints.join(self.group)

    def leave(self, bell: asyncio.Event) -> None:
        """Ring it no more. The last bell stops the watcher."""
        self.bells.discard(bell)
        if not self.bells:
            chores().stop(self._task)
            self._hints.leave(self.group)
            self._task = self._mark = None
            self._started.clear()

    async def ready(self) -> None:
        """Wait until the database was looked at once."""
        await self._started.wait()

    def is_fresh(self) -> bool:
        """Whether the database answered lately: only then a page may trust what it shows."""
        return monotonic() - self._read_at < 3 * self.poll_s

    async def _look(self) -> None:
        """Ring when the database says that something has changed, soon after a hint and else every few seconds."""
        while True:
            try:
                mark = await database_sync_to_async(self.read_mark)()
                self._read_at = monotonic()
                self._started.set()
                if mark != self._mark:
                    self._mark, self._changed_at = mark, monotonic()
                    self.version = hashlib.sha256(repr(mark).encode()).hexdigest()[:12]
                    for bell in self.bells:
                        bell.set()
            except Exception:
                log.warning("%s cannot be looked at; trying again.", self.about, exc_info=True)
            with suppress(TimeoutError):
                async with asyncio.timeout(self.poll_s):
                    await self._hinted.wait()
                await asyncio.sleep(self.gather_s)
            self._hinted.clear()
