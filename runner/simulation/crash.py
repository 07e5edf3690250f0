"""Crash schedules: a run whose process dies at chosen boundaries and goes on from stored text.

A crash takes no virtual time. What the process held in memory is gone; people and outside world stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from runner.engine.events import Event
from runner.engine.program import Program
from runner.engine.rows import RunRow
from runner.engine.statuses import StepStatus
from runner.simulation.compare import equal, show
from runner.simulation.driver import Driver
from runner.simulation.invariants import Unwatched, Watcher
from runner.simulation.memory import MemoryStore
from runner.simulation.outcome import Outcome, outcome_of_runs
from runner.simulation.runs import SimulatedRun, fork_of
from runner.simulation.world import AFTER_COMMANDS, BEFORE_COMMANDS, BEFORE_COMMIT, Crash, World

BOUNDARIES = (BEFORE_COMMIT, BEFORE_COMMANDS, AFTER_COMMANDS)


@dataclass(frozen=True, order=True)
class CrashPoint:
    """Where the process dies: at which boundary of which commit of the run, counted from 1."""

    commit: int
    boundary: str

    def __str__(self) -> str:
        return f"{self.boundary} number {self.commit}" if self.boundary == BEFORE_COMMIT else self._after()

    def _after(self) -> str:
        return f"after commit number {self.commit}, {self.boundary}"


@dataclass(frozen=True)
class Setting:
    """All that a run is made of, so that it can be run again and again."""

    program: Program
    run: RunRow
    state: dict[str, Any]
    make_world: Callable[[], World]
    is_watched: bool = True
    """Whether what must always hold is looked at after each commit. It costs more than the run itself."""


class Schedule:
    """Kills the process at each of its points once, unless a call that may not be repeated is under way."""

    def __init__(self, points: Collection[CrashPoint]) -> None:
        self._left = set(points)
        self.struck: list[CrashPoint] = []
        self.moments: dict[int, Event] = {}

    def __call__(self, commit: int, boundary: str, stores: Sequence[MemoryStore]) -> None:
        """Raise Crash if the process dies here."""
        if boundary == AFTER_COMMANDS and stores[0].events:
            self.moments.setdefault(commit, stores[0].events[-1])
        point = CrashPoint(commit, boundary)
        if point in self._left and not self._holds_single_effect(stores):
            self._left.remove(point)
            self.struck.append(point)
            raise Crash(str(point))

    @staticmethod
    def _holds_single_effect(stores: Sequence[MemoryStore]) -> bool:
        rows = [row for store in stores for row in store.rows("steps")]
        running = [row for row in rows if row.status is StepStatus.RUNNING]
        return any((row.notes or {}).get("effect") == "at_most_once" for row in running)


@dataclass(frozen=True)
class Ended:
    """A run that has come to its end: what came of it, its rows, its world, and where it was killed.

    `moments`: by the number of a commit, the newest event of the run after it.
    """

    outcome: Outcome
    store: MemoryStore
    world: World
    struck: tuple[CrashPoint, ...]
    runs: list[SimulatedRun]
    moments: Mapping[int, Event] = field(default_factory=dict)

    @property
    def root(self) -> SimulatedRun:
        """The run itself; the others are its child runs."""
        return self.runs[0]


def run_to_end(setting: Setting, points: Collection[CrashPoint] = ()) -> Ended:
    """Run a setting, dying at these points and going on from what was stored each time."""
    world = setting.make_world()
    schedule = Schedule(points)
    world.boundary = schedule
    watcher = Watcher() if setting.is_watched else Unwatched()
    driver = Driver([SimulatedRun(setting.program, MemoryStore(setting.run), watcher=watcher)], world)
    dead = False
    while True:
        try:
            if dead:
                dead = False
                driver.recover()
            if driver.root.store.seen.seq == 0:
                driver.start(setting.state)
            driver.run()
            break
        except Crash:
            dead = True
            driver = Driver([run.after_crash() for run in driver.runs], world, driver.die())
    outcome = _outcome(driver)
    return Ended(outcome, driver.root.store, world, tuple(schedule.struck), driver.runs, schedule.moments)


def _outcome(driver: Driver) -> Outcome:
    calls: list[Any] = getattr(driver.world.standins, "calls", [])
    outcome = outcome_of_runs(driver.runs, calls, driver.world.last_change)
    outcome.refusals = tuple(driver.world.refusals)
    return outcome


def fork_to_end(run: SimulatedRun, seq: int, world: World, state: dict[str, Any] | None = None) -> Ended:
    """Fork a run at an event and run the fork to its end, in a world of its own.

    Raises RunError where the run cannot be forked there.
    """
    driver = Driver([fork_of(run, seq, world.clock, state, world.transitions)], world)
    driver.run()
    return Ended(_outcome(driver), driver.root.store, world, (), driver.runs)


def crash_points(commits: int) -> list[CrashPoint]:
    """Every boundary of a run with so many commits."""
    return [CrashPoint(commit, boundary) for commit in range(1, commits + 1) for boundary in BOUNDARIES]


def outcome_changes(whole: Outcome, crashed: Outcome) -> list[str]:
    """In what a run that crashed came out differently. Detail events and times are not compared."""
    return [
        f"{name}: {show(one)} without the crash, {show(other)} with it"
        for name, one, other in zip(_NAMES, _facts(whole), _facts(crashed), strict=True)
        if not equal(one, other)
    ]


_NAMES = ("status", "state", "result", "error", "artifacts", "usage", "calls", "public events")


def _facts(outcome: Outcome) -> tuple[Any, ...]:
    queues = sorted({call.queue for call in outcome.calls})
    return (
        outcome.status,
        outcome.state,
        outcome.result,
        outcome.error,
        outcome.artifacts,
        outcome.usage.as_json(),
        {queue: outcome.given(queue) for queue in queues if outcome.given(queue)},
        [[event.type, event.path, event.visit, event.attempt] for event in outcome.public()],
    )
