"""One watcher of the inbox for each process: it rings all its sockets when approvals were opened or decided.

Hints come over the channel layer and may get lost, so the watcher also looks by itself. It asks two small questions
that are the same for everybody; what each person may see is asked once for each person, however many pages they have
open, and not more often than every two seconds.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from contextlib import suppress
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer

from runner.consumers.access import waiting_of
from runner.consumers.chores import chores, in_time
from runner.models import Approval, Decision, Routing
from runner.streaming import INBOX_GROUP

log = logging.getLogger(__name__)

POLL_S = 15.0
"""How often the database is asked although nobody said anything."""
REST_S = 2.0
"""Shortest time between two answers to one person."""
LAYER_TIMEOUT_S = 2.0
COUNTED = 1_000

Mark = tuple[Any, ...]


def _mark() -> Mark:
    """What changes whenever an approval is opened, decided, expired or withdrawn, or goes to somebody else."""
    newest = Approval.objects.open().order_by("-created_at", "-pk").values_list("created_at", "pk").first()
    decided = Decision.objects.order_by("-pk").values_list("pk", flat=True).first()
    routed = Routing.objects.order_by("-pk").values_list("pk", flat=True).first()
    some = Approval.objects.open().order_by("created_at", "pk").values_list("approved_by", flat=True)[:COUNTED]
    approved = [len(people) for people in some]  # of several who have to
    return (newest, decided, routed, len(approved), sum(approved))


class InboxFeed:
    """Rings the bells of one event loop's sockets, and answers each person once for all their pages."""

    def __init__(self) -> None:
        self.bells: set[asyncio.Event] = set()
        self._answers: dict[int, tuple[float, str]] = {}
        self._asking: dict[int, asyncio.Task[str]] = {}
        self._mark: Mark | None = None
        self._changed_at = self._read_at = 0.0
        self._hinted = asyncio.Event()
        self._started = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def watch(self, bell: asyncio.Event) -> None:
        """Ring this bell whenever an inbox may have changed. The first bell starts the watcher."""
        self.bells.add(bell)
        if not self._tasks:
            self._tasks = [asyncio.create_task(self._look()), asyncio.create_task(self._listen())]

    def leave(self, bell: asyncio.Event) -> None:
        """Ring it no more. The last bell stops the watcher."""
        self.bells.discard(bell)
        if not self.bells:
            for task in self._tasks:
                chores().stop(task)
            self._tasks, self._mark = [], None
            self._started.clear()
            self._answers.clear()

    async def ready(self) -> None:
        """Wait until the database was looked at once."""
        await self._started.wait()

    @property
    def version(self) -> str:
        """A text that differs whenever any inbox may have changed."""
        return hashlib.sha256(repr(self._mark).encode()).hexdigest()[:12]

    def is_fresh(self) -> bool:
        """Whether the database answered lately: only then a page may trust what it shows."""
        return monotonic() - self._read_at < 3 * POLL_S

    async def open_for(self, user_id: int) -> str:
        """How many approvals wait for a person. One question to the database for all who ask it at the same time."""
        asked = self._asking.get(user_id)
        if asked is None:
            asked = self._asking[user_id] = asyncio.create_task(self._ask(user_id))
            asked.add_done_callback(lambda _: self._asking.pop(user_id, None))
        return await asyncio.shield(asked)

    async def _ask(self, user_id: int) -> str:
        at, answer = self._answers.get(user_id, (0.0, ""))
        if at and at >= self._changed_at:
            return answer
        if at and monotonic() < at + REST_S:
            await asyncio.sleep(at + REST_S - monotonic())
        at = monotonic()
        found: str = await waiting_of(user_id)
        self._answers[user_id] = (at, found)
        return found

    async def _look(self) -> None:
        """Ring when the database says that something has changed, soon after a hint and else every few seconds."""
        while True:
            try:
                mark = await database_sync_to_async(_mark)()
                self._read_at = monotonic()
                self._started.set()
                if mark != self._mark:
                    self._mark, self._changed_at = mark, monotonic()
                    for bell in self.bells:
                        bell.set()
            except Exception:
                log.warning("The inbox cannot be looked at; trying again.", exc_info=True)
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await self._hinted.wait()
                await asyncio.sleep(REST_S / 4)  # decisions that come close together are one change
            self._hinted.clear()

    async def _listen(self) -> None:
        """Take hints; after trouble with the layer begin anew, a little later each time."""
        layer = get_channel_layer()
        pause = POLL_S
        while layer is not None:
            try:
                channel = await layer.new_channel()
                await in_time(layer.group_add(INBOX_GROUP, channel), LAYER_TIMEOUT_S)
                while True:
                    await layer.receive(channel)
                    pause = POLL_S
                    self._hinted.set()
            except Exception as error:
                log.warning("The channel layer fails, the inbox is polled meanwhile: %r", error)
                await asyncio.sleep(pause)
                pause = min(2 * pause, 120.0)


_feeds: WeakKeyDictionary[asyncio.AbstractEventLoop, InboxFeed] = WeakKeyDictionary()


def inbox_feed() -> InboxFeed:
    """The watcher of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _feeds:
        _feeds[loop] = InboxFeed()
    return _feeds[loop]
