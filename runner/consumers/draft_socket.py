"""The socket of one draft: who else has it open and which node they have chosen, that comments have changed, and that
somebody has saved a newer draft.

Frames to the page: `people` (the others, each with `name` and `node`), `changed`, `saved` (the draft's `revision` and
`by` whom it was saved; once at first, and again whenever it is another), `beat`, `pong`. Frames from the page: `ping`,
and `at` with the id of the chosen `node` or null. Nothing is written to the database.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from typing import Any

from runner.consumers.access import draft_reader, draft_saved
from runner.consumers.draft_feed import Here, draft_feed
from runner.consumers.socket import LARGEST_FRAME_IN, ReadingSocket

LONGEST_NODE = 63


class DraftConsumer(ReadingSocket):
    """Tells one page who else is at its draft, and the others where this page is."""

    rest_s = 0.15
    """Shortest time between two things told to others: choices that follow one another quickly are one."""
    watched = False
    node: str | None = None
    moved = False
    newest: tuple[int, str | None] = (0, None)
    """The revision that the page was told of, and who saved it."""

    async def refused(self) -> int | None:
        """Whether somebody is signed in who may see the flow."""
        self.flow_id: str = self.scope["url_route"]["kwargs"]["flow_id"]
        self.name, code = await draft_reader(self.scope, self.flow_id)
        return code

    async def disconnect(self, code: int) -> None:
        await super().disconnect(code)
        if self.watched:
            draft_feed().leave(self.flow_id, self.key)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        frame = _frame(text_data) if len(text_data or "") <= LARGEST_FRAME_IN else None
        if frame is None or not self.watched:
            await super().receive(text_data, bytes_data)
            return
        self.node, self.moved = frame["node"], True
        self.bell.set()

    async def feed(self) -> None:
        """Say that this page is here, then tell it of the others whenever that changes."""
        self.key = secrets.token_hex(8)
        feed = draft_feed()
        watcher = feed.watch(self.flow_id, self.key, self.bell)
        self.watched = True
        told: list[Here] | None = None
        first = True
        await feed.tell(self.flow_id, self._here(), fresh=True)
        while True:
            self.bell.clear()
            if self.moved or watcher.asked:
                # The first time it is the group that was joined: only now the others' answers can be heard.
                fresh, first = first and watcher.asked, first and not watcher.asked
                self.moved = watcher.asked = False
                await feed.tell(self.flow_id, self._here(), fresh=fresh)
            others = feed.others(self.flow_id, self.key)
            if others != told:
                told = others
                people = [{"key": one.key, "name": one.name, "node": one.node} for one in others]
                await self.send_in_time(json.dumps({"type": "people", "people": people}))
            if watcher.changed:
                watcher.changed = False
                await self.send_in_time('{"type":"changed"}')
            if watcher.saved:
                watcher.saved = False
                newest = await draft_saved(self.flow_id)
                if newest != self.newest:
                    self.newest = newest
                    await self.send_in_time(json.dumps({"type": "saved", "revision": newest[0], "by": newest[1]}))
            try:
                async with asyncio.timeout(self.beat_s):
                    await self.bell.wait()
                await asyncio.sleep(self.rest_s)
            except TimeoutError:
                watcher.saved = True  # the news of it may have been lost
                await feed.tell(self.flow_id, self._here())
                await self.send_in_time('{"type":"beat"}')

    def _here(self) -> Here:
        return Here(self.key, self.name, self.node)


def _frame(text: str | None) -> dict[str, Any] | None:
    """An `at` frame with a node or null; None for everything else."""
    try:
        frame: Any = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    if not isinstance(frame, dict) or set(frame) != {"type", "node"} or frame["type"] != "at":
        return None
    node = frame["node"]
    fits = node is None or (isinstance(node, str) and len(node) <= LONGEST_NODE)
    return frame if fits else None
