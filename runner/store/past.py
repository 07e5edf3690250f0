"""A run rebuilt from its history up to an event, from the newest snapshot before it that names its values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from runner.engine.errors import RunError
from runner.engine.events import Event
from runner.engine.fold import ATTEMPT_STATES, Folded, Nothing, fold, from_rows
from runner.engine.rows import RunRow, ScopeRow, Stored, Usage, ValueRow
from runner.engine.slice import Slice
from runner.store.history import events_until, run_of_history, step_of_history
from runner.store.reader import Reader
from runner.store.sql import fetch

_SNAPSHOTS = "SELECT seq, refs FROM runner_snapshot WHERE run_id = %s AND seq <= %s ORDER BY seq DESC LIMIT 20"
_TYPES = ", ".join(f"'{name}'" for name in sorted(ATTEMPT_STATES))
_ATTEMPTS = (
    "SELECT type, path, visit, attempt FROM runner_event"
    f" WHERE run_id = %s AND seq <= %s AND step IS NOT NULL AND type IN ({_TYPES}) ORDER BY seq"
)


class FromSnapshot(Nothing):
    """A reader of what a snapshot refers to: scopes, whose place never changes, and blobs."""

    def __init__(self, run_id: str) -> None:
        self._rows = Reader(run_id)

    def scope(self, n: int) -> ScopeRow:
        row = self._rows.scope(n)
        return ScopeRow(
            row.n, row.parent, row.kind, row.prefix, overlay=row.overlay, rank=row.rank, order=row.order,
            joined=row.joined,
        )  # fmt: skip

    def load(self, ref: str) -> str:
        return self._rows.load(ref)


@dataclass
class Past:
    """What folding gave, the last event that went into it, and how many were read for it."""

    folded: Folded
    event: Event
    read: int = field(default=0)


def fold_until(run_id: str, seq: int, *, snapshots: bool = True) -> Past:
    """Rebuild a run up to an event. Raises RunError `not_found` where the run has no such event.

    `snapshots` False: from its first event. Raises ValueError where the history contradicts the rows.
    """
    row = run_of_history(run_id)
    if not 1 <= seq <= row.seq:
        raise RunError("not_found", f"The run has no event {seq}. Its events have the numbers 1 to {row.seq}.")
    whole = Slice(row, Reader(run_id))
    resolve = from_rows(row, partial(step_of_history, run_id), whole.load)
    begun, after = _from_snapshot(row, seq) if snapshots else (None, 0)
    newest: list[Event] = []
    read = 0

    def passing() -> Iterator[Event]:
        nonlocal read
        for event in events_until(run_id, seq, after=max(after - 1, 0)):
            newest[:] = [event]
            read += 1
            if event.seq > after:
                yield event

    folded = fold(passing(), resolve, begun)
    return Past(folded, newest[0], read)


def _from_snapshot(run: RunRow, seq: int) -> tuple[Folded | None, int]:
    """What the newest snapshot that names its values says of a run, and its number; None, 0: there is none."""
    for number, text in fetch(_SNAPSHOTS, [run.id, seq]):
        refs = json.loads(text)
        if refs.get("values") is not None and "opened" in refs:
            return _begun(run, int(number), refs), int(number)
    return None, 0


def _begun(run: RunRow, seq: int, refs: dict[str, Any]) -> Folded:
    folded = Folded(slice=Slice(RunRow(run.id, scopes=refs["opened"]), FromSnapshot(run.id)), status=refs["status"])
    for scope, kind, key, digest, size, ops, inherited in refs["values"]:
        folded.slice.put_value(ValueRow(scope, kind, key, Stored(size=size, ref=digest), ops, inherited))
    for kind, path, visit, attempt in fetch(_ATTEMPTS, [run.id, seq]):
        folded.attempts[path, visit, attempt] = ATTEMPT_STATES[kind]
    # Of attempts that live, later events tell all that they have used; the rest is what ended ones have used.
    rest = Usage.from_json(refs["usage"])
    for path, visit, attempt, used in refs["steps"]:
        usage = Usage(*used)
        folded.used[path, visit, attempt] = usage
        rest = rest.minus(usage)
    folded.used["", 0, 0] = rest
    return folded
