"""Work in the background of an event loop, and tasks that are stopped for certain.

One `cancel` is not enough for a task that talks to the channel layer: the Redis client loses a cancellation that
comes while it connects, and the layer may raise an error of its own in place of it. Such a task would go on for ever,
and whoever waits for it (asyncio.wait_for, a loop that closes) would wait for ever too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

CANCEL_AGAIN_S = 0.5


class Chores:
    """What one event loop does in the background until it is done."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def add(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do this soon, while nobody waits for it."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def stop(self, task: asyncio.Task[Any] | None) -> None:
        """End a task, however often it has to be canceled. None is nothing to end."""
        if task is not None and not task.done():
            task.cancel()
            self.add(_stop(task))

    async def idle(self) -> None:
        """Wait until nothing is left to do."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))


async def _stop(task: asyncio.Task[Any]) -> None:
    while not task.done():
        await asyncio.wait({task}, timeout=CANCEL_AGAIN_S)
        task.cancel()
    if not task.cancelled():
        task.exception()  # nobody else asks for it any more


async def in_time(work: Coroutine[Any, Any, T], seconds: float) -> T:
    """What the work gives. Raises TimeoutError after so many seconds, also where the work cannot be canceled."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
        if task.done():
            return task.result()
        raise TimeoutError
    finally:
        chores().stop(task)


_chores: WeakKeyDictionary[asyncio.AbstractEventLoop, Chores] = WeakKeyDictionary()


def chores() -> Chores:
    """The chores of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _chores:
        _chores[loop] = Chores()
    return _chores[loop]
