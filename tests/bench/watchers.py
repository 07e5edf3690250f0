"""The pages that watch a run, as a process of their own: `python -m tests.bench.watchers`, asked by workloads/live.py.

Each is a socket that notes when a frame came and which events it brought; nothing is drawn.
"""

from __future__ import annotations

import asyncio
import statistics
import threading
import time
from bisect import bisect_left
from typing import Any

from tests.bench.talk import answer

MARK = '"seq":'
AT_ONCE = 50
LONGEST_S = 120.0


class Watchers:
    """Sockets of one run, in a thread with an event loop; `ask` runs one of their coroutines from the main thread."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.sockets: list[Any] = []
        self.readers: list[asyncio.Task[None]] = []
        self.frames: list[list[tuple[int, float]]] = []

    def open(self, address: str, origin: str, cookie: str, count: int) -> None:
        """Open so many sockets that get the run's events from the first on."""
        self._ask(self._open(address, origin, cookie, count))

    def wait(self, seq: int) -> dict[str, float]:
        """Wait until every socket has had event `seq`. Raises RuntimeError if one has not in two minutes."""
        until = time.monotonic() + LONGEST_S
        while late := sum(1 for seen in self.frames if not seen or seen[-1][0] < seq):
            if time.monotonic() > until:
                raise RuntimeError(f"{late} of {len(self.frames)} sockets never had event {seq}.")
            time.sleep(0.02)
        return {"frames": sum(len(seen) for seen in self.frames)}

    def late(self, committed: list[tuple[int, float]]) -> dict[str, float]:
        """Milliseconds from the commit of events (number, seconds since the epoch) to each socket: p50, p95."""
        found = []
        for seen in self.frames:
            for seq, at in committed:
                _, came = seen[bisect_left(seen, (seq, 0.0))]
                found.append((came - at) * 1000)
        found.sort()
        return {"p50_ms": statistics.median(found), "p95_ms": found[min(len(found) - 1, int(len(found) * 0.95))]}

    def close(self) -> None:
        """Close all sockets."""
        self._ask(self._close())

    def _ask(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self.loop).result(LONGEST_S)

    async def _open(self, address: str, origin: str, cookie: str, count: int) -> None:
        from websockets.asyncio.client import connect

        options: dict[str, Any] = {"origin": origin, "additional_headers": {"Cookie": cookie}, "open_timeout": 60}
        for first in range(0, count, AT_ONCE):
            many = range(min(AT_ONCE, count - first))
            self.sockets += await asyncio.gather(*(connect(address, **options) for _ in many))
        self.frames = [[] for _ in self.sockets]
        self.readers = [asyncio.create_task(_read(*pair)) for pair in zip(self.sockets, self.frames, strict=True)]

    async def _close(self) -> None:
        for reader in self.readers:
            reader.cancel()
        await asyncio.gather(*(socket.close() for socket in self.sockets), return_exceptions=True)
        self.sockets, self.readers, self.frames = [], [], []


async def _read(socket: Any, seen: list[tuple[int, float]]) -> None:
    """Note the newest number of each frame of events. Raises RuntimeError for one that is missing or there twice."""
    newest = 0
    async for text in socket:
        now = time.time()
        if not text.startswith('{"type":"events"'):
            continue
        first, last = _number(text, text.index(MARK)), _number(text, text.rindex(MARK))
        if first != newest + 1:
            raise RuntimeError(f"After event {newest} came event {first}.")
        newest = last
        seen.append((newest, now))


def _number(text: str, place: int) -> int:
    """The number that stands behind a mark."""
    place += len(MARK)
    end = place
    while text[end].isdigit():
        end += 1
    return int(text[place:end])


def main() -> None:
    """Answer what is asked."""
    watchers = Watchers()
    answer({name: getattr(watchers, name) for name in ("open", "wait", "late", "close")})


if __name__ == "__main__":
    main()
