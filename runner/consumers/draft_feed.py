"""Who has which draft open: one listener of each process for all its sockets, over the channel layer alone.

Nothing is written down. Each page says now and then that it is there; who was silent for a while has gone.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from channels.layers import get_channel_layer

from runner.consumers.chores import chores, in_time
from runner.consumers.hints import LAYER_TIMEOUT_S, Hints
from runner.streaming import group_of_draft

log = logging.getLogger(__name__)

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
    saved: bool = True
    """The draft may be newer than what the page was told; so it is at first."""


class DraftFeed:
    """Hears for all sockets of one event loop who is at their drafts."""

    def __init__(self) -> None:
        self._drafts: dict[str, Draft] = {}
        self._hints = Hints(self._heard, "nobody is told who is at a draft", joined=self._ask)

    def watch(self, flow_id: str, key: str, bell: asyncio.Event) -> Watcher:
        """Ring this bell whenever somebody comes, moves or goes, or something beside the draft has changed."""
        draft = self._drafts.setdefault(flow_id, Draft())
        watcher = draft.watchers[key] = Watcher(bell)
        self._hints.join(group_of_draft(flow_id))
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
            self._hints.leave(group_of_draft(flow_id))

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

    def _ask(self, group: str) -> None:
        """The group is joined: now the answers of the others can be heard."""
        for flow_id, draft in self._drafts.items():
            for watcher in draft.watchers.values() if group_of_draft(flow_id) == group else ():
                watcher.asked = watcher.saved = True
                watcher.bell.set()

    def _heard(self, message: dict[str, Any]) -> None:
        draft = self._drafts.get(str(message.get("flow")))
        if draft is None:
            return
        key = message.get("key")
        if message.get("type") in ("draft.changed", "draft.saved"):
            for watcher in draft.watchers.values():
                watcher.changed = watcher.changed or message["type"] == "draft.changed"
                watcher.saved = watcher.saved or message["type"] == "draft.saved"
        elif message.get("gone"):
            draft.people.pop(str(key), None)
        elif isinstance(key, str) and isinstance(name := message.get("name"), str):
            draft.people[key] = (Here(key, name, message.get("node")), monotonic())
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
