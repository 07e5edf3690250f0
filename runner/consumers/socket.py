"""What every socket of ours does: it only sends what it reads, closes once with a code, and gives up deaf pages.

Closed with 4400 (bad request), 4401 (signed out), 4404 (not there for you), 4408 (too slow), 1009 (frame too large),
1011 (broken). What is sent is a subclass's to say.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer

from runner.consumers.chores import chores
from runner.consumers.rights_feed import rights_feed

log = logging.getLogger(__name__)

BAD_REQUEST, TOO_SLOW, TOO_LARGE, BROKEN = 4400, 4408, 1009, 1011
LARGEST_FRAME_IN = 16_384

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class Gone(Exception):
    """The page is not there any more, or was closed: nothing is left to send to."""


class ReadingSocket(AsyncWebsocketConsumer):
    """A socket over which a page gets news and sends nothing but pings."""

    channel_layer_alias = "none"
    """No layer: hints come to a reader, once for all sockets; a socket needs no Redis of its own to stay open."""
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

    async def refused(self) -> int | None:
        """The code to close with, or None: asked on connect, and again while the socket is open."""
        raise NotImplementedError

    async def feed(self) -> None:
        """Send what there is and what comes, for ever."""
        raise NotImplementedError

    async def send(self, text_data: str | None = None, bytes_data: bytes | None = None, close: bool = False) -> None:
        """Send a frame. Raises Gone once the socket is closed: a task may have been about to send."""
        if self.is_closed:
            raise Gone
        await super().send(text_data, bytes_data, close)

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        """Close the socket, once."""
        if not self.is_closed:
            self.is_closed = True
            await super().close(code, reason)

    async def connect(self) -> None:
        """Accept, so that a refusal can carry its code; then feed whoever may be fed."""
        self.tasks: list[asyncio.Task[None]] = []
        self.bell = asyncio.Event()
        self.door = asyncio.Event()
        await self.accept()
        code = await self.refused()
        if code is not None:
            await self.close(code=code)
            return
        rights_feed().watch(self.door)
        self.tasks = [asyncio.create_task(self._pump()), asyncio.create_task(self._check_again())]

    async def disconnect(self, code: int) -> None:
        for task in self.tasks:
            chores().stop(task)
        rights_feed().leave(self.door)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if len(text_data or b"") > LARGEST_FRAME_IN or len(bytes_data or b"") > LARGEST_FRAME_IN:
            await self.close(code=TOO_LARGE)
        elif _is_ping(text_data):
            with suppress(Gone):
                await self.send_in_time('{"type":"pong"}')
        else:
            await self.close(code=BAD_REQUEST)

    async def send_in_time(self, text: str) -> None:
        """Send one frame. A page that does not take it in time is closed, and asks again when it comes back."""
        try:
            async with asyncio.timeout(self.send_limit_s):
                await self.send(text_data=text)
        except TimeoutError:
            with suppress(TimeoutError, OSError):
                async with asyncio.timeout(self.close_limit_s):
                    await self.close(code=TOO_SLOW)
            self.given_up.set()
            raise Gone from None
        except OSError:
            raise Gone from None

    async def rung(self, is_fresh: Callable[[], bool]) -> None:
        """Wait for the bell; beat meanwhile, as long as the database answers."""
        while not self.bell.is_set():
            try:
                async with asyncio.timeout(self.beat_s):
                    await self.bell.wait()
            except TimeoutError:
                if is_fresh():
                    await self.send_in_time('{"type":"beat"}')

    async def _pump(self) -> None:
        try:
            await self.feed()
        except Gone:
            return
        except Exception:
            # The page comes back and goes on from where it was.
            log.exception("The socket of %s broke.", self.scope.get("path"))
            await self.close(code=BROKEN)

    async def _check_again(self) -> None:
        """Ask now and then whether the page may still be fed, and at once when somebody's rights have changed."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.recheck_s):
                    await self.door.wait()
            self.door.clear()
            try:
                code = await self.refused()
            except Exception:
                # Nothing can be read, so nothing is sent either; ask again next time.
                log.warning("Whether %s may still be read cannot be asked.", self.scope.get("path"), exc_info=True)
                continue
            if code is not None:
                await self.close(code=code)
                return


def _is_ping(text: str | None) -> bool:
    try:
        frame: Any = json.loads(text or "")
    except (ValueError, RecursionError):
        return False
    return bool(frame == {"type": "ping"})
