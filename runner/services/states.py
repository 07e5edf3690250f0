"""The state of a run at any of its events, rebuilt from its history. Going on from there is forks.py's."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from runner.engine.errors import RunError
from runner.engine.events import Event
from runner.engine.fold import Folded
from runner.engine.rows import ROOT_SCOPE, ValueRow
from runner.engine.scopes import MERGED_KINDS
from runner.models import Run, Scope
from runner.services.sensitive import Covers
from runner.store.past import fold_until

#: Values of up to so many bytes are told at once; a larger one when it is asked for by its name.
TOLD_AT_ONCE = 2_048
#: So many attempts that had not ended are listed.
MOST_LIVE = 500

_LIVE = ("pending", "running", "waiting")


@dataclass(frozen=True, slots=True)
class ValueAt:
    """One value: a state key (`kind` v), the result of a node (s), an artifact (a). `value` only where it is told."""

    kind: str
    key: str
    size: int
    digest: str
    is_covered: bool
    is_told: bool
    value: Any = None


@dataclass(slots=True)
class PlaceAt:
    """What the run as a whole (`scope` 1), or a parallel path that had not joined, held."""

    scope: int
    label: str
    values: list[ValueAt] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AttemptAt:
    """Where an attempt stood."""

    path: str
    visit: int
    attempt: int
    status: str


@dataclass(frozen=True, slots=True)
class StateAt:
    """A run as it was after one of its events. `ended` counts attempts by how they had ended."""

    run_id: str
    seq: int
    last_seq: int
    event: Event
    status: str
    places: list[PlaceAt]
    live: list[AttemptAt]
    ended: dict[str, int]
    usage: dict[str, Any]


def state_at(run: Run, seq: int) -> StateAt:
    """Rebuild what a run was after the event with this number.

    Raises RunError `not_found` where there is no such event, ValueError where the history contradicts the rows.
    """
    past = fold_until(run.pk, seq)
    folded = past.folded
    attempts = sorted(folded.attempts.items())
    live = [AttemptAt(*place, status) for place, status in attempts if status in _LIVE]
    ended = Counter(status for _, status in attempts if status not in _LIVE)
    places = _places(run, folded)
    usage = folded.usage.as_json()
    is_over = folded.status in ("succeeded", "failed", "canceled")
    shown = [] if is_over else live[:MOST_LIVE]
    return StateAt(run.pk, seq, run.seq, past.event, folded.status, places, shown, dict(sorted(ended.items())), usage)


def value_at(run: Run, seq: int, key: str, scope: int = ROOT_SCOPE) -> ValueAt:
    """One state key at an event, with its whole value unless that is covered. Raises RunError `not_found`."""
    folded = fold_until(run.pk, seq).folded
    row = folded.slice.value_row(scope, "v", key) if 1 <= scope <= folded.slice.run.scopes else None
    if row is None:
        raise RunError("not_found", f"At event {seq} there was no '{key}'. The state says which keys there were.")
    return _value(folded, row, Covers(run), at_once=None)


def _places(run: Run, folded: Folded) -> list[PlaceAt]:
    covers = Covers(run)
    places = {ROOT_SCOPE: PlaceAt(ROOT_SCOPE, "the whole run")}
    for scope in range(1, folded.slice.run.scopes + 1):
        for row in folded.slice.scope_values(scope, MERGED_KINDS):
            if not row.inherited:
                place = places.setdefault(scope, PlaceAt(scope, ""))
                place.values.append(_value(folded, row, covers, at_once=TOLD_AT_ONCE))
    rows = Scope.objects.filter(run=run, n__in=[n for n in places if n != ROOT_SCOPE])
    for n, prefix, node, index in rows.values_list("n", "prefix", "node", "index"):
        path = ".".join(part for part in (prefix, node if index is None else None) if part)
        places[n].label = f"the path through {path}" if index is None else f"the iteration {path}"
    return list(places.values())


def _value(folded: Folded, row: ValueRow, covers: Covers, *, at_once: int | None) -> ValueAt:
    covered = covers.value(row.kind, row.key)
    told = not covered and (at_once is None or row.stored.size <= at_once)
    value = folded.slice.load(row.stored) if told else None
    digest = "" if covered else row.stored.content_digest()
    return ValueAt(row.kind, row.key, row.stored.size, digest, covered, told, value)
