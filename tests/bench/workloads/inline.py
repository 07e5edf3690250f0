"""Runs that this process works on as a worker does: the same claims, commits, hashes, hints and news."""

from __future__ import annotations

import statistics
import time
from typing import Any

from django.db import connection

from editor.models import FlowVersion
from runner.models import Run
from runner.services.runs import start_run
from runner.services.steps import run_segment
from runner.services.working import work_on
from runner.store.claims import pending_steps
from tests.bench import flows
from tests.bench.meters import Statements, Stopwatch, written_bytes
from tests.support.runs import PROGRAM, freeze

Figures = dict[str, float]
_versions: dict[str, FlowVersion] = {}


def version_of(name: str, document: dict[str, Any]) -> FlowVersion:
    """The version of a workload's flow, made once."""
    if name not in _versions:
        _versions[name] = freeze(document)
    return _versions[name]


def finish(version: FlowVersion, **inputs: Any) -> tuple[Run, list[tuple[int, float]]]:
    """Run a flow to its end; gives also the steps done and the processor time of each message to a worker."""
    run_id = start_run(version, inputs=inputs, actor=PROGRAM).run_id
    messages: list[tuple[int, float]] = []
    while pending := pending_steps(run_id):
        for step_id, _ in pending:
            began = time.process_time()
            done = run_segment(step_id)
            messages.append((done, time.process_time() - began))
    run = Run.objects.get(pk=run_id)
    if run.status != "succeeded":
        raise RuntimeError(f"The run of a benchmark ended as {run.status}: {run.error}")
    return run, messages


def timed(version: FlowVersion, **inputs: Any) -> Figures:
    """Run a flow once: steps, seconds, processor time."""
    watch = Stopwatch()
    run, _ = finish(version, **inputs)
    return {"steps": run.steps, **watch.read()}


def linear(quick: bool) -> Figures:
    """LINEAR: 100 steps one after another."""
    steps = 10 if quick else 100
    return timed(version_of(f"linear{steps}", flows.linear(steps)))


def fan_out(quick: bool) -> Figures:
    """FANOUT: 1 to 100 to a join."""
    leaves = 10 if quick else 100
    return timed(version_of(f"fan{leaves}", flows.fan_out(leaves)))


def long(quick: bool, steps: int = 2_000) -> Figures:
    """LONG: one run of 2,000 or 20,000 steps; `growth`: the last messages' cost per step over the early ones'."""
    steps = 500 if quick else steps
    version = version_of(f"long{steps}", flows.long(steps))
    watch = Stopwatch()
    run, messages = finish(version, n=0)
    costs = [used / done for done, used in messages if done > 20]
    part = max(1, len(costs) // 10)
    growth = statistics.median(costs[-part:]) / statistics.median(costs[part : 2 * part] or costs[:1])
    return {"steps": run.steps, **watch.read(), "growth": growth}


def loop(quick: bool) -> Figures:
    """LOOP: a step for each of 10,000 items."""
    items = 100 if quick else 10_000
    return timed(version_of(f"loop{items}", flows.loop(items)))


def wide_state(quick: bool) -> Figures:
    """WIDE_STATE: 1 MB of state, of which each of 200 steps changes a number."""
    keys, steps = (4, 10) if quick else (64, 200)
    names = [f"text{place}" for place in range(keys)]
    version = version_of(f"wide{keys}", flows.long(steps, names))
    return timed(version, n=0, **dict.fromkeys(names, "x" * 16384))


def real(quick: bool) -> Figures:
    """REAL: the sample flow for research, without a model, over the product's own documentation."""
    from runner.samples.loading import load_flows

    if not FlowVersion.objects.filter(flow_id="deep_research").exists():
        list(load_flows())
    version = FlowVersion.objects.filter(flow_id="deep_research").order_by("number")[0]
    preset = "quick" if quick else "standard"
    watch = Stopwatch()
    run_id = start_run(version, inputs={}, preset=preset, actor=PROGRAM).run_id
    while work_on(run_id):
        pass
    run = Run.objects.get(pk=run_id)
    if run.status != "succeeded":
        raise RuntimeError(f"The research ended as {run.status}: {run.error}")
    return {"steps": run.steps, **watch.read()}


def count(quick: bool) -> Figures:
    """What one step of LINEAR asks of the database: statements, and bytes written."""
    steps = 10 if quick else 100
    version = version_of(f"linear{steps}", flows.linear(steps))
    finish(version)
    before = written_bytes(connection)
    finish(version)
    written = written_bytes(connection) - before
    counted = Statements()
    with connection.execute_wrapper(counted):
        finish(version)
    return {"statements": len(counted.texts) / steps, "bytes": written / steps}
