"""The rows of one run in memory: what a slice reads, and the one place that applies its changes.

It can be saved to text and restored from it, which is all that survives a simulated crash.
What must hold after each commit is invariants.py's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from runner.engine.codec import copy_row, decode_row, encode_row, moved_to_blobs
from runner.engine.events import Event
from runner.engine.rows import (
    ApprovalRow,
    ArrivalRow,
    ArtifactRow,
    DecisionRow,
    RunRow,
    ScopeRow,
    SignalRow,
    StepRow,
    TimerRow,
    ValueRow,
)
from runner.engine.slice import Changes, Key
from runner.engine.statuses import STEP_LIVE, StepStatus

T = TypeVar("T")
PlaceOf = Callable[[Any], Any]


class StoreError(AssertionError):
    """A transition asked for a change that a database would refuse."""


@dataclass(frozen=True)
class Kind:
    """A kind of row: its class, and what names a row among its like."""

    row: type[Any]
    place: PlaceOf


KINDS: dict[str, Kind] = {
    "scopes": Kind(ScopeRow, lambda row: row.n),
    "steps": Kind(StepRow, lambda row: row.id),
    "values": Kind(ValueRow, lambda row: (row.scope, row.kind, row.key)),
    "arrivals": Kind(ArrivalRow, lambda row: (row.region, row.node, row.branch, row.count)),
    "timers": Kind(TimerRow, lambda row: row.id),
    "approvals": Kind(ApprovalRow, lambda row: row.id),
    "signals": Kind(SignalRow, lambda row: row.n),
}


class MemoryStore:
    """All rows of one run. Reads hand out copies; `commit` takes a slice's changes, all or none."""

    def __init__(self, run: RunRow) -> None:
        self._run = copy_row(run)
        self._tables: dict[str, dict[Any, Any]] = {name: {} for name in KINDS}
        self._by_scope: dict[int, dict[Key, ValueRow]] = {}
        self.decisions: list[DecisionRow] = []
        self.artifacts: list[ArtifactRow] = []
        self.events: list[Event] = []
        self.blobs: dict[str, str] = {}

    # Reading, for the shell

    @property
    def run(self) -> RunRow:
        """A copy of the run row."""
        return copy_row(self._run)

    @property
    def seen(self) -> RunRow:
        """The run row itself, to look at only."""
        return self._run

    def rows(self, name: str) -> list[Any]:
        """The rows of one kind (`steps`, `scopes`, `values` …), to look at only."""
        return list(self._tables[name].values())

    # Reading, for slices

    def scope(self, n: int) -> ScopeRow:
        row: ScopeRow = self._tables["scopes"][n]
        return copy_row(row)

    def child_scopes(self, parent: int) -> Sequence[ScopeRow]:
        return self._copies("scopes", lambda row: row.parent == parent)

    def step(self, step_id: str) -> StepRow | None:
        row: StepRow | None = self._copy("steps", step_id)
        return row

    def live_steps(self, region: int | None) -> Sequence[StepRow]:
        return self._copies("steps", lambda row: row.status in STEP_LIVE and region in (None, row.region))

    def restorable_steps(self, region: int | None) -> Sequence[StepRow]:
        return self._copies("steps", lambda row: row.restorable and region in (None, row.region))

    def values(self, scopes: Sequence[int], keys: Sequence[Key]) -> Sequence[ValueRow]:
        found = (self._by_scope.get(n, {}).get((kind, key)) for n in scopes for kind, key in keys)
        return [copy_row(row) for row in found if row is not None]

    def scope_values(self, n: int, kinds: Sequence[str]) -> Sequence[ValueRow]:
        return [copy_row(row) for row in self._by_scope.get(n, {}).values() if row.kind in kinds]

    def waiting_arrivals(self, region: int) -> Sequence[ArrivalRow]:
        return self._copies("arrivals", lambda row: row.region == region and row.status == "waiting")

    def approval(self, approval_id: str) -> ApprovalRow | None:
        row: ApprovalRow | None = self._copy("approvals", approval_id)
        return row

    def open_approvals(self, step_ids: Sequence[str] | None) -> Sequence[ApprovalRow]:
        return self._copies(
            "approvals", lambda row: row.status == "open" and (step_ids is None or row.step_id in step_ids)
        )

    def timer(self, timer_id: str) -> TimerRow | None:
        row: TimerRow | None = self._copy("timers", timer_id)
        return row

    def armed_timers(self) -> Sequence[TimerRow]:
        return self._copies("timers", lambda row: row.status == "armed")

    def timers_of(self, step_ids: Sequence[str]) -> Sequence[TimerRow]:
        return self._copies("timers", lambda row: row.status == "armed" and row.step_id in step_ids)

    def kept_signal(self, key: str, after: int) -> SignalRow | None:
        kept = self._copies("signals", lambda row: row.key == key and row.n > after and row.taken_by is None)
        return min(kept, key=lambda row: row.n, default=None)

    def signal_count(self) -> int:
        return len(self._tables["signals"])

    def steps_waiting_for_signal(self, key: str) -> Sequence[StepRow]:
        return self._copies(
            "steps",
            lambda row: row.status is StepStatus.WAITING and row.waits_for == "signal" and row.wait_key == key,
        )

    def load(self, ref: str) -> str:
        return self.blobs[ref]

    def _copy(self, name: str, place: Any) -> Any:
        row = self._tables[name].get(place)
        return None if row is None else copy_row(row)

    def _copies(self, name: str, wanted: Callable[[Any], bool]) -> list[Any]:
        return [copy_row(row) for row in self._tables[name].values() if wanted(row)]

    # Writing

    def commit(self, changes: Changes) -> None:
        """Apply the changes of one transaction. Raises StoreError, and then nothing is changed."""
        self._check(changes)
        for n in changes.dropped_overlays:
            for kind, key in self._by_scope.pop(n, {}):
                del self._tables["values"][(n, kind, key)]
        for name, rows in self._written(changes):
            for row in rows:
                self._put(name, moved_to_blobs(row, self.blobs))
        self._run = moved_to_blobs(changes.run, self.blobs)
        self.decisions += [moved_to_blobs(row, self.blobs) for row in changes.decisions]
        self.artifacts += [moved_to_blobs(row, self.blobs) for row in changes.artifacts]
        self.events += [copy_row(event) for event in changes.events]

    def _check(self, changes: Changes) -> None:
        """Refuse what unique keys, foreign keys and the rule `ended rows never change` refuse."""
        for name, new, changed in _inserts_and_updates(changes):
            place = KINDS[name].place
            table = self._tables[name]
            places = [place(row) for row in new]
            if len(set(places)) < len(places) or any(at in table for at in places):
                raise StoreError(f"A row of {name} is inserted twice: {places}.")
            for row in changed:
                if place(row) not in table:
                    raise StoreError(f"There is no row of {name} at {place(row)} to change.")
        last = self._run.seq
        if [event.seq for event in changes.events] != list(range(last + 1, last + 1 + len(changes.events))):
            raise StoreError(f"The events do not go on after number {last}.")

    @staticmethod
    def _written(changes: Changes) -> Iterable[tuple[str, list[Any]]]:
        for name, new, changed in _inserts_and_updates(changes):
            yield name, new
            yield name, changed
        yield "values", changes.values
        yield "timers", changes.timers

    def _put(self, name: str, row: Any) -> None:
        self._tables[name][KINDS[name].place(row)] = row
        if isinstance(row, ValueRow):
            self._by_scope.setdefault(row.scope, {})[(row.kind, row.key)] = row

    def lapse_leases(self) -> None:
        """Let the leases of all running steps be over: whoever held them is dead, or as good as dead."""
        for row in self._tables["steps"].values():
            if row.lease_expires_at is not None:
                row.lease_expires_at = 0

    def renew_lease(self, step_id: str, fence: int, until: int) -> StepRow | None:
        """Lengthen the lease of a claim that is still held; gives its row, None if it is held no more."""
        row: StepRow | None = self._tables["steps"].get(step_id)
        if row is None or row.status is not StepStatus.RUNNING or row.fence != fence:
            return None
        row.lease_expires_at = until
        return row

    # Text and back

    def save(self) -> str:
        """Everything as one JSON text."""
        return json.dumps(
            {
                "run": encode_row(self._run),
                "tables": {name: [encode_row(row) for row in self._tables[name].values()] for name in KINDS},
                "decisions": [encode_row(row) for row in self.decisions],
                "artifacts": [encode_row(row) for row in self.artifacts],
                "events": [encode_row(event) for event in self.events],
                "blobs": self.blobs,
            }
        )

    @classmethod
    def of_rows(
        cls,
        run: RunRow,
        tables: Mapping[str, Iterable[Any]],
        *,
        artifacts: Iterable[ArtifactRow] = (),
        events: Iterable[Event] = (),
        blobs: Mapping[str, str] | None = None,
        decisions: Iterable[DecisionRow] = (),
    ) -> MemoryStore:
        """A store that holds these rows, by kind as in `KINDS`."""
        store = cls(run)
        for name, rows in tables.items():
            for row in rows:
                store._put(name, row)
        store.artifacts, store.events, store.blobs = list(artifacts), list(events), dict(blobs or {})
        store.decisions = list(decisions)
        return store

    @classmethod
    def restore(cls, text: str) -> MemoryStore:
        """A store that holds what `save` wrote."""
        data = json.loads(text)
        store = cls(decode_row(RunRow, data["run"]))
        for name, kind in KINDS.items():
            for row in data["tables"][name]:
                store._put(name, decode_row(kind.row, row))
        store.decisions = [decode_row(DecisionRow, row) for row in data["decisions"]]
        store.artifacts = [decode_row(ArtifactRow, row) for row in data["artifacts"]]
        store.events = [decode_row(Event, row) for row in data["events"]]
        store.blobs = dict(data["blobs"])
        return store


def is_anything(changes: Changes, before: RunRow) -> bool:
    """Whether changes change any row. `before`: the run row as it was."""
    lists = [getattr(changes, one.name) for one in fields(changes) if one.name != "run"]
    return any(lists) or encode_row(changes.run) != encode_row(before)


def _inserts_and_updates(changes: Changes) -> list[tuple[str, list[Any], list[Any]]]:
    return [
        ("scopes", changes.new_scopes, changes.changed_scopes),
        ("steps", changes.new_steps, changes.changed_steps),
        ("arrivals", changes.new_arrivals, changes.changed_arrivals),
        ("approvals", changes.new_approvals, changes.changed_approvals),
        ("signals", changes.new_signals, changes.changed_signals),
    ]
