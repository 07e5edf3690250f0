"""All rows of a run and its child runs, read into memory, where the simulator's own eyes can look at them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection

from runner.engine.events import Event
from runner.engine.rows import ArtifactRow, RunRow, StepRow, Stored
from runner.engine.subflows import child_id
from runner.services.programs import program_of_run
from runner.simulation import agenda
from runner.simulation.memory import MemoryStore
from runner.simulation.runs import SimulatedRun, label_of
from runner.store.children import run_exists
from runner.store.codec.runs import RUN, run_row
from runner.store.codec.scopes import ARRIVAL, SCOPE, VALUE, arrival_row, scope_row, value_row
from runner.store.codec.steps import STEP, step_row
from runner.store.codec.stored import columns, need_stored
from runner.store.codec.waits import (
    APPROVAL,
    ARTIFACT,
    SIGNAL,
    TIMER,
    approval_row,
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


def read_family(run_id: str) -> list[SimulatedRun]:
    """A run and its child runs, and theirs, in the order in which they began; each is of one moment."""
    runs = [SimulatedRun(program_of_run(run_id)[1], read_run(run_id))]
    for parent in runs:  # the list grows while it is read
        for row in sorted(_starters(parent), key=lambda row: (row.started_at, agenda.position(parent, row))):
            if run_exists(child_id(row)):
                store = read_run(child_id(row))
                program = program_of_run(child_id(row))[1]
                runs.append(SimulatedRun(program, store, len(runs), label_of(parent, row)))
    return runs


def _starters(run: SimulatedRun) -> list[StepRow]:
    """Steps that may have started a child run."""
    rows: list[StepRow] = run.store.rows("steps")
    return [row for row in rows if row.type == "subflow" and row.started_at is not None]


def read_run(run_id: str) -> MemoryStore:
    """The rows of a run as they are committed now, all of one moment."""
    while True:
        before = _revision(run_id)
        store = _read(run_id)
        if _revision(run_id) == before:
            return store


def _revision(run_id: str) -> int:
    return int(_ask("SELECT rev FROM runner_run WHERE id = %s", run_id)[0][0])


def _read(run_id: str) -> MemoryStore:
    run: RunRow = run_row(_ask(f"SELECT {columns(RUN)} FROM runner_run WHERE id = %s", run_id)[0])
    tables = {
        name: [make(data) for data in _ask(_select(table, of, order), run_id)]
        for name, (table, of, make, order) in _TABLES.items()
    }
    events = [_event(*data) for data in _ask(_select("runner_event", ["text", "prev", "hash"], "seq"), run_id)]
    asked = [event.data["approval"] for event in events if event.type == "approval-requested"]
    tables["approvals"].sort(key=lambda row: asked.index(row.id) if row.id in asked else len(asked))
    blobs = dict(_ask(_select("runner_blob", ["digest", "text"], "digest"), run_id))
    artifacts = [_artifact(data) for data in _ask(_select("runner_artifact", ARTIFACT, "created_at"), run_id)]
    return MemoryStore.of_rows(run, tables, artifacts=artifacts, events=events, blobs=blobs)


def _select(table: str, of: Sequence[str], order: str) -> str:
    return f"SELECT {columns(of)} FROM {table} WHERE run_id = %s ORDER BY {order}"


def _event(text: str, prev: str, hash_: str) -> Event:
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
