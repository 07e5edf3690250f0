"""LIVE: from the commit of an event to its arrival at the sockets of those who watch the run, over a real server."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from runner.services.attempts import end_segment
from runner.services.programs import dispatcher_of, program_of
from runner.services.runs import actor_of, start_run
from runner.services.steps import Segment
from runner.store.claims import pending_steps, step_place
from tests.bench import flows
from tests.bench.meters import cpu_s
from tests.bench.talk import Talker
from tests.bench.workloads.inline import Figures, version_of
from tests.support.flows import make_person

PAUSE_S = 0.05
#: From so many sockets on, fewer steps show enough.
MANY = 500

Committed = list[tuple[int, float]]


def live(quick: bool, port: int, watchers: int, pids: list[int]) -> Figures:
    """Steps of one run seen by so many sockets: one every 50 ms, then as fast as the run goes ("busy").

    `cpu_ms` is the web server's for one step, `frame_us` the same for one frame to one socket.
    """
    person = User.objects.filter(username="bench").first() or make_person("bench", "analyst")
    client = Client()
    client.force_login(person)
    calm, busy = (5, 5) if quick else (60, 60 if watchers >= MANY else 200)
    version = version_of(f"live{calm + busy}", flows.linear(calm + busy))
    run_id = start_run(version, inputs={}, actor=actor_of(person), user=person).run_id
    cookie = f"{settings.SESSION_COOKIE_NAME}={client.session.session_key}"
    pages = Talker([sys.executable, "-m", "tests.bench.watchers"], os.environ)
    try:
        address = f"ws://127.0.0.1:{port}/ws/runs/{run_id}/?after=0"
        pages.ask("open", address=address, origin=f"http://127.0.0.1:{port}", cookie=cookie, count=watchers)
        pages.ask("wait", seq=1)
        commits = steps_of(run_id)
        frames = pages.ask("wait", seq=1)["frames"]
        used = cpu_s(pids)
        slow = [_after_a_pause(commits) for _ in range(calm)]
        frames = pages.ask("wait", seq=slow[-1][0])["frames"] - frames
        spent_ms = (cpu_s(pids) - used) * 1000
        began = time.perf_counter()
        fast = list(commits)
        rate = len(fast) / (time.perf_counter() - began)
        pages.ask("wait", seq=fast[-1][0])
        busy_ms = pages.ask("late", committed=fast)
        found = pages.ask("late", committed=slow)
        pages.ask("close")
    finally:
        pages.close()
    busy_figures = {f"busy_{name}": value for name, value in busy_ms.items()}
    per = {"cpu_ms": spent_ms / calm, "frame_us": spent_ms * 1000 / frames}
    return {**found, **per, **busy_figures, "busy_steps_s": rate}


def _after_a_pause(commits: Iterator[tuple[int, float]]) -> tuple[int, float]:
    time.sleep(PAUSE_S)
    return next(commits)


def steps_of(run_id: str) -> Iterator[tuple[int, float]]:
    """Work on a run to its end, as workers do; after each step the run's newest event, and when it was committed."""
    commits = _Commits()
    commit, connection.commit = connection.commit, commits.wrapped(connection.commit)  # type: ignore[method-assign]
    try:
        while pending := pending_steps(run_id):
            step_id, _ = pending[0]
            place = step_place(step_id)
            assert place is not None
            segment = Segment(place, program_of(place.version), dispatcher_of(place.version))
            command = segment._claim(step_id)
            while command is not None:  # None: the segment's time is over, or the run is
                commits.newest = 0.0
                command = segment._perform(command)
                assert segment.memory.run is not None
                yield segment.memory.run.seq, commits.newest or time.time()
    finally:
        connection.commit = commit  # type: ignore[method-assign]
        end_segment()


class _Commits:
    """When the newest commit of this connection was done: news go out after it, before a step's work returns."""

    newest = 0.0

    def wrapped(self, commit: Callable[[], None]) -> Callable[[], None]:
        def noting() -> None:
            commit()
            self.newest = time.time()

        return noting
