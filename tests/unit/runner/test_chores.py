"""Tasks that are stopped for certain, also where the channel layer loses or hides a cancellation."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from runner.consumers import hints
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


@pytest.fixture
def layer(monkeypatch: pytest.MonkeyPatch) -> HidingLayer:
    made = HidingLayer()
    monkeypatch.setattr(hints, "get_channel_layer", lambda: made)
    return made


async def test_a_listener_ends_with_its_last_group(layer: HidingLayer) -> None:
    listened = hints.Hints(lambda _: None, "nothing is heard")
    listened.join("one")
    listened.join("two")
    listened.leave("one")
    stop = lambda: listened.leave("two")  # noqa: E731
    before = asyncio.all_tasks()
    while not layer.asked:
        await asyncio.sleep(0)
    stop()
    await chores().idle()
    await asyncio.sleep(0)
    assert not {task for task in before | asyncio.all_tasks() if not task.done()} - {asyncio.current_task()}
