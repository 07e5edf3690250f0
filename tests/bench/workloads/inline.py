"""Runs that this process works on as a worker does: the same claims, commits, hashes, hints and news."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from editor.models import FlowVersion
from runner.models import Run
from runner.services.runs import start_run
from runner.services.steps import run_segment
from runner.services.working import work_on
from runner.store.claims import pending_steps
from tests.bench import flows
from tests.bench.meters import Statements, Stopwatch, peak_mb, reset_peak, written_bytes
from tests.support.runs import PROGRAM, freeze

Figures = dict[str, float]
_versions: dict[str, FlowVersion] = {}


def version_of(name: str, document: dict[str, Any]) -> FlowVersion:
    """The version of a workload's flow, made once."""
    if name not in _versions:
        _versions[name] = freeze(document)
    return _versions[name]


@dataclass(slots=True)
class Message:
    """What one message to a worker did and took: steps, seconds, seconds of processor, statements, bytes written."""

    steps: int
    seconds: float
    cpu: float
    statements: int
    bytes: int


def finish(version: FlowVersion, counted: Statements | None = None, **inputs: Any) -> tuple[Run, list[Message]]:
    """Run a flow to its end; gives also what each message to a worker took."""
    run_id = start_run(version, inputs=inputs, actor=PROGRAM).run_id
    messages: list[Message] = []
    texts = counted.texts if counted is not None else []
    while pending := pending_steps(run_id):
        for step_id, _ in pending:
            before, written, watch = len(texts), written_bytes(connection), Stopwatch()
            done = run_segment(step_id)
            messages.append(
                Message(done, **watch.read(), statements=len(texts) - before, bytes=written_bytes(connection) - written)
            )
    run = Run.objects.get(pk=run_id)
    if run.status != "succeeded":
        raise RuntimeError(f"The run of a benchmark ended as {run.status}: {run.error}")
    return run, messages


def timed(version: FlowVersion, **inputs: Any) -> Figures:
    """Run a flow once: steps, seconds, processor time."""
    watch = Stopwatch()
    run, _ = finish(version, **inputs)
    return {"steps": run.steps, **watch.read()}


@dataclass(slots=True)
class Ledger:
    """Counts what some work costs, while it is installed by `ledger`."""

    counted: Statements = field(default_factory=Statements)
    written: int = field(default_factory=lambda: written_bytes(connection))
    watch: Stopwatch = field(default_factory=Stopwatch)

    def read(self, steps: int) -> Figures:
        """Steps, seconds, processor time; statements and bytes of each step; MiB held at most."""
        found = {"steps": steps, **self.watch.read()}
        written = written_bytes(connection) - self.written
        each = {"statements": len(self.counted.texts) / steps, "bytes": written / steps}
        return {**found, **each, "peak_mb": peak_mb()}


@contextmanager
def ledger() -> Iterator[Ledger]:
    """Count statements and bytes from now on, and memory anew."""
    reset_peak()
    found = Ledger()
    with connection.execute_wrapper(found.counted):
        yield found


def counted(version: FlowVersion, **inputs: Any) -> Figures:
    """Run a flow once; see `Ledger.read`."""
    with ledger() as book:
        run, _ = finish(version, **inputs)
        return book.read(run.steps)


def linear(quick: bool) -> Figures:
    """LINEAR: 100 steps one after another."""
    steps = 10 if quick else 100
    return timed(version_of(f"linear{steps}", flows.linear(steps)))


def fan_out(quick: bool) -> Figures:
    """FANOUT: 1 to 100 to a join."""
    leaves = 10 if quick else 100
    return counted(version_of(f"fan{leaves}", flows.fan_out(leaves)))


def long(quick: bool, steps: int = 2_000) -> Figures:
    """LONG: one run of 2,000 or 20,000 steps; `growth_…`: the last tenth's cost of a step over the first tenth's."""
    steps = 500 if quick else steps
    version = version_of(f"long{steps}", flows.long(steps))
    with ledger() as book:
        run, messages = finish(version, book.counted, n=0)
        found = book.read(run.steps)
    whole = [one for one in messages[1:] if one.steps > 20] or messages
    part = max(1, len(whole) // 10)
    growth = {
        f"growth_{name}": _middle(whole[-part:], name) / _middle(whole[:part], name)
        for name in ("cpu", "seconds", "statements", "bytes")
    }
    return {**found, **growth}


def _middle(messages: list[Message], name: str) -> float:
    """The median of what one step of some messages took."""
    return statistics.median(getattr(one, name) / one.steps for one in messages)


def loop(quick: bool) -> Figures:
    """LOOP: a step for each of 10,000 items."""
    items = 100 if quick else 10_000
    return counted(version_of(f"loop{items}", flows.loop(items)))


def wide_state(quick: bool) -> Figures:
    """WIDE_STATE: 1 MB of state, of which each of 200 steps changes a number."""
    keys, steps = (4, 10) if quick else (64, 200)
    names = [f"text{place}" for place in range(keys)]
    version = version_of(f"wide{keys}", flows.long(steps, names))
    return counted(version, n=0, **dict.fromkeys(names, "x" * 16384))


def real(quick: bool) -> Figures:
    """REAL: the sample flow for research, without a model, over the product's own documentation."""
    from runner.samples.loading import load_flows

    if not FlowVersion.objects.filter(flow_id="deep_research").exists():
        list(load_flows())
    version = FlowVersion.objects.filter(flow_id="deep_research").order_by("number")[0]
    preset = "quick" if quick else "standard"
    with ledger() as book:
        run_id = start_run(version, inputs={}, preset=preset, actor=PROGRAM).run_id
        while work_on(run_id):
            pass
        run = Run.objects.get(pk=run_id)
        if run.status != "succeeded":
            raise RuntimeError(f"The research ended as {run.status}: {run.error}")
        return book.read(run.steps)


def count(quick: bool) -> Figures:
    """What one step of LINEAR asks of the database: statements, and bytes written; and MiB held at most."""
    steps = 10 if quick else 100
    found = counted(version_of(f"linear{steps}", flows.linear(steps)))
    return {name: found[name] for name in ("statements", "bytes", "peak_mb")}
