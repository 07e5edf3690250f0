"""The way that a run took, as its events tell it, and where two ways part. Times and attempts count for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runner.engine.events import Event
from runner.simulation.compare import node_of_path

#: How a step ended, in the words that people read; the last event of a visit says it.
ENDS = {
    "step-complete": "succeeded",
    "step-error": "failed",
    "step-skipped": "was skipped",
    "step-canceled": "was canceled",
}

NOT_REACHED = "was not reached"
NOT_ENDED = "did not end"

#: A step of a way: its path and its visit.
Place = tuple[str, int]


@dataclass(frozen=True)
class Parting:
    """The first step in which two ways differ, and how it went on either; `node` is its node."""

    node: str
    path: str
    visit: int
    before: str
    after: str

    def __str__(self) -> str:
        again = f", visit {self.visit}" if self.visit > 1 else ""
        return f"{self.path}{again} {self.before} before and {self.after} now"


def route_of(events: Sequence[Event]) -> dict[Place, str]:
    """How each visit of each step ended, in the order in which they began."""
    way: dict[Place, str] = {}
    for event in events:
        if event.path is None or event.visit is None:
            continue
        place = (event.path, event.visit)
        if event.type in ("step-start", "attempt-start"):
            way.setdefault(place, NOT_ENDED)
        elif event.type in ENDS:
            way[place] = ENDS[event.type]
    return way


def first_parting(before: Sequence[Event], after: Sequence[Event]) -> Parting | None:
    """Where the way of a run leaves that of another; None: they are the same way, in whatever order."""
    old, new = route_of(before), route_of(after)
    for place in [*old, *(place for place in new if place not in old)]:
        one, other = old.get(place, NOT_REACHED), new.get(place, NOT_REACHED)
        if one != other:
            return Parting(node_of_path(place[0]), *place, one, other)
    return None
