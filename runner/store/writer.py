"""Writes what a slice changed: hand-written statements, the same on every database, few for one step.

The transaction around them, and the run's lock, are transactions.py's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from runner.engine.events import ENGINE, Event
from runner.engine.rows import RunRow
from runner.engine.slice import Changes
from runner.store.codec.runs import RUN_CHANGING, run_changing
from runner.store.codec.scopes import (
    ARRIVAL,
    SCOPE,
    VALUE,
    arrival_params,
    scope_params,
    value_params,
)
from runner.store.codec.steps import (
    STEP_CHANGING,
    STEP_EXTRA,
    STEP_FIXED,
    mark_guard,
    step_changing,
    step_difference,
    step_extra,
    step_fixed,
)
from runner.store.codec.stored import Blobs, Params, columns, to_text
from runner.store.codec.waits import (
    APPROVAL,
    APPROVAL_CHANGING,
    ARTIFACT,
    DECISION,
    SIGNAL,
    TIMER,
    approval_changes,
    approval_params,
    artifact_params,
    decision_params,
    signal_params,
    timer_params,
)
from runner.store.reader import Reader
from runner.store.sql import Writing, send


class StaleRowError(RuntimeError):
    """A row was not as it had been read under the run's lock: something wrote past `runner.store`."""


EVENT = ("seq", "type", "level", "ts", "actor", "step", "path", "visit", "attempt", "text", "prev", "hash")
_NEW_STEP = (*STEP_FIXED, *STEP_CHANGING, *STEP_EXTRA)
_PARAMS_AT_ONCE = 20_000
_ENGINE_ACTOR = to_text(ENGINE)


def _assign(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}" = %s' for name in names)


def _take(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}" = excluded."{name}"' for name in names)


_UPDATE_SCOPE = f"UPDATE runner_scope SET {_assign(SCOPE[1:])} WHERE run_id = %s AND n = %s"
_UPDATE_APPROVAL = f"UPDATE runner_approval SET {_assign(APPROVAL_CHANGING)} WHERE id = %s AND status = 'open'"
_UPDATE_ARRIVAL = (
    "UPDATE runner_arrival SET status = %s"
    " WHERE run_id = %s AND region = %s AND node = %s AND branch = %s AND count = %s AND status = 'waiting'"
)
_UPDATE_SIGNAL = "UPDATE runner_signal SET taken_by = %s WHERE run_id = %s AND n = %s AND taken_by IS NULL"
_UPSERT_VALUE = f"ON CONFLICT (run_id, scope, kind, key) DO UPDATE SET {_take([*VALUE[3:], 'seq'])}"
_UPSERT_TIMER = f"ON CONFLICT (id) DO UPDATE SET {_take(['due_at', 'status'])}"
_KEEP_BLOB = "ON CONFLICT (run_id, digest) DO NOTHING"


@lru_cache(maxsize=512)
def _update_step(names: tuple[str, ...]) -> str:
    return f"UPDATE runner_steprun SET {_assign(names)} WHERE id = %s AND status = %s AND fence = %s"


@lru_cache(maxsize=512)
def _update_run(names: tuple[str, ...]) -> str:
    return f"UPDATE runner_run SET {_assign(names)} WHERE id = %s"


