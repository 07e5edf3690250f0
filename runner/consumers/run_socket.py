"""The socket of one run: history after a number, then what comes, each event once, in order. It only reads.

Frames to the page: `hello` (newest number), `events` (at most 200), `beat` (nothing new, and the database
answers), `pong`. Frames from the page: `ping`. Closed with the codes of socket.py, and with 4409 if the page knows
numbers that do not exist; a page that is closed as too slow, or by the network, goes on from its last number.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from urllib.parse import parse_qs

from runner.consumers.access import refusal
from runner.consumers.feed import Line, RunReader, feeds
from runner.consumers.socket import BAD_REQUEST, LARGEST_FRAME_IN, ReadingSocket

__all__ = ["LARGEST_FRAME_IN", "RunConsumer"]

AHEAD = 4409
FRAME_CHARS = 128 * 1024
"""A frame to the page ends at the first event that brings it over this."""


class RunConsumer(ReadingSocket):
    """Sends the events of one run to one page."""

    watched = False

    async def refused(self) -> int | None:
        """Whether the page asks for something, and its person may see the run."""
        self.run_id: str = self.scope["url_route"]["kwargs"]["run_id"]
        self.after = _after(self.scope.get("query_string", b""))
        return BAD_REQUEST if self.after is None else await refusal(self.scope, self.run_id)

    async def disconnect(self, code: int) -> None:
        await super().disconnect(code)
        if self.watched:
            feeds().leave(self.run_id, self.bell)

    async def feed(self) -> None:
        """What happened after the page's number, then what happens."""
        cursor = self.after or 0
        self.watched = True
        reader = await feeds().watch(self.run_id, self.bell)
        if cursor > reader.head:
            await self.close(code=AHEAD)
            return
        await self.send_in_time(json.dumps({"type": "hello", "run": self.run_id, "seq": reader.head, "after": cursor}))
        while True:
            self.bell.clear()
            cursor = await self._send_after(reader, cursor)
            try:
                async with asyncio.timeout(self.beat_s):
                    await self.bell.wait()
            except TimeoutError:
                if reader.is_fresh():
                    await self.send_in_time(json.dumps({"type": "beat", "seq": reader.head}))

    async def _send_after(self, reader: RunReader, cursor: int) -> int:
        """Send everything the reader has after a number; gives the new number."""
        while cursor < reader.head:
            lines = _fitting(await reader.lines_after(cursor))
            if not lines:
                break
            await self.send_in_time(f'{{"type":"events","events":[{",".join(line.text for line in lines)}]}}')
            cursor = lines[-1].seq
        return cursor


def _after(query: bytes) -> int | None:
    """The number in `?after=`, 0 without one, None if it is no number."""
    text = parse_qs(query.decode("ascii", "replace")).get("after", ["0"])[-1]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _fitting(lines: Sequence[Line]) -> Sequence[Line]:
    """As many of the lines as one frame may hold; at least one."""
    total = 0
    for count, line in enumerate(lines, start=1):
        total += len(line.text)
        if total > FRAME_CHARS:
            return lines[:count]
    return lines
