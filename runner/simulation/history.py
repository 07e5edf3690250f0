"""Whether a run's history tells the same as its rows: its fold and its replay against what is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from runner.engine.codec import encode_row
from runner.engine.fold import Folded, fold, from_rows
from runner.engine.program import Program
from runner.engine.replay import ReplayError, replayed
from runner.engine.rows import ArtifactRow, RunRow, ScopeRow, SignalRow, StepRow, Stored
from runner.engine.scopes import MERGED_KINDS
from runner.engine.slice import Slice
from runner.engine.statuses import RUN_ENDED, STEP_LIVE, StepStatus
from runner.simulation.memory import MemoryStore


def history_differences(store: MemoryStore) -> Iterator[str]:
    """Say where the fold of the events and the stored rows tell different things."""
    run = store.run
    slice_ = Slice(run, store)
    steps: dict[tuple[str, int, int], StepRow] = {
        (row.path, row.visit, row.attempt): row for row in store.rows("steps")
    }
    resolve = from_rows(run, lambda *place: steps.get(place), slice_.load)
    try:
        folded = fold(store.events, resolve)
    except ValueError as fault:
        yield f"the history cannot be folded: {fault}"
        return
    yield from _values(store, slice_, folded)
    yield from _steps(steps, folded)
    if run.status in RUN_ENDED and folded.status != run.status:
        yield f"the history ends {folded.status}, the run is {run.status}"
    if folded.usage != run.usage:
        yield f"the history used {folded.usage}, the run {run.usage}"


def _values(store: MemoryStore, slice_: Slice, folded: Folded) -> Iterator[str]:
    scopes: list[ScopeRow] = store.rows("scopes")
    stored = {
        (row.scope, row.kind, row.key): slice_.load(row.stored)
        for scope in scopes
        for row in slice_.scope_values(scope.n, MERGED_KINDS)
    }
    told = folded.values()
    for place in sorted(stored.keys() | told.keys()):
        if stored.get(place) != told.get(place):
            yield f"value {place}: stored {stored.get(place)!r}, the history says {told.get(place)!r}"


def _steps(steps: dict[tuple[str, int, int], StepRow], folded: Folded) -> Iterator[str]:
    """Ended attempts must have ended as told; of one canceled before it began, history need not speak."""
    for place, row in steps.items():
        told = folded.attempts.get(place)
        status = "failed" if row.status is StepStatus.BUDGET_EXHAUSTED else str(row.status)
        quiet = row.status is StepStatus.CANCELED and not row.announced
        open_end = row.status in (StepStatus.PENDING, StepStatus.RUNNING, StepStatus.WAITING)
        if told != status and not quiet and not open_end:
            yield f"{row.path} visit {row.visit} attempt {row.attempt} is {status}, the history says {told}"


class StoreSource:
    """What replay reads beside the events, from the rows in memory. `programs`: by content hash, None the first."""

    def __init__(self, store: MemoryStore, programs: dict[str | None, Program]) -> None:
        self.run: RunRow = store.run
        self._slice = Slice(store.run, store)
        self._store = store
        self._programs = programs
        self._steps: dict[tuple[str, int, int], StepRow] = {
            (row.path, row.visit, row.attempt): row for row in store.rows("steps")
        }

    def step(self, path: str, visit: int, attempt: int) -> StepRow | None:
        return self._steps.get((path, visit, attempt))

    def signals(self) -> Sequence[SignalRow]:
        return self._store.rows("signals")

    def artifacts(self) -> Sequence[ArtifactRow]:
        return self._store.artifacts

    def program(self, content_hash: str | None) -> Program:
        return self._programs[content_hash]

    def load(self, stored: Stored) -> Any:
        return self._slice.load(stored)


def replay_differences(store: MemoryStore, programs: dict[str | None, Program]) -> Iterator[str]:
    """Say where a replay of the whole history comes to other rows than those that are stored."""
    source = StoreSource(store, programs)
    try:
        replay = replayed(store.events, source, store.seen.seq)
    except ReplayError as fault:
        yield f"the history cannot be replayed: {fault}"
        return
    rows = replay.slice.changes()
    stored = {(row.scope, row.kind, row.key): source.load(row.stored) for row in store.rows("values")}
    told = {(row.scope, row.kind, row.key): source.load(row.stored) for row in rows.values}
    for place in sorted(stored.keys() | told.keys()):
        if stored.get(place) != told.get(place):
            yield f"value {place}: stored {stored.get(place)!r}, the replay says {told.get(place)!r}"
    ops = {(row.scope, row.kind, row.key): (row.ops, row.inherited) for row in store.rows("values")}
    replayed_ops = {(row.scope, row.kind, row.key): (row.ops, row.inherited) for row in rows.values}
    yield from _unlike("writes of a value", ops, replayed_ops)
    yield from _unlike(
        "scope",
        {row.n: encode_row(row) for row in store.rows("scopes")},
        {row.n: encode_row(row) for row in rows.new_scopes},
    )
    arrivals = [{_arrival(row) for row in found} for found in (store.rows("arrivals"), rows.new_arrivals)]
    if arrivals[0] != arrivals[1]:
        yield f"arrivals: stored {sorted(arrivals[0])}, the replay says {sorted(arrivals[1])}"
    yield from _unlike("step run", _places(store.rows("steps")), _places(rows.new_steps))
    run = replay.slice.run
    if (run.status, run.error, run.usage) != (store.seen.status, store.seen.error, store.seen.usage):
        yield f"the run is {store.seen.status}, {store.seen.usage}, the replay says {run.status}, {run.usage}"


def _arrival(row: Any) -> tuple[Any, ...]:
    return (row.region, row.node, row.branch, row.count, row.source, row.status)


def _unlike(what: str, stored: dict[Any, Any], told: dict[Any, Any]) -> Iterator[str]:
    for place in sorted(stored.keys() | told.keys()):
        if stored.get(place) != told.get(place):
            yield f"{what} {place}: stored {stored.get(place)}, the replay says {told.get(place)}"


def _places(rows: Sequence[StepRow]) -> dict[Any, Any]:
    """Where step runs stand. Whether a live one is at work or handed on, not each change has an event."""

    def status(row: StepRow) -> str:
        if row.status in (StepStatus.PENDING, StepStatus.RUNNING) and not row.is_container:
            return "pending or running"
        return f"{row.status} {row.waits_for if row.status in STEP_LIVE else ''}"

    return {
        (row.path, row.visit, row.attempt): (status(row), row.scope, row.region, row.inner, row.restorable, row.round)
        for row in rows
    }
