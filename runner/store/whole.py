"""All rows of a run, read into memory at once: for replay, forks and tests. A step never does."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection

from runner.engine.events import Event
from runner.engine.rows import ArtifactRow, RunRow, Stored
from runner.simulation.memory import MemoryStore
from runner.store.codec.runs import RUN, run_row
from runner.store.codec.scopes import ARRIVAL, SCOPE, VALUE, arrival_row, scope_row, value_row
from runner.store.codec.steps import STEP, step_row
from runner.store.codec.stored import columns, get_stored, need_stored
from runner.store.codec.waits import (
    APPROVAL,
    ARTIFACT,
    DECISION,
    SIGNAL,
    TIMER,
    approval_row,
    decision_row,
    signal_row,
    timer_row,
)

#: Kind of row -> table, columns, how a row is made of them, in which order.
_TABLES: dict[str, tuple[str, Sequence[str], Callable[[Sequence[Any]], Any], str]] = {
    "scopes": ("runner_scope", SCOPE, scope_row, "n"),
    "steps": ("runner_steprun", STEP, step_row, "created_at"),
    "values": ("runner_statevalue", VALUE, value_row, "scope"),
    "arrivals": ("runner_arrival", ARRIVAL, arrival_row, "id"),
    "timers": ("runner_timer", TIMER, timer_row, "id"),
    "approvals": ("runner_approval", APPROVAL, approval_row, "id"),
    "signals": ("runner_signal", SIGNAL, signal_row, "n"),
}


#: The columns of what a fork took over; a step reads them never.
SNAPSHOT = ("snapshot", "snapshot_ref", "snapshot_size")


def read_run(run_id: str) -> MemoryStore:
    """The rows of a run as they are committed now, all of one moment. Raises LookupError where there is no such run."""
    while True:
        before = _revision(run_id)
        store = _read(run_id)
        if _revision(run_id) == before:
            return store


def _revision(run_id: str) -> int:
    found = _ask("SELECT rev FROM runner_run WHERE id = %s", run_id)
    if not found:
        raise LookupError(f"There is no run {run_id!r}.")
    return int(found[0][0])


def _read(run_id: str) -> MemoryStore:
    *data, text, ref, size = _ask(f"SELECT {columns((*RUN, *SNAPSHOT))} FROM runner_run WHERE id = %s", run_id)[0]
    run: RunRow = run_row(data)
    run.snapshot = get_stored(text, ref, size)
    tables = {
        name: [make(data) for data in _ask(_select(table, of, order), run_id)]
        for name, (table, of, make, order) in _TABLES.items()
    }
    events = [event_of(*data) for data in _ask(_select("runner_event", ["text", "prev", "hash"], "seq"), run_id)]
    asked = [event.data["approval"] for event in events if event.type == "approval-requested"]
    tables["approvals"].sort(key=lambda row: asked.index(row.id) if row.id in asked else len(asked))
    blobs = dict(_ask(_select("runner_blob", ["digest", "text"], "digest"), run_id))
    artifacts = [_artifact(data) for data in _ask(_select("runner_artifact", ARTIFACT, "created_at"), run_id)]
    decisions = [decision_row(data) for data in _ask(_select("runner_decision", DECISION, "at"), run_id)]
    return MemoryStore.of_rows(run, tables, artifacts=artifacts, events=events, blobs=blobs, decisions=decisions)


def _select(table: str, of: Sequence[str], order: str) -> str:
    return f"SELECT {columns(of)} FROM {table} WHERE run_id = %s ORDER BY {order}"


def event_of(text: str, prev: str, hash_: str) -> Event:
    """An event of its stored columns."""
    told = json.loads(text)
    parts = {name: told.get(name) for name in ("step", "path", "visit", "attempt")}
    return Event(
        told["type"],
        told["seq"],
        told["ts"],
        told["actor"],
        data=told["data"],
        prev=prev,
        text=text,
        hash=hash_,
        **parts,
    )


def _artifact(data: Sequence[Any]) -> ArtifactRow:
    id_, artifact, step_id, scope, type_, filename, text, ref, size, created_at = data
    content: Stored = need_stored(text, ref, size)
    return ArtifactRow(id_, artifact, step_id, scope, type_, filename, content, created_at)


def _ask(statement: str, *params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found
