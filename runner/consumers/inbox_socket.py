"""The socket of the inbox: how much waits for a person, and that the list has changed. It only reads.

Frames to the page: `inbox` with `open` (as the navigation writes it: `""`, `3`, `99+`), of that `approvals` and
`reviews`, and `version`, which differs whenever any inbox may have changed; `beat`; `pong`. Frames from the page:
`ping`.
"""

from __future__ import annotations

import json
from dataclasses import asdict

from runner.consumers.access import person_of
from runner.consumers.inbox_feed import inbox_feed
from runner.consumers.socket import ReadingSocket


class InboxConsumer(ReadingSocket):
    """Tells one page when its person's inbox has changed."""

    user_id: int | None = None
    watched = False

    async def refused(self) -> int | None:
        """Whether somebody is signed in."""
        self.user_id, code = await person_of(self.scope)
        return code

    async def disconnect(self, code: int) -> None:
        await super().disconnect(code)
        if self.watched:
            inbox_feed().leave(self.bell)

    async def feed(self) -> None:
        """The count now, and again whenever it may have changed."""
        assert self.user_id is not None
        self.watched = True
        feed = inbox_feed()
        feed.watch(self.bell)
        await feed.ready()
        while True:
            self.bell.clear()
            version = feed.version
            found = await feed.open_for(self.user_id)
            await self.send_in_time(json.dumps({"type": "inbox", **asdict(found), "version": version}))
            await self.rung(feed.is_fresh)
