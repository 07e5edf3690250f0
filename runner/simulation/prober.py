"""Happenings that come late, twice, or when nobody expects them, tried at rows as they are; nothing of it is kept.

A late report must be moot. What a person may do at any time must be refused, or leave rows as they must be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

from runner.engine.errors import RunError
from runner.engine.happenings import (
    ApprovalDecided,
    AttemptLost,
    CancelAsked,
    ChildEnded,
    ClaimReleased,
    Happening,
    MoveAsked,
    PauseAsked,
    ResumeAsked,
    RetryAsked,
    SignalReceived,
    StepClaimed,
    StepFailed,
    StepFinished,
    TimerDue,
)
from runner.engine.rows import StepRow
from runner.engine.slice import Slice
from runner.engine.statuses import STEP_ENDED, StepStatus
from runner.engine.subflows import child_id
from runner.simulation.invariants import Watcher
from runner.simulation.memory import MemoryStore, is_anything
from runner.simulation.runs import SimulatedRun
from runner.simulation.transitions import RUN, STEP, Transitions

Candidate = tuple[type[Happening], StepStatus | None, Callable[[], Happening], bool]
"""The kind of a happening, the status of the step run that it is about, the happening, whether it comes too late."""

#: Once a pair was exercised, it is tried again this often.
AGAIN = 0.002


@dataclass
class Prober:
    """Tries what has not been tried yet, and now and then what has. `transitions`: where it is noted."""

    random: Random
    transitions: Transitions

    def look(self, run: SimulatedRun, now: int) -> None:
        """Try happenings at a run as it is stored. Raises AssertionError where one does what it must not."""
        seen = self.transitions.seen
        status = str(run.store.seen.status)
        for kind, of_step, make, is_late in self._candidates(run, now):
            known = (RUN, status, kind.__name__) in seen
            known = known and (of_step is None or (STEP, str(of_step), kind.__name__) in seen)
            if not known or self.random.random() < AGAIN:
                self._try(run, make(), is_late=is_late)

    def _try(self, run: SimulatedRun, happening: Happening, *, is_late: bool) -> None:
        slice_ = Slice(run.store.run, run.store)
        try:
            transition = self.transitions.advance(run.program, slice_, happening)
        except RunError:
            return
        if not transition.commands and not is_anything(transition.changes(), run.store.seen):
            return
        if is_late:
            raise AssertionError(f"what came too late was obeyed: {happening}")
        copy = MemoryStore.restore(run.store.save())
        copy.commit(slice_.changes())
        Watcher().check(copy)

    def _candidates(self, run: SimulatedRun, now: int) -> Iterator[Candidate]:
        """What could reach the run now."""
        yield from _wishes(run, now)
        by_status: dict[StepStatus, StepRow] = {}
        for row in run.store.rows("steps"):
            by_status.setdefault(row.status, row)
            if row.fence and not row.is_container:
                yield from _late_reports(row, now)
            if row.type == "subflow" and row.status in STEP_ENDED and row.fence:
                yield ChildEnded, row.status, partial(ChildEnded, now, row.id, child_id(row.id), "succeeded"), True
        for row in by_status.values():
            yield RetryAsked, row.status, partial(RetryAsked, now, row.id), False
            claimed = partial(StepClaimed, now, row.id, worker="another")
            yield StepClaimed, row.status, claimed, row.status is not StepStatus.PENDING
        statuses = {row.id: row.status for row in run.store.rows("steps")}
        for timer in run.store.rows("timers"):
            late = timer.status != "armed" or timer.due_at > now
            yield TimerDue, statuses.get(timer.step_id), partial(TimerDue, now, timer.id), late
        for approval in run.store.rows("approvals"):
            unread = partial(ApprovalDecided, now, approval.id, "approved", "not what was shown")
            yield ApprovalDecided, statuses[approval.step_id], unread, True


def _wishes(run: SimulatedRun, now: int) -> Iterator[Candidate]:
    """What a person or program may ask of a run at any time."""
    for kind in (CancelAsked, PauseAsked, ResumeAsked):
        yield kind, None, partial(kind, now), False
    yield SignalReceived, None, partial(SignalReceived, now, "nobody waits for it", 1), False
    about = {"from": {}, "to": {"content_hash": None}}
    yield MoveAsked, None, partial(MoveAsked, now, policy=run.store.seen.policy, about=about), False


def _late_reports(row: StepRow, now: int) -> Iterator[Candidate]:
    """Reports of workers that have lost their claim of this step run."""
    fence = row.fence - 1 if row.status is StepStatus.RUNNING else row.fence
    yield StepFinished, row.status, partial(StepFinished, now, row.id, fence, output="late"), True
    yield StepFailed, row.status, partial(StepFailed, now, row.id, fence, "tool_failed", "late"), True
    yield AttemptLost, row.status, partial(AttemptLost, now, row.id, fence), True
    yield ClaimReleased, row.status, partial(ClaimReleased, now, row.id, fence), True
