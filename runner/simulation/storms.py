"""A run in a storm: many workers, messages that are lost, doubled or late, stalls, failed commits, clock jumps.

Unlike the driver's own way, in which one process does everything in order, here everything that the protocol has to
bear happens by chance, from a seed. What must hold is looked at after each commit, and:

- a report, a claim or a timer that has no right to anything (any more) changes nothing;
- the run ends as it does on a calm day, in a bounded time: the sweeper alone brings back whatever was lost.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

from runner.engine.commands import CancelRun, CancelStep, Command, ExecuteStep, HintStep, RunEnded
from runner.engine.errors import RunError
from runner.engine.happenings import (
    AttemptLost,
    CancelAsked,
    ClaimReleased,
    Happening,
    PauseAsked,
    ResumeAsked,
    StepClaimed,
    StepFinished,
    TimerDue,
)
from runner.engine.rows import StepRow
from runner.engine.statuses import RUN_LIVE, RunStatus, StepStatus
from runner.simulation.driver import Driver
from runner.simulation.flights import Flight, take_off
from runner.simulation.invariants import InvariantError
from runner.simulation.runs import SimulatedRun, orphans, untold
from runner.simulation.standins import Call, Identity
from runner.simulation.world import BEFORE_COMMANDS, BEFORE_COMMIT, World

LEASE_MS, SWEEP_MS, HOUR_MS = 30_000, 2_000, 3_600_000
#: After so much virtual time the storm is over; a run that has not ended after as much again is stuck.
CALM_AFTER_MS = 3 * HOUR_MS
#: How often (of one) each fault strikes where it can.
ODDS = {
    "hint lost": 0.15,
    "hint doubled": 0.1,
    "hint late": 0.1,
    "word of a run lost": 0.3,
    "worker killed": 0.06,
    "worker stalled": 0.06,
    "claim handed back": 0.04,
    "report doubled": 0.15,
    "abort signal lost": 0.3,
    "commit failed": 0.05,
    "commit unanswered": 0.04,
    "clock jumped": 0.02,
    "stale message": 0.1,
}


class CommitFailed(Exception):
    """A lock or statement time-out: nothing was written."""


class CommitUnanswered(Exception):
    """The commit was made, and whoever made it is gone before it could do anything about it."""


class Answers:
    """Stand-ins that answer a call by what it is. However often an attempt is made, it must be the same call."""

    def __init__(self, answer: Callable[[str, Identity, Any], Any]) -> None:
        self.calls: list[Call] = []
        self._answer = answer
        self._first: dict[Identity, Call] = {}

    def begin(self, queue: str, identity: Identity, given: Any, now: int, *, whole: Any = None) -> Call:
        """The answer to this call. Raises InvariantError for an attempt that calls with something else than before."""
        first = self._first.get(identity)
        if first is None:
            first = Call(queue, identity, given, self._answer(queue, identity, given), len(self.calls), now)
            self._first[identity] = first
            self.calls.append(first)
        elif (first.queue, first.given) != (queue, given):
            raise InvariantError(f"{identity} calls {queue} with {given} now, and {first.queue} with {first.given}")
        return first

    def lose(self, identity: Identity) -> None:
        """Nothing: a call that was swallowed is made again."""


class Storm(Driver):
    """Drives a run and its child runs through a storm. `struck` counts the faults by name."""

    lease_ms = LEASE_MS

    def __init__(self, runs: Sequence[SimulatedRun], world: World, random: Random) -> None:
        super().__init__(runs, world)
        self.random = random
        self.struck: Counter[str] = Counter()
        self._time = self._offset = 0
        self._coming: list[tuple[int, int, Callable[[], object]]] = []
        self._sent = 0
        self._calm = False
        self._aloft: set[int] = set()
        world.chance = random

    # Time and chance

    def _later(self, after_ms: int, deed: Callable[[], object]) -> None:
        self._sent += 1
        heapq.heappush(self._coming, (self._time + after_ms, self._sent, deed))

    def _strikes(self, fault: str) -> bool:
        if self._calm or self.random.random() >= ODDS[fault]:
            return False
        self.struck[fault] += 1
        return True

    def _may_lose(self) -> bool:
        """Whether an attempt may still lose its worker: one that loses it three times is given up, rightly."""
        return all(row.lost <= 1 for run in self.runs for row in _live(run))

    def _pass(self, number: int, boundary: str) -> None:
        """The boundaries of each commit."""
        if boundary == BEFORE_COMMIT and self._strikes("commit failed"):
            raise CommitFailed
        if boundary == BEFORE_COMMANDS and self._may_lose() and self._strikes("commit unanswered"):
            raise CommitUnanswered

    def _must_change_nothing(self, run: SimulatedRun, happening: Happening, what: str) -> None:
        try:
            self._must_be_moot(run, happening, what)
        except RunError as refusal:
            raise InvariantError(f"{what} was refused instead of ignored: {refusal.message}") from refusal

    # The whole of it

    def run(self) -> None:
        """From the start to the end. Raises InvariantError where something does not hold, or the run is stuck."""
        while self.root.store.seen.seq == 0:
            self._attempt(lambda: self.start({}))
        self._later(SWEEP_MS, self._sweep)
        if self.random.random() < 0.3:
            self._later(self.random.randint(0, 200), self._pause)
        while self._coming:
            at, _, deed = heapq.heappop(self._coming)
            self._time = at
            if self.random.random() < ODDS["clock jumped"] and self._may_lose() and not self._calm:
                self.struck["clock jumped"] += 1
                self._offset += self.random.choice([-5_000, -200, 40_000, 3_600_000])
            self.world.clock = max(0, self._time + self._offset)
            deed()
            self._calm = self._time > CALM_AFTER_MS
            if self._time > 2 * CALM_AFTER_MS:
                raise InvariantError(f"the run is {self.root.store.seen.status} after {self._time // HOUR_MS} hours")

    def _is_over(self) -> bool:
        return not self._aloft and not any(run.is_live for run in self.runs)

    # Messages

    def _obey(self, run: SimulatedRun, command: Command) -> None:
        if isinstance(command, HintStep):
            self._send_hint(run, command.step_id)
        elif isinstance(command, ExecuteStep):
            self._fly(run, command)
        elif not self._is_lost(command):
            self._attempt(lambda: super(Storm, self)._obey(run, command))

    def _is_lost(self, command: Command) -> bool:
        if isinstance(command, CancelStep):
            return self._strikes("abort signal lost")
        return isinstance(command, RunEnded | CancelRun) and self._strikes("word of a run lost")

    def _send_hint(self, run: SimulatedRun, step_id: str) -> None:
        if self._strikes("hint lost"):
            return
        for _ in range(2 if self._strikes("hint doubled") else 1):
            late = self.random.randint(1_000, 90_000) if self._strikes("hint late") else 0
            self._later(late + self.random.randint(0, 20), lambda: self._take(run, step_id))

    def _take(self, run: SimulatedRun, step_id: str) -> None:
        """A worker gets a hint."""
        row = run.store.step(step_id)
        worker = f"worker {self.random.randint(1, 4)}"

        def claimed(now: int) -> StepClaimed:
            return StepClaimed(now, step_id, worker=worker, lease_ms=LEASE_MS)

        over = row is not None and row.lease_expires_at is not None and row.lease_expires_at <= self.world.clock
        may_run = run.store.seen.status is RunStatus.ACTIVE or (row is not None and row.lost > 0)
        due = row is not None and row.not_before <= self.world.clock
        pending = row is not None and row.status is StepStatus.PENDING and due
        if run.is_live and (over or (pending and may_run)):
            self._attempt(lambda: self._commit(run, claimed))
        else:
            self._must_change_nothing(run, claimed(self.world.clock), "a claim of a step that is nobody's to take")

    # Attempts

    def _fly(self, run: SimulatedRun, command: ExecuteStep) -> None:
        """A worker runs a step: in a moment or for longer than a lease; it may die, stall, or be told to stop."""
        row = run.store.step(command.step_id)
        if row is None or row.status is not StepStatus.RUNNING or row.fence != command.fence:
            return  # a pure step that the same transaction has ended
        flight = take_off(run, command, self.world)
        self._flights[command.step_id] = flight
        self._aloft.add(id(flight))
        takes = self.random.choice([0, 5, 40, 300]) if self.random.random() < 0.9 else self.random.randint(0, 90_000)
        if self._may_lose() and self._strikes("worker killed"):
            self._aloft.discard(id(flight))
            return
        if self._may_lose() and self._strikes("worker stalled"):
            takes = LEASE_MS + self.random.randint(0, 30_000)
        else:
            for beat in range(LEASE_MS // 3, takes, LEASE_MS // 3):
                self._later(beat, lambda: self._heartbeat(flight))
        if self._strikes("claim handed back"):
            self._later(takes, lambda: self._hand_claim_back(flight))
        else:
            self._later(takes, lambda: self._report(flight))

    def _holds(self, flight: Flight) -> bool:
        row = flight.run.store.step(flight.command.step_id)
        return row is not None and row.status is StepStatus.RUNNING and row.fence == flight.command.fence

    def _heartbeat(self, flight: Flight) -> None:
        if self._holds(flight) and id(flight) in self._aloft:
            until = self.world.clock + LEASE_MS
            row = flight.run.store.renew_lease(flight.command.step_id, flight.command.fence, until)
            if row is not None and row.cancel_requested and not flight.canceled:
                flight.cancel(self.world.clock)

    def _report(self, flight: Flight, again: int = 0) -> None:
        """An attempt is over. A failed commit is tried again; a report is never lost while its claim is held."""
        run = flight.run
        if not (self._holds(flight) and run.store.seen.status in RUN_LIVE):
            self._land(flight)
            self._must_change_nothing(run, flight.report(self.world.clock), "a report without a claim")
            return
        try:
            self._commit(run, flight.report)
        except CommitFailed:
            self._later(50 << min(again, 10), lambda: self._report(flight, again + 1))
            return
        except CommitUnanswered:
            self._later(50, lambda: self._report(flight, again + 1))
            return
        if self._holds(flight):
            raise InvariantError(f"the report of {flight.command.path} came to nothing while its claim was held")
        if self._strikes("report doubled"):
            self._later(self.random.randint(0, 60_000), lambda: self._report(flight))
        else:
            self._land(flight)

    def _land(self, flight: Flight) -> None:
        self._aloft.discard(id(flight))
        if self._flights.get(flight.command.step_id) is flight:
            del self._flights[flight.command.step_id]

    def _hand_claim_back(self, flight: Flight) -> None:
        self._land(flight)
        step_id, fence = flight.command.step_id, flight.command.fence
        if self._holds(flight) and flight.run.is_live:
            self._attempt(lambda: self._commit(flight.run, lambda now: ClaimReleased(now, step_id, fence)))
        else:
            gone = ClaimReleased(self.world.clock, step_id, fence)
            self._must_change_nothing(flight.run, gone, "a claim handed back that was held no more")

    # People

    def _pause(self) -> None:
        self._ask(PauseAsked)
        self._later(self.random.randint(0, 100_000), lambda: self._ask(ResumeAsked, until_done=True))

    def _ask(self, wish: type[PauseAsked] | type[ResumeAsked] | type[CancelAsked], *, until_done: bool = False) -> None:
        """A person wants something. It may fit no more; a wish that failed on the way is asked for again."""
        try:
            self._commit(self.root, wish)
        except RunError:
            return
        except CommitFailed:
            if until_done:
                self._later(500, lambda: self._ask(wish, until_done=True))
        except CommitUnanswered:
            return

    def cancel_after(self, after_ms: int) -> None:
        """A person cancels the run so many milliseconds after its start."""
        self._later(after_ms, lambda: self._ask(CancelAsked, until_done=True))

    # The sweeper

    def _sweep(self) -> None:
        """One round; there is another while anything lives."""
        for run in list(self.runs):
            if run.is_live:
                self._sweep_run(run)
        for parent, child in list(untold(self.runs)):
            self._attempt(partial(self._tell, parent, child))
        for child in list(orphans(self.runs)):
            self._attempt(partial(self._cancel, child))
        if not self._is_over():
            self._later(SWEEP_MS, self._sweep)

    def _attempt(self, deed: Callable[[], object]) -> None:
        """Do something that may fail, and is done again by whoever finds it undone."""
        try:
            deed()
        except (CommitFailed, CommitUnanswered):
            return

    def _sweep_run(self, run: SimulatedRun) -> None:
        now = self.world.clock
        for row in _live(run):
            if row.status is StepStatus.RUNNING and row.lease_expires_at is not None:
                if row.lease_expires_at <= now:
                    self._attempt(partial(self._lose, run, row.id, row.fence))
                elif self._strikes("stale message"):
                    lost = AttemptLost(now, row.id, row.fence)
                    self._must_change_nothing(run, lost, "an attempt called lost whose lease is not over")
                    gone = StepFinished(now, row.id, row.fence - 1, "of an attempt long gone")
                    self._must_change_nothing(run, gone, "a report with an old fence")
            elif row.status is StepStatus.PENDING and row.not_before <= now:
                self._send_hint(run, row.id)
        for timer in run.store.armed_timers():
            if timer.due_at <= now:
                self._attempt(partial(self._fire, run, timer.id))
            elif self._strikes("stale message"):
                self._must_change_nothing(run, TimerDue(now, timer.id), "a timer that was fired before its time")

    def _fire(self, run: SimulatedRun, timer_id: str) -> None:
        self._commit(run, lambda now: TimerDue(now, timer_id))


def _live(run: SimulatedRun) -> list[StepRow]:
    return list(run.store.live_steps(None)) if run.is_live else []
