"""The socket of the run list: that runs have started, ended, or stand elsewhere. It only reads, and names no run.

Frames to the page: `runs` with `version`, which differs whenever a list may have changed; `beat`; `pong`. Frames from
the page: `ping`. What a person may see of it, the page asks for itself.
"""

from __future__ import annotations

import json

from runner.consumers.access import person_of
from runner.consumers.runs_feed import runs_feed
from runner.consumers.socket import ReadingSocket


class RunsConsumer(ReadingSocket):
    """Tells one page when the runs have changed."""

    watched = False

    async def refused(self) -> int | None:
        """Whether somebody is signed in."""
        _, code = await person_of(self.scope)
        return code

    async def disconnect(self, code: int) -> None:
        await super().disconnect(code)
        if self.watched:
            runs_feed().leave(self.bell)

    async def feed(self) -> None:
        """The version now, and again whenever it differs."""
        self.watched = True
        feed = runs_feed()
        feed.watch(self.bell)
        await feed.ready()
        while True:
            self.bell.clear()
            await self.send_in_time(json.dumps({"type": "runs", "version": feed.version}))
            await self.rung(feed.is_fresh)
