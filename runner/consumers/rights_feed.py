"""One listener of each process for news that somebody's rights changed: it rings every open socket, which asks again.

Hints come over the channel layer and may get lost; a socket asks by itself now and then, so they save time alone.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from weakref import WeakKeyDictionary

from channels.layers import get_channel_layer

from runner.consumers.chores import chores, in_time
from runner.streaming import RIGHTS_GROUP

log = logging.getLogger(__name__)

LAYER_TIMEOUT_S = 2.0
PAUSE_S, LONGEST_PAUSE_S = 2.0, 60.0
JOINS_AGAIN_S = 3_600.0
"""The layer forgets who is in a group after a day."""


class RightsFeed:
    """Rings the bells of one event loop's sockets."""

    def __init__(self) -> None:
        self.bells: set[asyncio.Event] = set()
        self._listener: asyncio.Task[None] | None = None

    def watch(self, bell: asyncio.Event) -> None:
        """Ring this bell whenever rights have changed. The first bell starts the listener."""
        self.bells.add(bell)
        if self._listener is None or self._listener.done():
            self._listener = asyncio.create_task(self._listen())

    def leave(self, bell: asyncio.Event) -> None:
        """Ring it no more. The last bell stops the listener."""
        self.bells.discard(bell)
        if not self.bells:
            chores().stop(self._listener)
            self._listener = None

    async def _listen(self) -> None:
        """Take hints; after trouble with the layer begin anew, a little later each time."""
        layer = get_channel_layer()
        pause = PAUSE_S
        while layer is not None:
            try:
                channel = await layer.new_channel()
                while True:
                    await in_time(layer.group_add(RIGHTS_GROUP, channel), LAYER_TIMEOUT_S)
                    with suppress(TimeoutError):
                        await in_time(self._ring(layer, channel), JOINS_AGAIN_S)
            except Exception as error:
                log.warning("The channel layer fails, sockets ask for rights by themselves: %r", error)
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)

    async def _ring(self, layer: object, channel: str) -> None:
        while True:
            await layer.receive(channel)  # type: ignore[attr-defined]
            for bell in self.bells:
                bell.set()


_feeds: WeakKeyDictionary[asyncio.AbstractEventLoop, RightsFeed] = WeakKeyDictionary()


def rights_feed() -> RightsFeed:
    """The listener of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _feeds:
        _feeds[loop] = RightsFeed()
    return _feeds[loop]
