"""A slice: the rows that one transition reads and changes, as a unit of work over a reader.

It knows how to find rows, keep counters true and number events. What should happen is decided elsewhere.
A reader answers from what is committed; the slice lays its own changes over those answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from editor.language.canonical import digest_of_text
from runner.engine.commands import Command
from runner.engine.events import Actor, Event, seal
from runner.engine.rows import (
    UNLOADED,
    ApprovalRow,
    ArrivalRow,
    ArtifactRow,
    DecisionRow,
    RunRow,
    ScopeRow,
    SignalRow,
    StepRow,
    Stored,
    TimerRow,
    ValueRow,
)
from runner.engine.statuses import STEP_LIVE, ScopeKind, ScopeStatus, StepStatus, step_can_become

#: Values up to this many bytes stand in an event; larger ones are named by digest and size.
EVENT_INLINE_BYTES = 2048

Key = tuple[str, str]


class Reader(Protocol):
    """Answers from what is committed. Rows it returns belong to the slice that asked."""

    def scope(self, n: int) -> ScopeRow: ...
    def child_scopes(self, parent: int) -> Sequence[ScopeRow]: ...
    def step(self, step_id: str) -> StepRow | None: ...
    def live_steps(self, region: int | None) -> Sequence[StepRow]: ...
    def restorable_steps(self, region: int | None) -> Sequence[StepRow]: ...
    def values(self, scopes: Sequence[int], keys: Sequence[Key]) -> Sequence[ValueRow]: ...
    def scope_values(self, n: int, kinds: Sequence[str]) -> Sequence[ValueRow]: ...
    def waiting_arrivals(self, region: int) -> Sequence[ArrivalRow]: ...
    def approval(self, approval_id: str) -> ApprovalRow | None: ...
    def open_approvals(self, step_ids: Sequence[str] | None) -> Sequence[ApprovalRow]: ...
    def timer(self, timer_id: str) -> TimerRow | None: ...
    def armed_timers(self) -> Sequence[TimerRow]: ...
    def timers_of(self, step_ids: Sequence[str]) -> Sequence[TimerRow]: ...
    def kept_signal(self, key: str, after: int) -> SignalRow | None: ...
    def signal_count(self) -> int: ...
    def steps_waiting_for_signal(self, key: str) -> Sequence[StepRow]: ...
    def load(self, ref: str) -> str: ...


@dataclass(slots=True)
class Changes:
    """What a transition does to the rows. `new_*` rows are inserted, `changed_*` updated, values upserted."""

    run: RunRow
    new_scopes: list[ScopeRow] = field(default_factory=list)
    changed_scopes: list[ScopeRow] = field(default_factory=list)
    new_steps: list[StepRow] = field(default_factory=list)
    changed_steps: list[StepRow] = field(default_factory=list)
    values: list[ValueRow] = field(default_factory=list)
    dropped_overlays: list[int] = field(default_factory=list)
    new_arrivals: list[ArrivalRow] = field(default_factory=list)
    changed_arrivals: list[ArrivalRow] = field(default_factory=list)
    timers: list[TimerRow] = field(default_factory=list)
    new_approvals: list[ApprovalRow] = field(default_factory=list)
    changed_approvals: list[ApprovalRow] = field(default_factory=list)
    decisions: list[DecisionRow] = field(default_factory=list)
    new_signals: list[SignalRow] = field(default_factory=list)
    changed_signals: list[SignalRow] = field(default_factory=list)
    artifacts: list[ArtifactRow] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


class Slice:
    """The unit of work of one transaction: one or more transitions of one run."""

    def __init__(self, run: RunRow, reader: Reader) -> None:
        self.run = run
        self.reader = reader
        self.commands: list[Command] = []
        self.events: list[Event] = []
        self._scopes: dict[int, ScopeRow] = {}
        self._steps: dict[str, StepRow] = {}
        self._values: dict[tuple[int, str, str], ValueRow | None] = {}
        self._arrivals: dict[tuple[int, str, int, int], ArrivalRow] = {}
        self._arrivals_read: set[int] = set()
        self._approvals: dict[str, ApprovalRow] = {}
        self._timers: dict[str, TimerRow] = {}
        self._new: dict[str, dict[Any, Any]] = {name: {} for name in ("scope", "step", "arrival", "approval")}
        self._dirty: dict[str, dict[Any, Any]] = {
            name: {} for name in ("scope", "step", "value", "arrival", "approval", "timer", "signal")
        }
        self._dropped: list[int] = []
        self._decisions: list[DecisionRow] = []
        self._new_signals: list[SignalRow] = []
        self._artifacts: list[ArtifactRow] = []

    # Scopes

    def scope(self, n: int) -> ScopeRow:
        """The scope row with this number."""
        row = self._scopes.get(n)
        if row is None:
            row = self._scopes[n] = self.reader.scope(n)
        return row

    def region_of(self, scope: ScopeRow) -> ScopeRow:
        """The region that a scope is, or that a branch is a path of."""
        if scope.kind is not ScopeKind.BRANCH:
            return scope
        assert scope.parent is not None
        return self.scope(scope.parent)

    def child_scopes(self, parent: int) -> list[ScopeRow]:
        """All scopes directly inside, in order of their numbers."""
        rows = {row.n: self._scopes.setdefault(row.n, row) for row in self.reader.child_scopes(parent)}
        rows.update({n: row for n, row in self._scopes.items() if row.parent == parent})
        return [rows[n] for n in sorted(rows)]

    def add_scope(self, kind: ScopeKind, parent: ScopeRow | None, prefix: str, **fields: Any) -> ScopeRow:
        """Open a scope with the next number of the run."""
        self.run.scopes += 1
        row = ScopeRow(self.run.scopes, parent.n if parent else None, kind, prefix, **fields)
        self._scopes[row.n] = self._new["scope"][row.n] = row
        return row

    def change_scope(self, row: ScopeRow, **fields: Any) -> None:
        """Set fields of a scope row."""
        for name, value in fields.items():
            setattr(row, name, value)
        self._dirty["scope"][row.n] = row

    def close_scope(self, row: ScopeRow, status: ScopeStatus) -> None:
        """End a scope; a fan-out stops counting as a live path of the region around it."""
        was_open = row.status in (ScopeStatus.OPEN, ScopeStatus.SETTLING)
        self.change_scope(row, status=status)
        if row.kind is ScopeKind.FAN_OUT and was_open and row.parent is not None:
            self.count_live(self.region_of(self.scope(row.parent)), -1)

    def count_live(self, region: ScopeRow, by: int) -> None:
        """Note that `by` more paths live directly in a region."""
        self.change_scope(region, live=region.live + by)

    # Step runs

    def step(self, step_id: str) -> StepRow | None:
        """The step run with this id, or None."""
        row = self._steps.get(step_id)
        if row is None:
            row = self.reader.step(step_id)
            if row is not None:
                self._steps[step_id] = row
        return row

    def live_steps(self, region: int | None = None) -> list[StepRow]:
        """Step runs that are pending, running or waiting: directly in a region, or in the whole run."""
        found = {row.id: self._steps.setdefault(row.id, row) for row in self.reader.live_steps(region)}
        found.update({row.id: row for row in self._steps.values() if region is None or row.region == region})
        return [row for row in found.values() if row.status in STEP_LIVE and region in (None, row.region)]

    def restorable_steps(self, region: int | None = None) -> list[StepRow]:
        """Ended step runs whose path stopped there and may be started again by a retry."""
        found = {row.id: self._steps.setdefault(row.id, row) for row in self.reader.restorable_steps(region)}
        found.update({row.id: row for row in self._steps.values() if region is None or row.region == region})
        return [row for row in found.values() if row.restorable]

    def steps_waiting_for_signal(self, key: str) -> list[StepRow]:
        """Step runs that wait for a signal with this key."""
        rows = [self._steps.setdefault(row.id, row) for row in self.reader.steps_waiting_for_signal(key)]
        rows += [row for row in self._steps.values() if row.waits_for == "signal" and row not in rows]
        waiting = [row for row in rows if row.status is StepStatus.WAITING and row.waits_for == "signal"]
        return [row for row in waiting if row.wait_key == key]

    def add_step(self, row: StepRow) -> StepRow:
        """Append a step run; it is pending unless it was skipped."""
        self._steps[row.id] = self._new["step"][row.id] = row
        self.run.steps += 1
        self._count_step(row, +1)
        return row

    def change_step(self, row: StepRow, **fields: Any) -> None:
        """Set fields of a step run; a change of status keeps the counters of run and region true."""
        status = fields.pop("status", row.status)
        if status is not row.status and not step_can_become(row.status, status):
            raise AssertionError(f"step run {row.path} cannot go from {row.status} to {status}")
        self._count_step(row, -1)
        row.status = status
        for name, value in fields.items():
            setattr(row, name, value)
        self._count_step(row, +1)
        self._dirty["step"][row.id] = row

    def take_over(self, scopes: Sequence[ScopeRow], steps: Sequence[StepRow]) -> None:
        """Insert the scopes and step runs with which a forked run begins; their counts of live paths are right."""
        for scope in scopes:
            self._scopes[scope.n] = self._new["scope"][scope.n] = scope
        self.run.scopes = max((scope.n for scope in scopes), default=0)
        for row in steps:
            self._steps[row.id] = self._new["step"][row.id] = row
            self.run.steps += 1
            if row.status in STEP_LIVE:
                self._count_work(row, +1)

    def _count_step(self, row: StepRow, by: int) -> None:
        if row.status in STEP_LIVE:
            self.count_live(self.scope(row.region), by)
            self._count_work(row, by)

    def _count_work(self, row: StepRow, by: int) -> None:
        if row.is_container:
            return
        if row.status is StepStatus.WAITING:
            if row.waits_for == "calls":
                return
            if row.waits_for == "person":
                self.run.waiting_person += by
            else:
                self.run.waiting_other += by
            return
        self.run.live += by
        if row.status is StepStatus.RUNNING:
            self.run.running += by

    # Values

    def want(self, scopes: Sequence[int], keys: Iterable[Key]) -> None:
        """Read values ahead, in one go, so that later look-ups need no further query."""
        missing = [key for key in dict.fromkeys(keys) if any((n, *key) not in self._values for n in scopes)]
        if not missing:
            return
        for n in scopes:
            for kind, name in missing:
                self._values.setdefault((n, kind, name), None)
        for row in self.reader.values(scopes, missing):
            place = (row.scope, row.kind, row.key)
            if self._values.get(place) is None and row.scope not in self._dropped:
                self._values[place] = row

    def value_row(self, n: int, kind: str, key: str) -> ValueRow | None:
        """The value row of exactly this scope, or None."""
        if (n, kind, key) not in self._values:
            self.want([n], [(kind, key)])
        return self._values[(n, kind, key)]

    def scope_values(self, n: int, kinds: Sequence[str]) -> list[ValueRow]:
        """All value rows of a scope with these kinds, ordered by kind and key; large values stay unloaded."""
        found: dict[Key, ValueRow] = {}
        if n not in self._dropped:
            found = {(row.kind, row.key): row for row in self.reader.scope_values(n, kinds)}
        for (scope, kind, key), row in self._values.items():
            if scope == n and kind in kinds and row is not None:
                found[(kind, key)] = row
        return [found[key] for key in sorted(found)]

    def put_value(self, row: ValueRow) -> None:
        """Set the current value of a key in a scope."""
        place = (row.scope, row.kind, row.key)
        if row.kind == "v" and not row.inherited:
            before = self._values.get(place)
            self.run.state_bytes += row.stored.size - (before.stored.size if before else 0)
        self._values[place] = row
        self._dirty["value"][place] = row

    def drop_overlay(self, n: int) -> None:
        """Forget the value rows of a scope that has joined: its winners have moved."""
        self._dropped.append(n)
        for place in [place for place in self._values if place[0] == n]:
            self._values[place] = None
            self._dirty["value"].pop(place, None)

    def load(self, stored: Stored) -> Any:
        """The value itself, read from the run's blobs if it lies there."""
        if stored.value is UNLOADED:
            if stored.text is None:
                assert stored.ref is not None
                stored.text = self.reader.load(stored.ref)
            stored.value = json.loads(stored.text)
        return stored.value

    # Joins, timers, approvals, signals, artifacts

    def waiting_arrivals(self, region: int) -> list[ArrivalRow]:
        """Paths that wait at joins of a region."""
        if region not in self._arrivals_read:
            self._arrivals_read.add(region)
            for row in self.reader.waiting_arrivals(region):
                self._arrivals.setdefault((row.region, row.node, row.branch, row.count), row)
        return [row for row in self._arrivals.values() if row.region == region and row.status == "waiting"]

    def add_arrival(self, row: ArrivalRow) -> None:
        """Note that a path came to a join."""
        row.seq = self.run.seq
        place = (row.region, row.node, row.branch, row.count)
        self._arrivals[place] = self._new["arrival"][place] = row

    def change_arrival(self, row: ArrivalRow, status: str) -> None:
        """A waiting path goes on (used) or is absorbed."""
        row.status = status
        self._dirty["arrival"][(row.region, row.node, row.branch, row.count)] = row

    def approval(self, approval_id: str) -> ApprovalRow | None:
        """The approval with this id, or None."""
        row = self._approvals.get(approval_id) or self.reader.approval(approval_id)
        if row is not None:
            self._approvals[approval_id] = row
        return row

    def open_approvals(self, step_ids: Sequence[str] | None = None) -> list[ApprovalRow]:
        """Open approvals of these step runs, or of the whole run."""
        for row in self.reader.open_approvals(step_ids):
            self._approvals.setdefault(row.id, row)
        return [
            row
            for row in self._approvals.values()
            if row.status == "open" and (step_ids is None or row.step_id in step_ids)
        ]

    def add_approval(self, row: ApprovalRow) -> None:
        """Open a request to a person."""
        self._approvals[row.id] = self._new["approval"][row.id] = row

    def change_approval(self, row: ApprovalRow, **fields: Any) -> None:
        """Set fields of an approval."""
        for name, value in fields.items():
            setattr(row, name, value)
        self._dirty["approval"][row.id] = row

    def add_decision(self, row: DecisionRow) -> None:
        """Append what somebody decided."""
        self._decisions.append(row)

    def timer(self, timer_id: str) -> TimerRow | None:
        """The timer with this id, or None."""
        row = self._timers.get(timer_id) or self.reader.timer(timer_id)
        if row is not None:
            self._timers[timer_id] = row
        return row

    def armed_timers(self, step_ids: Sequence[str] | None = None) -> list[TimerRow]:
        """Timers still to fire: of these step runs, or of the whole run."""
        rows = self.reader.armed_timers() if step_ids is None else self.reader.timers_of(step_ids)
        for row in rows:
            self._timers.setdefault(row.id, row)
        return [
            row
            for row in self._timers.values()
            if row.status == "armed" and (step_ids is None or row.step_id in step_ids)
        ]

    def set_timer(self, row: TimerRow, **fields: Any) -> None:
        """Arm, move, fire or void a timer."""
        for name, value in fields.items():
            setattr(row, name, value)
        self._timers[row.id] = self._dirty["timer"][row.id] = row

    def keep_signal(self, row: SignalRow) -> None:
        """Keep a signal for a wait that comes later (or note the wait that took it)."""
        self._new_signals.append(row)

    def kept_signal(self, key: str) -> SignalRow | None:
        """The oldest signal with this key that no wait has taken."""
        taken = [row.n for row in self._dirty["signal"].values() if row.key == key]
        row = self.reader.kept_signal(key, max(taken, default=0))
        if row is not None:
            return row
        return next((own for own in self._new_signals if own.key == key and own.taken_by is None), None)

    def signal_number(self) -> int:
        """The next number for a signal of this run."""
        return self.reader.signal_count() + len(self._new_signals) + 1

    def take_signal(self, row: SignalRow, step_id: str) -> None:
        """A wait takes a kept signal."""
        row.taken_by = step_id
        if row not in self._new_signals:
            self._dirty["signal"][row.n] = row

    def add_artifact(self, row: ArtifactRow) -> None:
        """Store what a step produced."""
        self._artifacts.append(row)

    # Events and commands

    def emit(self, kind: str, now: int, actor: Actor, step: StepRow | None = None, /, **data: Any) -> Event:
        """Append an event: the next number, a time never before the last one, the hash chain."""
        run = self.run
        run.seq += 1
        run.last_ts = max(now, run.last_ts)
        event = Event(kind, run.seq, run.last_ts, actor, data=data)
        if step is not None:
            event.step, event.path = step.node, step.path
            event.visit, event.attempt = step.visit, step.attempt
        run.head_hash = seal(event, run.id, run.head_hash).hash
        self.events.append(event)
        return event

    def in_event(
        self, stored: Stored | None, *, sealed: bool = False, inline: int = EVENT_INLINE_BYTES
    ) -> dict[str, Any] | None:
        """A value as an event names it: `{v}` when small, else `{digest, size}`; sensitive ones `{sealed, size}`."""
        if stored is None:
            return None
        if sealed:
            return {"sealed": digest_of_text(f"{self.run.salt}|{stored.content_digest()}"), "size": stored.size}
        if stored.size <= inline:
            return {"v": self.load(stored)}
        return {"digest": stored.content_digest(), "size": stored.size}

    def changes(self) -> Changes:
        """Everything that this slice has changed, each row once."""
        new, dirty = self._new, self._dirty

        def changed(name: str) -> list[Any]:
            return [row for key, row in dirty[name].items() if key not in new.get(name, {})]

        return Changes(
            run=self.run,
            new_scopes=list(new["scope"].values()),
            changed_scopes=changed("scope"),
            new_steps=list(new["step"].values()),
            changed_steps=changed("step"),
            values=list(dirty["value"].values()),
            dropped_overlays=list(self._dropped),
            new_arrivals=list(new["arrival"].values()),
            changed_arrivals=changed("arrival"),
            timers=list(dirty["timer"].values()),
            new_approvals=list(new["approval"].values()),
            changed_approvals=changed("approval"),
            decisions=list(self._decisions),
            new_signals=list(self._new_signals),
            changed_signals=changed("signal"),
            artifacts=list(self._artifacts),
            events=list(self.events),
        )


@dataclass(frozen=True, slots=True)
class Transition:
    """What one happening did: `changes` for the store, `commands` for the shell, `events` for the watchers."""

    slice: Slice
    commands: tuple[Command, ...]
    events: tuple[Event, ...]

    def changes(self) -> Changes:
        """The row changes of the whole slice."""
        return self.slice.changes()
