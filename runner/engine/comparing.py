"""Two runs side by side: their steps aligned by path and visit, and the first in which the runs differ.

It reads events alone. Values are compared as events name them: small ones whole, larger ones by digest. Sealed ones
have another digest in each run, and are not compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from editor.language.canonical import canonical_text
from runner.engine.events import Event
from runner.engine.rows import Usage

Key = tuple[str, int]
"""Path, with the iterations that it is in, and visit."""
Named = Mapping[str, Any] | None
"""A value as an event names it."""

INPUT, STATUS, OUTPUT, WRITES, ROUTE, MISSING = "input", "status", "output", "writes", "route", "missing"
ASPECTS = (MISSING, INPUT, STATUS, OUTPUT, WRITES, ROUTE)
"""In what two visits may differ; `missing`: one of the runs did not come there."""

_STARTS = ("step-start", "attempt-start")
_ENDS = {
    "step-complete": "succeeded",
    "step-error": "failed",
    "step-canceled": "canceled",
    "step-skipped": "skipped",
}
_WAITS = ("step-waiting", "approval-requested")
COMPARED = frozenset({*_STARTS, *_ENDS, *_WAITS, "approval-decided", "step-retry", "edge-taken", "path-ended"})
"""Types of the events that are read; others say nothing here."""


@dataclass(frozen=True, slots=True)
class Moment:
    """An event of a run: of a fork, what it took over is in the history of the run that it went on from."""

    run: str
    seq: int


@dataclass(slots=True)
class Visit:
    """What one visit of a node came to in one run. `order`: places of the first and last event of it."""

    path: str
    visit: int
    node: str
    attempt: int = 0
    attempts: int = 0
    status: str = "running"
    input: Named = None
    output: Named = None
    writes: Named = None
    error: Mapping[str, Any] | None = None
    route: tuple[tuple[str, str], ...] = ()
    began: Moment | None = None
    ended: Moment | None = None
    began_ms: int | None = None
    ended_ms: int | None = None
    usage: Usage = field(default_factory=Usage)
    order: tuple[int, int] = (0, 0)

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.ended is not None

    @property
    def at(self) -> Moment:
        """The event at which to look at it: where it ended, or began."""
        found = self.ended or self.began
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Side:
    """One run of two: its visits in the order in which they began, and whether more may come."""

    visits: Mapping[Key, Visit]
    is_over: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """One visit in both runs. `differs`: in which of ASPECTS; `is_covered`: something sealed was not compared.

    `is_open`: one of the runs has not come so far yet, so that more may differ.
    """

    before: Visit | None
    after: Visit | None
    differs: tuple[str, ...] = ()
    is_covered: bool = False
    is_open: bool = False

    @property
    def one(self) -> Visit:
        """The visit where it is."""
        found = self.before or self.after
        assert found is not None
        return found

    @property
    def key(self) -> Key:
        """Path and visit."""
        return (self.one.path, self.one.visit)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All visits of two runs, aligned, and the first row that differs."""

    rows: tuple[Row, ...]
    first: Row | None


def visits_of(history: Iterable[tuple[str, Event]]) -> dict[Key, Visit]:
    """The visits that a history tells of: events in their order, each with the id of the run that has it."""
    found: dict[Key, Visit] = {}
    for place, (run, event) in enumerate(history):
        if event.type not in COMPARED or event.path is None or event.visit is None or event.step is None:
            continue
        key = (event.path, event.visit)
        if key not in found:
            found[key] = Visit(event.path, event.visit, event.step, order=(place, place))
        _take(found[key], event, Moment(run, event.seq), place)
    return found


def _take(visit: Visit, event: Event, moment: Moment, place: int) -> None:
    data = event.data
    visit.attempt = event.attempt or visit.attempt
    visit.order = (visit.order[0], place)
    if visit.began is None:
        visit.began, visit.began_ms = moment, event.ts
    visit.usage = visit.usage.plus(Usage.from_json(data.get("usage")))
    if event.type in _STARTS:
        visit.attempts += 1
        visit.input, visit.status = data.get("input"), "running"
        visit.output = visit.writes = visit.error = visit.ended = visit.ended_ms = None
        visit.route = ()
    elif event.type in _ENDS:
        visit.status = _ENDS[event.type]
        visit.output, visit.writes, visit.error = data.get("output"), data.get("delta"), data.get("error")
        visit.ended, visit.ended_ms = moment, event.ts
    elif event.type == "edge-taken":
        visit.route += ((str(data.get("on", "success")), str(data["target"])),)
    elif event.type == "path-ended":
        visit.route += ((str(data["outcome"]), ""),)
    elif not visit.is_over:
        visit.status = "waiting" if event.type in _WAITS else "running"


def compare(before: Side, after: Side) -> Comparison:
    """Align two runs, and say where they differ. The other way round it finds the same differences, and the same first.

    A run with itself has none. What a run that still goes on has not come to yet is no difference.
    """
    rows = tuple(_row(key, before, after) for key in _order(list(before.visits), list(after.visits)))
    differing = [row for row in rows if row.differs]
    return Comparison(rows, min(differing, key=_place, default=None))


def _place(row: Row) -> tuple[int, str, int]:
    """Where a row differs, in the order of events of both: where it begins, or where it ends."""
    at_begin = {MISSING, INPUT} & set(row.differs)
    places = [visit.order[0 if at_begin else 1] for visit in (row.before, row.after) if visit is not None]
    return (min(places), *row.key)


def _order(before: list[Key], after: list[Key]) -> list[Key]:
    """All visits, each once, so that those of each run follow one another as they did there, as far as both agree."""
    in_after = set(after)
    found: dict[Key, None] = {}
    rest = iter(after)
    for key in before:
        if key in in_after and key not in found:
            for other in rest:
                found[other] = None
                if other == key:
                    break
        found[key] = None
    found.update(dict.fromkeys(rest))
    return list(found)


def _row(key: Key, before: Side, after: Side) -> Row:
    one, other = before.visits.get(key), after.visits.get(key)
    if one is None or other is None:
        goes_on = not (before if one is None else after).is_over
        return Row(one, other, () if goes_on else (MISSING,), is_open=goes_on)
    pairs: list[tuple[str, Any, Any]] = [(INPUT, one.input, other.input)]
    is_open = (not one.is_over and not before.is_over) or (not other.is_over and not after.is_over)
    if not is_open:
        pairs += [(OUTPUT, one.output, other.output), (WRITES, one.writes, other.writes)]
    covered = any(_is_sealed(value) for _, *both in pairs for value in both)
    differs = {name for name, *both in pairs if not any(map(_is_sealed, both)) and not _same(*both)}
    if not is_open:
        differs |= {STATUS} if _status(one) != _status(other) else set()
        differs |= {ROUTE} if one.route != other.route else set()
    return Row(one, other, tuple(name for name in ASPECTS if name in differs), covered, is_open)


def _status(visit: Visit) -> tuple[str, str]:
    """How it ended; two failures with another code are not the same."""
    return (visit.status, str((visit.error or {}).get("code", "")))


def _is_sealed(value: Named) -> bool:
    return value is not None and "sealed" in value


def _same(one: Named, other: Named) -> bool:
    return one is other or canonical_text(one) == canonical_text(other)
