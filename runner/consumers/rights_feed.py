"""One listener of each process for news that somebody's rights changed: it rings every open socket, which asks again.

Hints come over the channel layer and may get lost; a socket asks by itself now and then, so they save time alone.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

from runner.consumers.hints import Hints
from runner.streaming import RIGHTS_GROUP


class RightsFeed:
    """Rings the bells of one event loop's sockets."""

    def __init__(self) -> None:
        self.bells: set[asyncio.Event] = set()
        self._hints = Hints(lambda _: self._ring(), "sockets ask for rights by themselves")

    def watch(self, bell: asyncio.Event) -> None:
        """Ring this bell whenever rights have changed. The first bell starts the listener."""
        self.bells.add(bell)
        self._hints.join(RIGHTS_GROUP)

    def leave(self, bell: asyncio.Event) -> None:
        """Ring it no more. The last bell stops the listener."""
        self.bells.discard(bell)
        if not self.bells:
            self._hints.leave(RIGHTS_GROUP)

    def _ring(self) -> None:
        for bell in self.bells:
            bell.set()


_feeds: WeakKeyDictionary[asyncio.AbstractEventLoop, RightsFeed] = WeakKeyDictionary()


def rights_feed() -> RightsFeed:
    """The listener of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _feeds:
        _feeds[loop] = RightsFeed()
    return _feeds[loop]
