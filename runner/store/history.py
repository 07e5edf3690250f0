"""A run's history as the engine reads it: events in order, and rows that hold what they name. Nothing is written."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from typing import overload

from runner.engine.events import Event
from runner.engine.rows import RunRow, StepRow
from runner.store.codec.runs import RUN, run_row
from runner.store.codec.steps import STEP, step_row
from runner.store.codec.stored import columns, get_stored
from runner.store.sql import fetch
from runner.store.whole import SNAPSHOT, event_of

_BATCH = 1_000
_EVENTS = (
    "SELECT seq, text, prev, hash FROM runner_event WHERE run_id = %s AND seq > %s AND seq <= %s ORDER BY seq LIMIT %s"
)
_OF_TYPES = (
    "SELECT text, prev, hash FROM runner_event WHERE run_id = %s AND seq <= %s AND type IN ({}) ORDER BY seq LIMIT %s"
)
_RUN = f"SELECT {columns((*RUN, *SNAPSHOT))} FROM runner_run WHERE id = %s"
_STEP = f"SELECT {columns(STEP)} FROM runner_steprun WHERE run_id = %s AND path = %s AND visit = %s AND attempt = %s"


def events_until(run_id: str, seq: int, *, after: int = 0) -> Iterator[Event]:
    """The events of a run after a number and up to another, in order, read in batches."""
    last = after
    while last < seq:
        found = fetch(_EVENTS, [run_id, last, seq, _BATCH])
        if not found:
            return
        for number, *data in found:
            last = number
            yield event_of(*data)


def events_of_types(run_id: str, types: Collection[str], seq: int, limit: int) -> list[Event]:
    """The first events of these types of a run, up to a number, in order; at most so many."""
    statement = _OF_TYPES.format(", ".join(["%s"] * len(types)))
    return [event_of(*data) for data in fetch(statement, [run_id, seq, *sorted(types), limit])]


def run_of_history(run_id: str) -> RunRow:
    """The row of a run, with what it took over if it is a fork."""
    *data, text, ref, size = fetch(_RUN, [run_id])[0]
    run = run_row(data)
    run.snapshot = get_stored(text, ref, size)
    return run


def step_of_history(run_id: str, path: str, visit: int, attempt: int) -> StepRow | None:
    """The row of an attempt, or None."""
    found = fetch(_STEP, [run_id, path, visit, attempt])
    return step_row(found[0]) if found else None


class EventList(Sequence[Event]):
    """The events of a run as a list whose parts are read when somebody looks at them; few are kept in memory.

    `last`: the number of its last event; `start`: the number of events before the first of this list.
    """

    def __init__(self, run_id: str, last: int, start: int = 0) -> None:
        self.run_id, self.last, self.start = run_id, last, start
        self._parts: OrderedDict[int, list[Event]] = OrderedDict()

    def __len__(self) -> int:
        return max(0, self.last - self.start)

    @overload
    def __getitem__(self, place: int) -> Event: ...
    @overload
    def __getitem__(self, place: slice) -> EventList: ...
    def __getitem__(self, place: int | slice) -> Event | EventList:
        if isinstance(place, slice):
            if place.stop is not None or place.step is not None or (place.start or 0) < 0:
                raise ValueError("Only the rest of a history can be taken.")
            rest = EventList(self.run_id, self.last, self.start + (place.start or 0))
            rest._parts = self._parts
            return rest
        seq = self.start + place + 1
        if not 1 <= seq <= self.last or place < 0:
            raise IndexError(place)
        return self._part((seq - 1) // _PART)[(seq - 1) % _PART]

    def _part(self, number: int) -> list[Event]:
        found = self._parts.get(number)
        if found is None:
            first = number * _PART
            found = list(events_until(self.run_id, min(first + _PART, self.last), after=first))
            self._parts[number] = found
            while len(self._parts) > _PARTS_KEPT:
                self._parts.popitem(last=False)
        return found


_PART, _PARTS_KEPT = 250, 4
