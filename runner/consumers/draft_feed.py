"""Who has which draft open: one listener of each process for all its sockets, over the channel layer alone.

Nothing is written down. Each page says now and then that it is there; who was silent for a while has gone.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from channels.layers import get_channel_layer

from runner.consumers.chores import chores, in_time
from runner.streaming import group_of_draft

log = logging.getLogger(__name__)

LAYER_TIMEOUT_S = 2.0
PAUSE_S, LONGEST_PAUSE_S = 2.0, 60.0
SILENT_S = 35.0
"""Somebody who did not say anything for so long is not there any more."""


@dataclass(frozen=True)
class Here:
    """One page that has a draft open: whose it is, and the node that is chosen there."""

    key: str
    name: str
    node: str | None


@dataclass
class Draft:
    """What this process knows of one draft."""

    watchers: dict[str, Watcher] = field(default_factory=dict)
    people: dict[str, tuple[Here, float]] = field(default_factory=dict)


@dataclass
class Watcher:
    """One socket of this process: its bell, and what it has to tell its page or the others."""

    bell: asyncio.Event
    changed: bool = False
    asked: bool = False


class DraftFeed:
    """Hears for all sockets of one event loop who is at their drafts."""

    def __init__(self) -> None:
        self._drafts: dict[str, Draft] = {}
        self._channel: str | None = None
        self._listener: asyncio.Task[None] | None = None

    def watch(self, flow_id: str, key: str, bell: asyncio.Event) -> Watcher:
        """Ring this bell whenever somebody comes, moves or goes, or something beside the draft has changed."""
        draft = self._drafts.setdefault(flow_id, Draft())
        watcher = draft.watchers[key] = Watcher(bell)
        if self._listener is None or self._listener.done():
            self._listener = asyncio.create_task(self._listen())
        elif len(draft.watchers) == 1:
            chores().add(self._join(flow_id))
        return watcher

    def leave(self, flow_id: str, key: str) -> None:
        """Ring it no more, and tell the others that this page has gone."""
        draft = self._drafts.get(flow_id)
        if draft is None:
            return
        draft.watchers.pop(key, None)
        chores().add(self.tell(flow_id, Here(key, "", None), gone=True))
        if not draft.watchers:
            del self._drafts[flow_id]
        if not self._drafts:
            chores().stop(self._listener)
            self._listener = self._channel = None

    def others(self, flow_id: str, key: str) -> list[Here]:
        """Who else has the draft open, by name."""
        draft = self._drafts.get(flow_id)
        if draft is None:
            return []
        now = monotonic()
        draft.people = {one: known for one, known in draft.people.items() if now - known[1] < SILENT_S}
        found = [here for one, (here, _) in draft.people.items() if one != key]
        return sorted(found, key=lambda here: (here.name, here.key))

    async def tell(self, flow_id: str, here: Here, *, fresh: bool = False, gone: bool = False) -> None:
        """Say to all who have the draft open where a page is. `fresh`: it wants to know of the others. Never raises."""
        message = {
            "type": "draft.person", "flow": flow_id, "key": here.key, "name": here.name, "node": here.node,
            "fresh": fresh, "gone": gone,
        }  # fmt: skip
        layer = get_channel_layer()
        if layer is None:
            return
        try:
            await in_time(layer.group_send(group_of_draft(flow_id), message), LAYER_TIMEOUT_S)
        except Exception as error:
            log.info("Who is at the draft of %s cannot be told: %r", flow_id, error)

    async def _join(self, flow_id: str) -> None:
        layer = get_channel_layer()
        if layer is None or self._channel is None:
            return
        with suppress(Exception):
            await in_time(layer.group_add(group_of_draft(flow_id), self._channel), LAYER_TIMEOUT_S)
            self._ask(flow_id)

    def _ask(self, flow_id: str) -> None:
        """The group is joined: now the answers of the others can be heard."""
        for watcher in self._drafts.get(flow_id, Draft()).watchers.values():
            watcher.asked = True
            watcher.bell.set()

    async def _listen(self) -> None:
        """Take news; after trouble with the layer begin anew, a little later each time."""
        layer = get_channel_layer()
        pause = PAUSE_S
        while layer is not None:
            try:
                self._channel = await layer.new_channel()
                for flow_id in list(self._drafts):
                    await self._join(flow_id)
                while True:
                    message = await layer.receive(self._channel)
                    pause = PAUSE_S
                    self._heard(message)
            except Exception as error:
                log.warning("The channel layer fails, nobody is told who is at a draft: %r", error)
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)

    def _heard(self, message: dict[str, Any]) -> None:
        draft = self._drafts.get(str(message.get("flow")))
        if draft is None:
            return
        key = message.get("key")
        if message.get("type") == "draft.changed":
            for watcher in draft.watchers.values():
                watcher.changed = True
        elif message.get("gone"):
            draft.people.pop(str(key), None)
        else:
            draft.people[str(key)] = (Here(str(key), str(message.get("name")), message.get("node")), monotonic())
            for own, watcher in draft.watchers.items():
                watcher.asked = watcher.asked or (bool(message.get("fresh")) and own != key)
        for watcher in draft.watchers.values():
            watcher.bell.set()


_feeds: WeakKeyDictionary[asyncio.AbstractEventLoop, DraftFeed] = WeakKeyDictionary()


def draft_feed() -> DraftFeed:
    """The listener of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _feeds:
        _feeds[loop] = DraftFeed()
    return _feeds[loop]