class Writer:
    """One writing of one slice's changes, in the order run lock, rows, events, run."""

    def __init__(self, run: RunRow, now: int) -> None:
        self.run = run
        self.now = now
        self.blobs: Blobs = {}
        self.writings: list[Writing] = []

    def write(self, changes: Changes, reader: Reader, mark: Params | None) -> Params:
        """Write everything that changed, in one turn; the last statement is the run's own row.

        `reader` knows what the changed rows were like, `mark` what the run's was like (None: it is new); only
        columns that differ are written. Gives the run's new mark. Raises StaleRowError when a row is not as it was.
        """
        self._scopes(changes, reader.scope_marks)
        self._steps(changes, reader.marks)
        if changes.dropped_overlays:
            self._drop_overlays(changes.dropped_overlays)
        if changes.values:
            rows = [(*value_params(row, self.blobs), self.run.seq) for row in changes.values]
            self._insert("runner_statevalue", (*VALUE, "seq"), rows, _UPSERT_VALUE)
        self._waits(changes)
        if self.blobs:
            rows = [(digest, stored.text, stored.size) for digest, stored in self.blobs.items()]
            self._insert("runner_blob", ("digest", "text", "size"), rows, _KEEP_BLOB)
            self.blobs = {}
        if changes.events:
            self._insert("runner_event", EVENT, [_event_params(event) for event in changes.events])
        new_mark = self._run(mark)
        self._send()
        return new_mark

    def _scopes(self, changes: Changes, marks: dict[int, Params]) -> None:
        """New scopes, and those that differ from what is committed: often one path ends and the next begins."""
        new = [scope_params(row) for row in changes.new_scopes]
        changed = [params for row in changes.changed_scopes if (params := scope_params(row)) != marks.get(row.n)]
        if new:
            self._insert("runner_scope", SCOPE, new)
        if changed:
            self._update(_UPDATE_SCOPE, [(*params[1:], self.run.id, params[0]) for params in changed])
        marks.update((params[0], params) for params in (*new, *changed))

    def _steps(self, changes: Changes, marks: dict[str, Params]) -> None:
        """Changed step runs, those with the same columns at once, then new ones."""
        updates: dict[tuple[str, ...], list[Params]] = {}
        for row in changes.changed_steps:
            changing, mark = step_changing(row, self.blobs), marks[row.id]
            names, values = step_difference(row, mark, changing, self.now)
            if names:
                updates.setdefault(tuple(names), []).append((*values, row.id, *mark_guard(mark)))
                marks[row.id] = changing
        for written, rows in updates.items():
            self._update(_update_step(written), rows)
        if changes.new_steps:
            marks.update((row.id, step_changing(row, self.blobs)) for row in changes.new_steps)
            new = [(*step_fixed(row), *marks[row.id], *step_extra(row, self.now)) for row in changes.new_steps]
            self._insert("runner_steprun", _NEW_STEP, new)

    def _drop_overlays(self, scopes: Sequence[int]) -> None:
        marks = ", ".join(["%s"] * len(scopes))
        delete = f"DELETE FROM runner_statevalue WHERE run_id = %s AND scope IN ({marks})"
        self.writings.append(Writing(delete, [(self.run.id, *scopes)]))

    def _waits(self, changes: Changes) -> None:
        blobs = self.blobs
        if changes.new_arrivals:
            self._insert("runner_arrival", ARRIVAL, [arrival_params(row) for row in changes.new_arrivals])
        if changes.changed_arrivals:
            rows = [
                (row.status, self.run.id, row.region, row.node, row.branch, row.count)
                for row in changes.changed_arrivals
            ]
            self._update(_UPDATE_ARRIVAL, rows)
        if changes.timers:
            self._insert("runner_timer", TIMER, [timer_params(row) for row in changes.timers], _UPSERT_TIMER)
        if changes.new_approvals:
            approvals = [approval_params(row, blobs) for row in changes.new_approvals]
            self._insert("runner_approval", APPROVAL, approvals)
        if changes.changed_approvals:
            self._update(
                _UPDATE_APPROVAL,
                [(*approval_changes(row, blobs), row.id) for row in changes.changed_approvals],
            )
        if changes.decisions:
            decisions = [decision_params(row, blobs) for row in changes.decisions]
            self._insert("runner_decision", DECISION, decisions)
        if changes.new_signals:
            self._insert("runner_signal", SIGNAL, [signal_params(row, blobs) for row in changes.new_signals])
        if changes.changed_signals:
            self._update(_UPDATE_SIGNAL, [(row.taken_by, self.run.id, row.n) for row in changes.changed_signals])
        if changes.artifacts:
            self._insert("runner_artifact", ARTIFACT, [artifact_params(row, blobs) for row in changes.artifacts])

    def _run(self, mark: Params | None) -> Params:
        changing = run_changing(self.run, self.blobs)
        if self.blobs:  # a result over the inline limit
            rows = [(digest, stored.text, stored.size) for digest, stored in self.blobs.items()]
            self._insert("runner_blob", ("digest", "text", "size"), rows, _KEEP_BLOB)
        differs = [place for place, value in enumerate(changing) if mark is None or value != mark[place]]
        if differs:
            names = tuple(RUN_CHANGING[place] for place in differs)
            self.writings.append(Writing(_update_run(names), [(*(changing[place] for place in differs), self.run.id)]))
        return changing

    def _insert(self, table: str, names: Sequence[str], rows: Sequence[Params], suffix: str = "") -> None:
        """Insert rows of this run, many with one statement."""
        run_id = self.run.id
        at_once = max(1, _PARAMS_AT_ONCE // (len(names) + 1))
        for start in range(0, len(rows), at_once):
            part = rows[start : start + at_once]
            params: list[Any] = []
            for row in part:
                params.append(run_id)
                params.extend(row)
            self.writings.append(Writing(insert_sql(table, tuple(names), len(part), suffix), [params]))

    def _update(self, statement: str, rows: Sequence[Params]) -> None:
        """Update rows that must all be as they were read."""
        self.writings.append(Writing(statement, rows, guarded=True))

    def _send(self) -> None:
        for writing, touched in zip(self.writings, send(self.writings), strict=True):
            if writing.guarded and touched != len(writing.rows):
                raise StaleRowError(
                    f"{len(writing.rows) - touched} of {len(writing.rows)} rows of run {self.run.id} changed while"
                    f" they were being written ({writing.statement.split()[1]}). Nothing was written; try again."
                )


@lru_cache(maxsize=512)
def insert_sql(table: str, names: tuple[str, ...], count: int, suffix: str) -> str:
    """An INSERT of so many rows; `run_id` is the first column of each."""
    row = "(" + ", ".join(["%s"] * (len(names) + 1)) + ")"
    return f"INSERT INTO {table} (run_id, {columns(names)}) VALUES {', '.join([row] * count)} {suffix}"


def _event_params(event: Event) -> Params:
    return (
        event.seq,
        event.type,
        event.level,
        event.ts,
        _ENGINE_ACTOR if event.actor is ENGINE else to_text(event.actor),
        event.step,
        event.path,
        event.visit,
        event.attempt,
        event.text,
        event.prev,
        event.hash,
    )
