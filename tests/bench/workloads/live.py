"""LIVE: from the commit of an event to its arrival at the sockets of those who watch the run, over a real server."""

from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client

from runner.services.programs import dispatcher_of, program_of
from runner.services.runs import actor_of, start_run
from runner.services.steps import Segment
from runner.store.claims import pending_steps, step_place
from tests.bench import flows
from tests.bench.meters import cpu_s
from tests.bench.workloads.crewed import percentiles
from tests.bench.workloads.inline import Figures, version_of
from tests.support.flows import make_person

PAUSE_S = 0.05


def live(quick: bool, port: int, watchers: int, pids: list[int]) -> Figures:
    """Steps of one run, one every 50 ms, seen by so many sockets; `cpu_ms` is the web server's for one step."""
    person = User.objects.filter(username="bench").first() or make_person("bench", "analyst")
    client = Client()
    client.force_login(person)
    steps = 5 if quick else 60
    version = version_of(f"live{steps}", flows.linear(steps + 1))
    run_id = start_run(version, inputs={}, actor=actor_of(person), user=person).run_id
    cookie = f"{settings.SESSION_COOKIE_NAME}={client.session.session_key}"
    connections.close_all()
    return asyncio.run(_watch(run_id, port, cookie, watchers, steps, pids))


async def _watch(run_id: str, port: int, cookie: str, watchers: int, steps: int, pids: list[int]) -> Figures:
    from websockets.asyncio.client import connect

    address = f"ws://127.0.0.1:{port}/ws/runs/{run_id}/?after=0"
    origin = f"http://127.0.0.1:{port}"
    sockets: list[Any] = []
    for first in range(0, watchers, 50):
        many = range(min(50, watchers - first))
        options: dict[str, Any] = {"origin": origin, "additional_headers": {"Cookie": cookie}, "open_timeout": 60}
        sockets += await asyncio.gather(*(connect(address, **options) for _ in many))
    arrived: list[dict[int, float]] = [{} for _ in sockets]
    readers = [asyncio.create_task(_read(*pair)) for pair in zip(sockets, arrived, strict=True)]
    await asyncio.sleep(2.0)
    used = cpu_s(pids)
    with ThreadPoolExecutor(1) as pool:
        committed = await asyncio.get_running_loop().run_in_executor(pool, _commit, run_id, steps)
    await asyncio.sleep(2.0)
    spent = cpu_s(pids) - used
    for reader in readers:
        reader.cancel()
    await asyncio.gather(*(socket.close() for socket in sockets), return_exceptions=True)
    late = [(seen[seq] - at) * 1000 for seen in arrived for seq, at in committed.items() if seq in seen]
    if len(late) < len(sockets) * len(committed):
        raise RuntimeError(f"Only {len(late)} of {len(sockets) * len(committed)} frames arrived.")
    return {**percentiles(late), "cpu_ms": spent * 1000 / steps}


async def _read(socket: Any, arrived: dict[int, float]) -> None:
    async for text in socket:
        now = time.time()
        frame = json.loads(text)
        if frame["type"] == "events":
            arrived.update((event["seq"], now) for event in frame["events"])


def _commit(run_id: str, steps: int) -> dict[int, float]:
    """Work on a run step by step; gives the newest event of each step, and when it was committed."""
    committed: dict[int, float] = {}
    try:
        step_id, _ = pending_steps(run_id)[0]
        place = step_place(step_id)
        assert place is not None
        segment = Segment(place, program_of(place.version), dispatcher_of(place.version))
        command = segment._claim(step_id)
        for _ in range(steps):
            assert command is not None
            time.sleep(PAUSE_S)
            command = segment._perform(command)
            committed[segment.memory.run.seq if segment.memory.run else 0] = time.time()
        if command is not None:
            segment._release(command)
    finally:
        connections.close_all()
    return committed
