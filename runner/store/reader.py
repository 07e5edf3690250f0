"""The committed rows of one run, as a slice asks for them. It reads only; what it has read it can keep.

A reader may outlive its transaction: `absorb` takes over what was committed, so that a worker that goes on
with a run, and finds by its revision that nobody else has changed it, need not read the same rows again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from runner.engine.rows import (
    ApprovalRow,
    ArrivalRow,
    ScopeRow,
    SignalRow,
    StepRow,
    TimerRow,
    ValueRow,
)
from runner.engine.slice import Changes, Key
from runner.engine.statuses import STEP_LIVE
from runner.store.codec.scopes import ARRIVAL, SCOPE, VALUE, arrival_row, scope_row, value_row
from runner.store.codec.steps import STEP, step_mark, step_row
from runner.store.codec.stored import Params, columns
from runner.store.codec.waits import APPROVAL, SIGNAL, TIMER, approval_row, signal_row, timer_row
from runner.store.sql import fetch

_LIVE = "status IN ('pending', 'running', 'waiting')"
_STEPS = f"SELECT {columns(STEP)} FROM runner_steprun WHERE run_id = %s AND "
_SCOPES = f"SELECT {columns(SCOPE)} FROM runner_scope WHERE run_id = %s AND "
_SCOPE_CHAIN = (
    "WITH RECURSIVE chain (n) AS (SELECT CAST(%s AS bigint) UNION ALL"
    " SELECT s.parent FROM runner_scope s JOIN chain ON s.n = chain.n"
    " WHERE s.run_id = %s AND s.parent IS NOT NULL) "
    f"{_SCOPES}n IN (SELECT n FROM chain)"
)
_VALUES = f"SELECT {columns(VALUE)} FROM runner_statevalue WHERE run_id = %s AND scope = %s AND kind IN "
_WANTED_VALUES = "SELECT {} FROM want JOIN runner_statevalue v".format(", ".join(f'v."{name}"' for name in VALUE)) + (
    " ON v.run_id = %s AND v.scope = want.scope AND v.kind = want.kind AND v.key = want.key"
)
_ARRIVALS = (
    f"SELECT {columns(ARRIVAL)} FROM runner_arrival"
    " WHERE run_id = %s AND region = %s AND status = 'waiting' ORDER BY id"
)
_APPROVALS = f"SELECT {columns(APPROVAL)} FROM runner_approval WHERE run_id = %s AND "
_TIMERS = f"SELECT {columns(TIMER)} FROM runner_timer WHERE run_id = %s AND "
_SIGNAL = (
    f"SELECT {columns(SIGNAL)} FROM runner_signal"
    " WHERE run_id = %s AND key = %s AND n > %s AND taken_by IS NULL ORDER BY n LIMIT 1"
)
_MANY = 500


def _marks(count: int) -> str:
    return "(" + ", ".join(["%s"] * count) + ")"


def _in_parts(ids: Sequence[str]) -> Iterable[Sequence[str]]:
    return (ids[start : start + _MANY] for start in range(0, len(ids), _MANY))


class Reader:
    """Answers a slice's questions about one run from the database, within the caller's transaction."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        #: Step run -> its columns as committed: an update writes those that differ.
        self.marks: dict[str, Params] = {}
        #: Scope -> its columns as committed: an update that changes none of them is left out.
        self.scope_marks: dict[int, tuple[Any, ...]] = {}
        self._scopes: dict[int, ScopeRow] = {}
        self._steps: dict[str, StepRow] = {}
        self._values: dict[tuple[int, str, str], ValueRow | None] = {}

    # Scopes

    def scope(self, n: int) -> ScopeRow:
        """The scope with this number; the scopes around it are read along with it."""
        if n not in self._scopes:
            for data in self._ask(_SCOPE_CHAIN, n, self.run_id, self.run_id):
                self._scope_of(data)
        return self._scopes[n]

    def child_scopes(self, parent: int) -> list[ScopeRow]:
        """The scopes directly inside, in order of their numbers."""
        return [self._scope_of(data) for data in self._ask(f"{_SCOPES}parent = %s ORDER BY n", self.run_id, parent)]

    def _scope_of(self, data: tuple[Any, ...]) -> ScopeRow:
        row = scope_row(data)
        self.scope_marks.setdefault(row.n, tuple(data))
        return self._scopes.setdefault(row.n, row)

    # Step runs

    def step(self, step_id: str) -> StepRow | None:
        """The step run with this id, or None."""
        row = self._steps.get(step_id)
        if row is None:
            found = self._steps_where("id = %s", step_id)
            row = found[0] if found else None
        return row

    def live_steps(self, region: int | None) -> list[StepRow]:
        """Step runs that have not ended, directly in a region or in the whole run."""
        if region is None:
            return self._steps_where(_LIVE)
        return self._steps_where(f"region = %s AND {_LIVE}", region)

    def restorable_steps(self, region: int | None) -> list[StepRow]:
        """Ended step runs that a retry starts again."""
        if region is None:
            return self._steps_where("restorable")
        return self._steps_where("region = %s AND restorable", region)

    def steps_waiting_for_signal(self, key: str) -> list[StepRow]:
        """Step runs that wait for a signal with this key."""
        return self._steps_where(f"{_LIVE} AND waits_for = 'signal' AND wait_key = %s", key)

    def _steps_where(self, condition: str, *params: object) -> list[StepRow]:
        found = []
        for data in self._ask(_STEPS + condition, self.run_id, *params):
            row = step_row(data)
            self.marks[row.id] = step_mark(data)
            found.append(self._steps.setdefault(row.id, row))
        return found

    # Values

    def values(self, scopes: Sequence[int], keys: Sequence[Key]) -> list[ValueRow]:
        """The rows that exist for these keys in these scopes, in one query for what is not known yet."""
        places = [(n, kind, key) for n in scopes for kind, key in keys]
        known = self._values
        unknown = [place for place in places if place not in known]
        for start in range(0, len(unknown), _MANY):
            part = unknown[start : start + _MANY]
            known.update(dict.fromkeys(part))
            want = f"WITH want (scope, kind, key) AS (VALUES {', '.join(['(%s, %s, %s)'] * len(part))}) "
            params = [value for place in part for value in place]
            for data in self._ask(want + _WANTED_VALUES, *params, self.run_id):
                found = value_row(data)
                known[(found.scope, found.kind, found.key)] = found
        return [row for place in places if (row := known[place]) is not None]

    def scope_values(self, n: int, kinds: Sequence[str]) -> list[ValueRow]:
        """All value rows of a scope with these kinds."""
        return [value_row(data) for data in self._ask(_VALUES + _marks(len(kinds)), self.run_id, n, *kinds)]

    # Joins, approvals, timers, signals, blobs

    def waiting_arrivals(self, region: int) -> list[ArrivalRow]:
        """Paths that wait at joins of a region, in the order in which they came."""
        return [arrival_row(data) for data in self._ask(_ARRIVALS, self.run_id, region)]

    def approval(self, approval_id: str) -> ApprovalRow | None:
        """The approval with this id, or None."""
        found = self._ask(f"{_APPROVALS}id = %s", self.run_id, approval_id)
        return approval_row(found[0]) if found else None

    def open_approvals(self, step_ids: Sequence[str] | None) -> list[ApprovalRow]:
        """Open approvals: of these step runs, or of the whole run."""
        if step_ids is None:
            return [approval_row(data) for data in self._ask(f"{_APPROVALS}status = 'open'", self.run_id)]
        return [
            approval_row(data)
            for part in _in_parts(step_ids)
            for data in self._ask(f"{_APPROVALS}status = 'open' AND step_id IN {_marks(len(part))}", self.run_id, *part)
        ]

    def timer(self, timer_id: str) -> TimerRow | None:
        """The timer with this id, or None."""
        found = self._ask(f"{_TIMERS}id = %s", self.run_id, timer_id)
        return timer_row(found[0]) if found else None

    def armed_timers(self) -> list[TimerRow]:
        """All timers of the run that have yet to fire."""
        return [timer_row(data) for data in self._ask(f"{_TIMERS}status = 'armed'", self.run_id)]

    def timers_of(self, step_ids: Sequence[str]) -> list[TimerRow]:
        """Timers of these step runs that have yet to fire."""
        return [
            timer_row(data)
            for part in _in_parts(step_ids)
            for data in self._ask(f"{_TIMERS}status = 'armed' AND step_id IN {_marks(len(part))}", self.run_id, *part)
        ]

    def kept_signal(self, key: str, after: int) -> SignalRow | None:
        """The oldest signal with this key and a number over `after` that no wait has taken."""
        found = self._ask(_SIGNAL, self.run_id, key, after)
        return signal_row(found[0]) if found else None

    def signal_count(self) -> int:
        """How many signals the run has received so far."""
        found = self._ask("SELECT coalesce(max(n), 0) FROM runner_signal WHERE run_id = %s", self.run_id)
        return int(found[0][0])

    def load(self, ref: str) -> str:
        """The text of one of this run's blobs.

        Raises LookupError when it was erased.
        """
        found = self._ask("SELECT text FROM runner_blob WHERE run_id = %s AND digest = %s", self.run_id, ref)
        if not found:
            raise LookupError(f"The value {ref} of run {self.run_id} is not stored any more.")
        return str(found[0][0])

    # Across transactions

    def absorb(self, changes: Changes) -> None:
        """Take over rows that were just committed."""
        for scope in (*changes.new_scopes, *changes.changed_scopes):
            self._scopes[scope.n] = scope
        for step in (*changes.new_steps, *changes.changed_steps):
            if step.status in STEP_LIVE:
                self._steps[step.id] = step
            else:
                self._steps.pop(step.id, None)
                self.marks.pop(step.id, None)
        if changes.dropped_overlays:
            dropped = set(changes.dropped_overlays)
            self._values = {place: row for place, row in self._values.items() if place[0] not in dropped}
        for value in changes.values:
            self._values[(value.scope, value.kind, value.key)] = value

    def _ask(self, statement: str, *params: Any) -> list[tuple[Any, ...]]:
        return fetch(statement, params)
