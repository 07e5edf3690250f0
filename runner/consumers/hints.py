"""Hearing what the channel layer brings, once for all sockets of an event loop: one channel, and the groups it is in.

Hints may get lost: whoever listens reads the database. After trouble with the layer listening begins anew, a little
later each time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from channels.layers import BaseChannelLayer, get_channel_layer

from runner.consumers.chores import chores, in_time

log = logging.getLogger(__name__)

LAYER_TIMEOUT_S = 2.0
"""Longest wait for the channel layer: without it everything still arrives, only later."""
JOINS_AGAIN_S = 3_600.0
"""The layer forgets who is in a group after its expiry, a day: groups are joined again long before."""

Heard = Callable[[dict[str, Any]], None]


def _joins_again_s(layer: BaseChannelLayer) -> float:
    return min(JOINS_AGAIN_S, getattr(layer, "group_expiry", JOINS_AGAIN_S) / 3)


class Hints:
    """Calls `heard` with each message of the groups that were joined; `joined` with a group, once its news can come.

    `without`: what the log says that happens while the layer fails. Pauses after trouble are in seconds.
    """

    def __init__(
        self,
        heard: Heard,
        without: str,
        *,
        joined: Callable[[str], None] | None = None,
        pause_s: float = 2.0,
        longest_pause_s: float = 60.0,
    ) -> None:
        self._heard, self._without, self._joined = heard, without, joined
        self._first_pause_s, self._longest_pause_s = pause_s, longest_pause_s
        self._pause_s = pause_s
        self._groups: set[str] = set()
        self._channel: str | None = None
        self._task: asyncio.Task[None] | None = None

    def join(self, group: str) -> None:
        """Hear this group, too. The first one starts the listening."""
        known = group in self._groups
        self._groups.add(group)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._listen())
        elif not known and self._channel is not None:
            chores().add(self._join_soon(group))

    def leave(self, group: str) -> None:
        """Hear it no more. The last one ends the listening."""
        if group not in self._groups:
            return
        self._groups.discard(group)
        chores().add(self._part(group, self._channel))
        if not self._groups:
            chores().stop(self._task)
            self._task = self._channel = None

    async def _join_soon(self, group: str) -> None:
        layer, channel = get_channel_layer(), self._channel
        if layer is None or channel is None:
            return
        try:
            await self._join(layer, group, channel)
        except Exception as error:
            log.warning("The group %s could not be joined, %s: %r", group, self._without, error)

    async def _join(self, layer: BaseChannelLayer, group: str, channel: str) -> None:
        await in_time(layer.group_add(group, channel), LAYER_TIMEOUT_S)
        if self._joined is not None and group in self._groups:
            self._joined(group)

    async def _part(self, group: str, channel: str | None) -> None:
        layer = get_channel_layer()
        if layer is None or channel is None:
            return
        try:
            await in_time(layer.group_discard(group, channel), LAYER_TIMEOUT_S)
        except Exception as error:
            log.info("The group %s could not be left; it will expire: %r", group, error)
        if group in self._groups and channel == self._channel:  # joined anew meanwhile: which came last is not known
            await self._join_soon(group)

    async def _listen(self) -> None:
        layer = get_channel_layer()
        while layer is not None:
            try:
                channel = self._channel = await layer.new_channel()
                while True:
                    for group in list(self._groups):
                        await self._join(layer, group, channel)
                    with suppress(TimeoutError):
                        await in_time(self._take(layer, channel), _joins_again_s(layer))
            except Exception as error:
                log.warning("The channel layer fails, %s: %r", self._without, error)
                await asyncio.sleep(self._pause_s)
                self._pause_s = min(2 * self._pause_s, self._longest_pause_s)

    async def _take(self, layer: BaseChannelLayer, channel: str) -> None:
        while True:
            message = await layer.receive(channel)
            self._pause_s = self._first_pause_s
            if isinstance(message, dict):
                self._heard(message)
