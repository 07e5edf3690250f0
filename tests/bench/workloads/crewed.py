"""Runs that the site's own worker processes work on: many at once, and how soon the first step begins."""

from __future__ import annotations

import json
import statistics
import time

from django.contrib.auth.models import User
from django.test import Client

from editor.models import FlowVersion
from editor.services import import_flow, publish_version
from runner.catalog import CATALOG
from runner.models import Event, Run
from runner.services.runs import start_run
from tests.bench import flows
from tests.bench.meters import cpu_s
from tests.bench.workloads.inline import Figures, version_of
from tests.support.flows import make_person
from tests.support.runs import PROGRAM

WAIT_S = 120.0
START_FLOW = "bench_start"
#: The first requests import, compile and connect.
WARM = 3


def wait_for(run_ids: list[str]) -> list[Run]:
    """Wait until runs have ended. Raises RuntimeError for one that does not end well."""
    until = time.monotonic() + WAIT_S
    while Run.objects.filter(pk__in=run_ids, ended_at=None).exists():
        if time.monotonic() > until:
            raise RuntimeError("The workers did not end the runs of the benchmark in time.")
        time.sleep(0.01)
    found = list(Run.objects.filter(pk__in=run_ids))
    if wrong := next((run for run in found if run.status != "succeeded"), None):
        raise RuntimeError(f"A run of the benchmark ended as {wrong.status}: {wrong.error}")
    return found


def many(quick: bool, pids: list[int]) -> Figures:
    """MANY: 50 runs of 10 steps, started together, for two worker processes; `cpu` is that of the processes `pids`."""
    runs, steps = (5, 5) if quick else (50, 10)
    version = version_of(f"linear{steps}", flows.linear(steps))
    used, began = cpu_s(pids), time.perf_counter()
    started = [start_run(version, inputs={}, actor=PROGRAM).run_id for _ in range(runs)]
    ended = wait_for(started)
    return {
        "steps": sum(run.steps for run in ended),
        "seconds": time.perf_counter() - began,
        "cpu": cpu_s(pids) - used,
    }


def fan_out_by_worker(quick: bool, pids: list[int]) -> Figures:
    """FANOUT, from the order to the end, by the workers."""
    leaves = 10 if quick else 100
    version = version_of(f"fan{leaves}", flows.fan_out(leaves))
    used, began = cpu_s(pids), time.perf_counter()
    run = wait_for([start_run(version, inputs={}, actor=PROGRAM).run_id])[0]
    return {"steps": run.steps, "seconds": time.perf_counter() - began, "cpu": cpu_s(pids) - used}


def start(quick: bool) -> Figures:
    """START: from a program's request over the API to the commit of the first step's start, on an idle site."""
    client = program()
    rounds = 5 if quick else 40
    found = []
    for _ in range(WARM + rounds):
        began_ms = time.time() * 1000
        answer = client.post("/api/runs/", json.dumps({"flow": START_FLOW, "inputs": {}}), "application/json")
        if answer.status_code != 201:
            raise RuntimeError(f"The API answered {answer.status_code}: {answer.content[:300]!r}")
        run_id = answer.json()["id"]
        wait_for([run_id])
        first = Event.objects.filter(run_id=run_id, type="step-start").order_by("seq")[0]
        found.append(first.ts.timestamp() * 1000 - began_ms)
        time.sleep(0.05)
    return percentiles(found[WARM:])


def program() -> Client:
    """A client of the API, signed in as somebody who has published the flow of START."""
    person = User.objects.filter(username="bench").first() or make_person("bench", "analyst")
    if not FlowVersion.objects.filter(flow_id=START_FLOW).exists():
        document = flows.linear(2) | {"id": START_FLOW, "name": "Bench"}
        publish_version(import_flow(document, by=person), by=person, catalog=CATALOG)
    client = Client()
    client.force_login(person)
    return client


def percentiles(found: list[float]) -> Figures:
    """The middle and the 95th percentile of times in milliseconds."""
    found = sorted(found)
    return {"p50_ms": statistics.median(found), "p95_ms": found[min(len(found) - 1, int(len(found) * 0.95))]}
