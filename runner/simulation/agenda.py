"""What comes next on the virtual clock: ready steps, and ends with their ties broken. It only looks."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.engine.rows import StepRow, TimerRow
from runner.engine.statuses import RunStatus, StepStatus
from runner.simulation.catalog import NEVER_MS
from runner.simulation.memory import MemoryStore
from runner.simulation.people import Due

_INDEX = re.compile(r"\[(\d+)\]")

#: Ties on the clock are settled by these ranks, then by declaration order.
ENDS, DECISIONS, ACTIONS, TIME_LIMITS = range(4)

#: Timers that stand for a wait; every other kind is a time limit.
WAITS = frozenset({"wait", "moment"})

Position = tuple[Any, ...]


@dataclass(frozen=True)
class Item:
    """Something that is due: when, its rank among ties, its place within the rank, and what it is."""

    at: int
    rank: int
    position: Position
    kind: str
    subject: Any

    @property
    def order(self) -> tuple[int, int, Position]:
        """What items are sorted by."""
        return (self.at, self.rank, self.position)


def position(order: Mapping[str, int], row: StepRow) -> Position:
    """Where a step run stands: declaration of its node, then iterations in item order, then visit."""
    return (order[row.node], tuple(int(n) for n in _INDEX.findall(row.path)), row.visit, row.attempt)


def ready_steps(store: MemoryStore, order: Mapping[str, int], now: int, released: Collection[str]) -> list[StepRow]:
    """Pending steps to claim, in declaration order. A back-off must have ended, as an end of its own."""
    status = store.seen.status
    if status not in (RunStatus.ACTIVE, RunStatus.PAUSED):
        return []
    pending = [row for row in store.rows("steps") if row.status is StepStatus.PENDING]
    ready = [row for row in pending if row.not_before <= now]
    ready = [row for row in ready if row.id in released or not _backs_off(row)]
    if status is RunStatus.PAUSED:
        ready = [row for row in ready if row.lost]
    return sorted(ready, key=lambda row: position(order, row))


def back_offs(store: MemoryStore, order: Mapping[str, int], released: Collection[str]) -> list[Item]:
    """Pending steps that wait for their time."""
    if store.seen.status is not RunStatus.ACTIVE:
        return []
    return [
        Item(row.not_before, ENDS, position(order, row), "back_off", row.id)
        for row in store.rows("steps")
        if row.status is StepStatus.PENDING and row.id not in released and _backs_off(row)
    ]


def _backs_off(row: StepRow) -> bool:
    """Whether a pending attempt was made for a later time; one that was claimed before only goes on."""
    return row.started_at is None and row.not_before > row.created_at


def timers(store: MemoryStore, order: Mapping[str, int]) -> list[Item]:
    """Armed timers: waits among the ends, all others among the time limits."""
    return [
        Item(
            row.due_at,
            ENDS if row.kind in WAITS else TIME_LIMITS,
            _timer_position(store, order, row),
            "timer",
            row.id,
        )
        for row in store.armed_timers()
        if not _never(store, row)
    ]


def _timer_position(store: MemoryStore, order: Mapping[str, int], timer: TimerRow) -> Position:
    row = store.step(timer.step_id) if timer.step_id else None
    return position(order, row) if row is not None else (len(order), (), 0, 0)


def _never(store: MemoryStore, timer: TimerRow) -> bool:
    """Whether a timer is only the site's expiry of approvals, which a flow test has not."""
    if timer.kind != "approval":
        return False
    step = store.step(timer.step_id or "")
    return step is not None and timer.due_at - step.created_at >= NEVER_MS


def of_people(dues: Sequence[Due], rank: int, kind: str) -> list[Item]:
    """Decisions or actions, in the order in which the test lists them."""
    return [Item(due.at, rank, (due.number,), kind, due) for due in dues]
