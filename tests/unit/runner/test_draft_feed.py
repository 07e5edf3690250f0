"""Who is at a draft: what other processes say of it, and what says nothing of anybody."""

from __future__ import annotations

import asyncio

from channels.layers import InMemoryChannelLayer
from pytest import MonkeyPatch

from runner.consumers import draft_feed, hints
from runner.consumers.chores import chores


async def test_who_says_no_name_is_nobody(monkeypatch: MonkeyPatch) -> None:
    for module in (draft_feed, hints):
        monkeypatch.setattr(module, "get_channel_layer", InMemoryChannelLayer)
    feed, bell = draft_feed.DraftFeed(), asyncio.Event()
    feed.watch("pays", "mine", bell)
    said = {"type": "draft.person", "flow": "pays", "node": None}
    for more in ({"key": "a"}, {"key": "b", "name": None}, {"name": "Bo"}, {"key": "c", "name": "Cy"}):
        feed._heard(said | more)
    assert [here.name for here in feed.others("pays", "mine")] == ["Cy"]
    feed.leave("pays", "mine")
    await chores().idle()
