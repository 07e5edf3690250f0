"""What each part carries at most, asked of several of these processes at the same time by bottlenecks.py."""

from __future__ import annotations

import itertools
import time
from functools import cache

from django.conf import settings
from django.db import connection, transaction

from editor.models import FlowVersion
from runner.models import Event, Run
from runner.services.runs import start_run
from runner.services.steps import run_segment
from runner.store.claims import pending_steps
from tests.bench import flows
from tests.bench.meters import Stopwatch, written_bytes
from tests.bench.workloads.inline import Figures, finish, version_of
from tests.support.runs import PROGRAM, call

LEAVES = 90
"""Branches of one run; fewer than a run may have open at the same time."""
#: Of the events that are added: of a run of this process, behind those that it has.
_numbers = itertools.count(1_000_000)


def branches(quick: bool, runs: int) -> list[list[str]]:
    """Start so many runs, each with many branches that wait to be taken; gives their step runs.

    Asked of a process whose messages end after one step, so that it takes none of the branches itself.
    """
    version = _branching(9 if quick else LEAVES)
    found = []
    for _ in range(runs):
        run_id = start_run(version, inputs={}, actor=PROGRAM).run_id
        run_segment(pending_steps(run_id)[0][0])
        found.append([step_id for step_id, _ in pending_steps(run_id)])
    return found


@cache
def _branching(leaves: int) -> FlowVersion:
    document = flows.fan_out(leaves)
    asked = {"message": "Where is my invoice?"}
    names = [node["id"] for node in document["nodes"] if node["id"].startswith("leaf")]
    document["nodes"] = [node for node in document["nodes"] if node["id"] not in names]
    document["nodes"] += [call(name, "sort_by_keywords", asked, read_only=True) for name in names]
    return version_of(f"branches{leaves}", document)


def take(quick: bool, steps: list[str]) -> Figures:
    """Take these step runs one after another, as messages to a worker would ask: two transactions for each."""
    watch = Stopwatch()
    done = sum(run_segment(step_id) for step_id in steps)
    return {"steps": done, **watch.span()}


def insert_events(quick: bool, at_once: int) -> Figures:
    """Add events to the table of events and nothing else, so many in one commit: the database alone."""
    rows = _events_of_a_run()
    names = [field.column for field in Event._meta.concrete_fields if not field.primary_key]
    seq = names.index("seq")
    commits = 3 if quick else 1_200 // at_once + 40
    one = f"({', '.join(['%s'] * len(names))})"
    quoted = ", ".join(connection.ops.quote_name(name) for name in names)
    statement = f"INSERT INTO runner_event ({quoted}) VALUES {', '.join([one] * at_once)}"
    before, watch = written_bytes(connection), Stopwatch()
    with connection.cursor() as cursor:
        for commit in range(commits):
            values: list[object] = []
            for number in range(at_once):
                row = list(rows[(commit * at_once + number) % len(rows)])
                row[seq] = next(_numbers)
                values += row
            with transaction.atomic():
                cursor.execute(statement, values)
    events = commits * at_once
    return {"steps": events, **watch.span(), "bytes": (written_bytes(connection) - before) / events}


@cache
def _events_of_a_run() -> tuple[tuple[object, ...], ...]:
    """The columns of the events of a run of LINEAR."""
    run: Run = finish(version_of("linear20", flows.linear(20)))[0]
    fields = [field for field in Event._meta.concrete_fields if not field.primary_key]
    columns = ", ".join(connection.ops.quote_name(field.column) for field in fields)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM runner_event WHERE run_id = %s ORDER BY seq", [run.pk])
        return tuple(cursor.fetchall())


def messages(quick: bool) -> Figures:
    """What Redis takes from one process: bare round trips, hints to workers, and news to watchers, each second."""
    from redis import Redis

    from runner import dispatch, streaming

    count = 20 if quick else 2_000
    redis = Redis.from_url(settings.REDIS_URL)
    began = time.perf_counter()
    for _ in range(count):
        redis.ping()
    trips = count / (time.perf_counter() - began)
    began = time.perf_counter()
    for number in range(count):
        dispatch.hint_step(f"{number:032x}", "bench")
    if not dispatch.flush(60.0):
        raise RuntimeError("The hints of the benchmark were not sent within a minute.")
    hints = count / (time.perf_counter() - began)
    publisher = streaming.Publisher()
    began = time.perf_counter()
    for number in range(count):  # each another group, so that none takes the place of another
        publisher.put(streaming.group_of(f"{number:032x}"), {"type": "run.event", "run": "", "seq": number})
    publisher.flush(60.0)
    news = count / (time.perf_counter() - began)
    redis.delete(dispatch.queue_of("bench"))
    return {"round_trips_s": trips, "hints_s": hints, "news_s": news}
