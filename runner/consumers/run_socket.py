"""The socket of one run: history after a number, then what comes, each event once, in order. It only reads.

Frames to the page: `hello` (newest number), `events` (at most 200), `beat` (nothing new, and the database
answers), `pong`. Frames from the page: `ping`. Closed with 4400 (bad request), 4401 (signed out), 4404 (no such
run for you), 4408 (too slow), 4409 (the page knows numbers that do not exist), 1009 (frame too large); a page
that is closed as too slow, or by the network, goes on from its last number.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

from channels.generic.websocket import AsyncWebsocketConsumer

from runner.consumers.access import refusal
from runner.consumers.feed import Line, RunReader, feeds

log = logging.getLogger(__name__)

BAD_REQUEST, TOO_SLOW, AHEAD, TOO_LARGE, BROKEN = 4400, 4408, 4409, 1009, 1011
LARGEST_FRAME_IN = 16_384
FRAME_CHARS = 128 * 1024
"""A frame to the page ends at the first event that brings it over this."""


Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class _Gone(Exception):
    """The page is not there any more, or was closed: nothing is left to send to."""


class RunConsumer(AsyncWebsocketConsumer):
    """Sends the events of one run to one page."""

    channel_layer_alias = "none"
    """No layer: hints come to the reader, once for all sockets; a socket needs no Redis of its own to stay open."""
    send_limit_s = 10.0
    close_limit_s = 2.0
    recheck_s = 60.0
    beat_s = 10.0
    is_closed = False

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve one socket until its page leaves, or is given up as not reading: then no close can be sent either."""
        given_up = self.given_up = asyncio.Event()

        async def receive_or_give_up() -> dict[str, Any]:
            leaves = asyncio.ensure_future(receive())
            ends = asyncio.ensure_future(given_up.wait())
            try:
                await asyncio.wait({leaves, ends}, return_when=asyncio.FIRST_COMPLETED)
                return leaves.result() if leaves.done() else {"type": "websocket.disconnect", "code": TOO_SLOW}
            finally:
                leaves.cancel()
                ends.cancel()

        await super().__call__(scope, receive_or_give_up, send)

    async def send(self, text_data: str | None = None, bytes_data: bytes | None = None, close: bool = False) -> None:
        """Send a frame. Raises _Gone once the socket is closed: a task may have been about to send."""
        if self.is_closed:
            raise _Gone
        await super().send(text_data, bytes_data, close)

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        """Close the socket, once."""
        if not self.is_closed:
            self.is_closed = True
            await super().close(code, reason)

    async def connect(self) -> None:
        self.tasks: list[asyncio.Task[None]] = []
        self.bell = asyncio.Event()
        self.watched = False
        self.run_id: str = self.scope["url_route"]["kwargs"]["run_id"]
        await self.accept()
        after = _after(self.scope.get("query_string", b""))
        if after is None:
            await self.close(code=BAD_REQUEST)
            return
        code = await refusal(self.scope, self.run_id)
        if code is not None:
            await self.close(code=code)
            return
        self.tasks = [asyncio.create_task(self._pump(after)), asyncio.create_task(self._check_again())]

    async def disconnect(self, code: int) -> None:
        for task in self.tasks:
            task.cancel()
        if self.watched:
            feeds().leave(self.run_id, self.bell)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if len(text_data or b"") > LARGEST_FRAME_IN or len(bytes_data or b"") > LARGEST_FRAME_IN:
            await self.close(code=TOO_LARGE)
        elif _is_ping(text_data):
            with suppress(_Gone):
                await self._send('{"type":"pong"}')
        else:
            await self.close(code=BAD_REQUEST)

    async def _pump(self, cursor: int) -> None:
        try:
            await self._feed(cursor)
        except _Gone:
            return
        except Exception:
            # The page comes back and goes on from its number.
            log.exception("The socket of run %s broke.", self.run_id)
            await self.close(code=BROKEN)

    async def _feed(self, cursor: int) -> None:
        self.watched = True
        reader = await feeds().watch(self.run_id, self.bell)
        if cursor > reader.head:
            await self.close(code=AHEAD)
            return
        await self._send(json.dumps({"type": "hello", "run": self.run_id, "seq": reader.head, "after": cursor}))
        while True:
            self.bell.clear()
            cursor = await self._send_after(reader, cursor)
            try:
                await asyncio.wait_for(self.bell.wait(), self.beat_s)
            except TimeoutError:
                if reader.is_fresh():
                    await self._send(json.dumps({"type": "beat", "seq": reader.head}))

    async def _send_after(self, reader: RunReader, cursor: int) -> int:
        """Send everything the reader has after a number; gives the new number."""
        while cursor < reader.head:
            lines = _fitting(await reader.lines_after(cursor))
            if not lines:
                break
            await self._send(f'{{"type":"events","events":[{",".join(line.text for line in lines)}]}}')
            cursor = lines[-1].seq
        return cursor

    async def _send(self, text: str) -> None:
        """Send one frame. A page that does not take it in time is closed, and asks again from its number."""
        try:
            await asyncio.wait_for(self.send(text_data=text), self.send_limit_s)
        except TimeoutError:
            with suppress(TimeoutError, OSError):
                await asyncio.wait_for(self.close(code=TOO_SLOW), self.close_limit_s)
            self.given_up.set()
            raise _Gone from None
        except OSError:
            raise _Gone from None

    async def _check_again(self) -> None:
        while True:
            await asyncio.sleep(self.recheck_s)
            try:
                code = await refusal(self.scope, self.run_id)
            except Exception:
                # Nothing can be read, so nothing is sent either; ask again next time.
                log.warning("Whether run %s may still be watched cannot be asked.", self.run_id, exc_info=True)
                continue
            if code is not None:
                await self.close(code=code)
                return


def _after(query: bytes) -> int | None:
    """The number in `?after=`, 0 without one, None if it is no number."""
    text = parse_qs(query.decode("ascii", "replace")).get("after", ["0"])[-1]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _is_ping(text: str | None) -> bool:
    try:
        frame: Any = json.loads(text or "")
    except (ValueError, RecursionError):
        return False
    return bool(frame == {"type": "ping"})


def _fitting(lines: Sequence[Line]) -> Sequence[Line]:
    """As many of the lines as one frame may hold; at least one."""
    total = 0
    for count, line in enumerate(lines, start=1):
        total += len(line.text)
        if total > FRAME_CHARS:
            return lines[:count]
    return lines
