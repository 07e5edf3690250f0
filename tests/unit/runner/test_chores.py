"""Tasks that are stopped for certain, also where the channel layer loses or hides a cancellation."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from runner.consumers import feed, mark_feed, rights_feed
from runner.consumers.chores import chores, in_time


async def stubborn(times: int) -> str:
    """Goes on over so many cancellations."""
    for _ in range(times):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            continue
    await asyncio.sleep(60)
    return "never"


@pytest.mark.parametrize("times", [0, 1, 3])
async def test_a_task_ends_however_often_it_must_be_canceled(times: int) -> None:
    task = asyncio.create_task(stubborn(times))
    await asyncio.sleep(0)
    chores().stop(task)
    await chores().idle()
    assert task.cancelled()


async def test_what_takes_too_long_is_given_up_at_once_although_it_cannot_be_canceled() -> None:
    with pytest.raises(TimeoutError):
        await in_time(stubborn(2), 0.01)
    assert chores()._tasks, "still being stopped"
    await chores().idle()


async def test_what_comes_in_time_is_given_and_what_fails_is_raised() -> None:
    async def fails() -> None:
        raise ValueError("no")

    assert await in_time(asyncio.sleep(0, "done"), 5) == "done"
    with pytest.raises(ValueError, match="no"):
        await in_time(fails(), 5)
    await chores().idle()


class HidingLayer:
    """Says that its connection is broken when it is told to stop, as the layer over Redis may do."""

    def __init__(self) -> None:
        self.asked = 0

    async def new_channel(self) -> str:
        return "channel"

    async def group_add(self, group: str, channel: str) -> None: ...

    async def group_discard(self, group: str, channel: str) -> None: ...

    async def receive(self, channel: str) -> Any:
        self.asked += 1
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise ConnectionError("closed") from None


class Watched(mark_feed.MarkFeed):
    """A watcher of something."""

    group, about, poll_s, gather_s = "group", "It", 60.0, 0.0  # type: ignore[assignment]


@pytest.mark.parametrize("module", [feed, mark_feed, rights_feed])
async def test_a_listener_ends_with_its_last_watcher(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    layer = HidingLayer()
    monkeypatch.setattr(module, "get_channel_layer", lambda: layer)
    if module is feed:
        listened: Any = feed.Feeds()
        listened._listener = asyncio.create_task(listened._listen())
        stop = lambda: chores().stop(listened._listener)  # noqa: E731
    elif module is mark_feed:
        listened = Watched()
        listened._tasks = [asyncio.create_task(listened._listen())]
        stop = lambda: listened.leave(asyncio.Event())  # noqa: E731
    else:
        listened, bell = rights_feed.RightsFeed(), asyncio.Event()
        listened.watch(bell)
        stop = lambda: listened.leave(bell)  # noqa: E731
    before = asyncio.all_tasks()
    while not layer.asked:
        await asyncio.sleep(0)
    stop()
    await chores().idle()
    await asyncio.sleep(0)
    assert not {task for task in before | asyncio.all_tasks() if not task.done()} - {asyncio.current_task()}
