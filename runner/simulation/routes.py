"""The way that a run took, and where two ways part. How two runs are laid side by side is engine/comparing.py's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runner.engine.comparing import MISSING, ROUTE, STATUS, Comparison, Row, Side, Visit, compare, visits_of
from runner.engine.events import Event

_WORDS = {
    "succeeded": "succeeded",
    "failed": "failed",
    "canceled": "was canceled",
    "skipped": "was skipped",
    "waiting": "waited",
    "running": "did not end",
}

NOT_REACHED = "was not reached"


@dataclass(frozen=True)
class Parting:
    """A step in which two ways differ, and how it went on either; `node` is its node."""

    node: str
    path: str
    visit: int
    before: str
    after: str


def laid_side_by_side(before: Sequence[Event], after: Sequence[Event], *, is_over: bool = True) -> Comparison:
    """Two histories compared. `is_over` False: what the second has not come to yet is no difference."""
    sides = (Side(visits_of(("", event) for event in before)), Side(visits_of(("", one) for one in after), is_over))
    return compare(*sides)


def first_parting(comparison: Comparison) -> Parting | None:
    """Where the way of a run leaves that of another; None: they are the same way, in whatever order."""
    row = next((row for row in comparison.rows if {MISSING, STATUS, ROUTE} & set(row.differs)), None)
    if row is None:
        return None
    path, visit = row.key
    return Parting(row.one.node, path, visit, _words(row, row.before), _words(row, row.after))


def _words(row: Row, visit: Visit | None) -> str:
    if visit is None:
        return NOT_REACHED
    code = (visit.error or {}).get("code")
    told = f"failed with {code}" if visit.status == "failed" and code else _WORDS[visit.status]
    if not {MISSING, STATUS} & set(row.differs):
        targets = [target for _, target in visit.route if target]
        told += f" and went on to {', '.join(targets)}" if targets else " and ended its path"
    return told
