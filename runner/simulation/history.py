"""Whether a run's history tells the same as its rows: the fold of all events against what is stored."""

from __future__ import annotations

from collections.abc import Iterator

from runner.engine.fold import Folded, fold, from_rows
from runner.engine.rows import ScopeRow, StepRow
from runner.engine.scopes import MERGED_KINDS
from runner.engine.slice import Slice
from runner.engine.statuses import RUN_ENDED, StepStatus
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
