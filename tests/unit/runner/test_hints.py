"""Hearing the channel layer: still after its groups have expired, after trouble, and no group that was left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer

from runner.consumers import hints
from runner.consumers.chores import chores

Message = dict[str, Any]


@pytest.fixture
def heard() -> asyncio.Queue[Message]:
    return asyncio.Queue()


@pytest.fixture
def joined() -> asyncio.Queue[str]:
    return asyncio.Queue()


@pytest.fixture
async def listening(heard: asyncio.Queue[Message], joined: asyncio.Queue[str]) -> AsyncIterator[hints.Hints]:
    made = hints.Hints(heard.put_nowait, "nothing is heard", joined=joined.put_nowait, pause_s=0.01)
    yield made
    for group in ("one", "two"):
        made.leave(group)
    await chores().idle()


def use(layer: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(hints, "get_channel_layer", lambda: layer)
    return layer


async def test_groups_are_joined_again_before_they_expire(
    listening: hints.Hints,
    heard: asyncio.Queue[Message],
    joined: asyncio.Queue[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layer = use(InMemoryChannelLayer(group_expiry=1), monkeypatch)
    listening.join("one")
    await joined.get()
    (entered,) = layer.groups["one"].values()
    async with asyncio.timeout(30):
        while max(layer.groups["one"].values()) < entered + layer.group_expiry + 1:
            await joined.get()
    await layer.group_send("one", {"type": "news", "n": 1})
    assert (await heard.get())["n"] == 1


async def test_a_group_is_heard_from_joining_to_leaving(
    listening: hints.Hints,
    heard: asyncio.Queue[Message],
    joined: asyncio.Queue[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layer = use(InMemoryChannelLayer(), monkeypatch)
    listening.join("one")
    assert await joined.get() == "one"
    listening.join("two")
    assert await joined.get() == "two"
    listening.leave("one")
    await chores().idle()
    for group in ("one", "two"):
        await layer.group_send(group, {"type": "news", "group": group})
    assert (await heard.get())["group"] == "two" and heard.empty()


class Failing(InMemoryChannelLayer):
    """Loses its connection a few times."""

    left = 3

    async def receive(self, channel: str) -> Any:
        if self.left:
            self.left -= 1
            raise ConnectionError("closed")
        return await super().receive(channel)


async def test_after_trouble_it_listens_anew(
    listening: hints.Hints,
    heard: asyncio.Queue[Message],
    joined: asyncio.Queue[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layer = use(Failing(), monkeypatch)
    listening.join("one")
    for _ in range(4):
        await joined.get()
    await layer.group_send("one", {"type": "news", "n": 1})
    assert (await heard.get())["n"] == 1


class Slow(InMemoryChannelLayer):
    """Leaves groups late: whoever has joined one anew meanwhile is taken out of it."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()

    async def group_discard(self, group: str, channel: str) -> None:
        await self.go.wait()
        await super().group_discard(group, channel)


async def test_a_group_that_is_joined_anew_while_it_is_left_is_heard(
    listening: hints.Hints,
    heard: asyncio.Queue[Message],
    joined: asyncio.Queue[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layer = use(Slow(), monkeypatch)
    listening.join("one")
    assert await joined.get() == "one"
    listening.join("two")
    assert await joined.get() == "two"
    listening.leave("one")
    listening.join("one")
    assert await joined.get() == "one"
    layer.go.set()
    await chores().idle()
    assert layer.groups.get("one"), "nothing of the group would be heard"
    await layer.group_send("one", {"type": "news", "n": 1})
    assert (await heard.get())["n"] == 1
