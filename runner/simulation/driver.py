"""The shell of the simulator: it moves the virtual clock, obeys commands and commits transitions.

What is due next is agenda.py's, what stands in for the world standins.py's and people.py's.
A crash schedule stops it at a chosen boundary; what was not committed is then gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

from runner.engine.commands import CancelStep, Command, ExecuteStep
from runner.engine.errors import RunError
from runner.engine.happenings import (
    AttemptLost,
    Happening,
    RunStarted,
    StepClaimed,
    StepFailed,
    StepFinished,
    TimerDue,
)
from runner.engine.machine import advance
from runner.engine.program import Program
from runner.engine.slice import Slice
from runner.engine.statuses import StepStatus
from runner.simulation import agenda
from runner.simulation.agenda import Item
from runner.simulation.flow_test_file import Action, Decision
from runner.simulation.invariants import Watcher
from runner.simulation.memory import MemoryStore
from runner.simulation.people import ActionBook, DecisionBook, Due, acted, decided
from runner.simulation.standins import Call, Identity, StandIns, end_of, identity_of, queue_of

#: A test that makes more transitions than this goes round in circles.
MOST_COMMITS = 100_000

#: So long a living process holds what it claimed: longer than any test.
LEASE_MS = 100 * 365 * 24 * 3_600_000

#: Boundaries at which a process can die, around each commit.
BEFORE_COMMIT, BEFORE_COMMANDS, AFTER_COMMANDS = (
    "before the commit",
    "before the commands",
    "after the commands",
)


class Crash(Exception):
    """The process dies here."""


Boundary = Callable[[int, str, MemoryStore], None]


def _go_on(commit: int, boundary: str, store: MemoryStore) -> None:
    """No crash."""


@dataclass(slots=True)
class Flight:
    """A step that runs: when its reply comes (None: never), its time limit, and what it then reports."""

    fence: int
    end_at: int | None
    deadline: int | None
    command: ExecuteStep
    call: Call | None = None
    canceled: bool = False


@dataclass
class World:
    """What outlives a crash: the clock, the stand-ins, the people, and when each attempt first began."""

    standins: StandIns
    decisions: DecisionBook = field(default_factory=lambda: DecisionBook(()))
    actions: ActionBook = field(default_factory=lambda: ActionBook(()))
    clock: int = 0
    last_change: int = 0
    commits: int = 0
    began: dict[Identity, int] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    chance: Random | None = None
    watcher: Watcher | None = field(default_factory=Watcher)
    boundary: Boundary = _go_on


class Driver:
    """One process that drives one run, from a store, in a world."""

    def __init__(self, program: Program, store: MemoryStore, world: World, before: tuple[Flight, ...] = ()) -> None:
        self.program = program
        self._before = before
        self.store = store
        self.world = world
        self._flights: dict[str, Flight] = {}
        self._released: set[str] = set()
        self._idle: set[tuple[str, int]] = set()

    # Life of the process

    def start(self, state: dict[str, object]) -> None:
        """Start the run with its checked first state."""
        self._commit(lambda now: RunStarted(now, state=state))

    def recover(self) -> None:
        """Take back what the process before was running: each attempt is lost, and claimed again at once.

        It may only have stalled: what it still reports has to count for nothing.
        """
        self.store.lapse_leases()
        order = self.program.order
        running = [
            row for row in self.store.live_steps(None) if row.status is StepStatus.RUNNING and not row.is_container
        ]
        running.sort(key=lambda row: agenda.position(order, row))
        for row in running:
            self._lose(row.id, row.fence)
            self._claim(row.id)
        for flight in self._before:
            self._must_be_moot(_report(flight, self.world.clock), "a report under a lapsed lease")

    def die(self) -> tuple[Flight, ...]:
        """The process is gone, and with it what its calls would have given. Gives what it was at."""
        for flight in self._flights.values():
            self.world.standins.lose(identity_of(flight.command))
        return tuple(self._flights.values())

    def _lose(self, step_id: str, fence: int) -> None:
        self._commit(lambda now: AttemptLost(now, step_id, fence))

    def run(self) -> None:
        """Go on until nothing is due any more. Raises Crash where the schedule says so."""
        while self._step():
            if self.world.commits > MOST_COMMITS:
                raise RunError("limit_exceeded", f"The run made more than {MOST_COMMITS} transitions.")

    def _step(self) -> bool:
        """Make the next thing happen. False: nothing is due."""
        at_once = self.world.actions.at_once(self.store.events)
        if at_once is not None:
            self._act(at_once)
            return True
        chance = self.world.chance
        if not (chance and self._flights and chance.random() < 0.3) and self._start_one():
            return True
        due = self._due()
        if not due:
            return chance is not None and self._start_one()
        item = min(due, key=lambda item: item.order)
        if chance is not None:
            item = chance.choice([other for other in due if (other.at, other.rank) == (item.at, item.rank)])
        self.world.clock = max(self.world.clock, item.at)
        self._happen(item)
        return True

    # What is due

    def _start_one(self) -> bool:
        """Claim the first ready step that can start; a bound on parallel steps may hold some back."""
        ready = agenda.ready_steps(self.store, self.program.order, self.world.clock, self._released)
        if self.world.chance is not None:
            self.world.chance.shuffle(ready)
        return any(self._claim(row.id) for row in ready)

    def _claim(self, step_id: str) -> bool:
        """Claim a step. A second message about the same step must change nothing."""
        claimed = self._commit(lambda now: StepClaimed(now, step_id, worker="simulator", lease_ms=LEASE_MS))
        if claimed and self.world.chance is not None:
            again = StepClaimed(self.world.clock, step_id, worker="another", lease_ms=LEASE_MS)
            self._must_be_moot(again, "a doubled claim")
        return claimed

    def _must_be_moot(self, happening: Happening, what: str) -> None:
        """Raise AssertionError if this happening would change anything."""
        transition = advance(self.program, Slice(self.store.run, self.store), happening)
        if transition.events or transition.commands:
            raise AssertionError(f"{what} was obeyed: {happening}")

    def _due(self) -> list[Item]:
        order, store, world = self.program.order, self.store, self.world
        return [
            *self._ends(),
            *agenda.back_offs(store, order, self._released),
            *(item for item in agenda.timers(store, order) if (item.subject, item.at) not in self._idle),
            *agenda.of_people(world.decisions.due(store.rows("approvals")), agenda.DECISIONS, "decision"),
            *agenda.of_people(world.actions.due(store.events), agenda.ACTIONS, "action"),
        ]

    def _ends(self) -> Iterable[Item]:
        """Ends and time limits of running steps; what the engine has taken away from a step is forgotten."""
        for step_id, flight in list(self._flights.items()):
            row = self.store.step(step_id)
            if row is None or row.status is not StepStatus.RUNNING or row.fence != flight.fence:
                del self._flights[step_id]
                continue
            place = agenda.position(self.program.order, row)
            if flight.end_at is not None:
                yield Item(flight.end_at, agenda.ENDS, place, "end", step_id)
            if flight.deadline is not None:
                yield Item(flight.deadline, agenda.TIME_LIMITS, place, "limit", step_id)

    def _happen(self, item: Item) -> None:
        if item.kind == "end":
            self._end(item.subject)
        elif item.kind == "limit":
            self._run_out_of_time(item.subject)
        elif item.kind == "back_off":
            self._released.add(item.subject)
        elif item.kind == "timer":
            if not self._commit(lambda now: TimerDue(now, item.subject)):
                self._idle.add((item.subject, item.at))
        elif item.kind == "decision":
            self._decide(item.subject)
        else:
            self._act(item.subject)

    def _end(self, step_id: str) -> None:
        flight = self._flights[step_id]
        self._commit(lambda now: _report(flight, now))
        self._flights.pop(step_id, None)

    def _run_out_of_time(self, step_id: str) -> None:
        flight = self._flights[step_id]
        limit = flight.command.limit_ms
        message = f"The attempt took longer than its time limit of {limit} ms."
        self._commit(
            lambda now: StepFailed(now, step_id, flight.fence, "operation_timeout", message, {"limit_ms": limit})
        )
        self._flights.pop(step_id, None)

    def _decide(self, due: Due) -> None:
        approval = self.store.approval(due.approval_id)
        assert approval is not None and isinstance(due.what, Decision)
        decision = due.what
        try:
            self._commit(lambda now: decided(decision, approval, now))
        except RunError as refusal:
            self.world.refusals.append(f"decision on {approval.path}: {refusal.message}")
            self.world.decisions.refused(approval.id)

    def _act(self, due: Due) -> None:
        assert isinstance(due.what, Action)
        action = due.what
        try:
            self._commit(lambda now: acted(action, self.store.rows("steps"), now), action=due.number)
        except RunError as refusal:
            self.world.refusals.append(f"{action.do} at {action.when}: {refusal.message}")
            self.world.actions.mark_done(due.number)

    # Commits and commands

    def _commit(self, make: Callable[[int], Happening], *, action: int | None = None) -> bool:
        """Let something happen, commit it, obey. False: it was moot. Raises RunError if it is refused."""
        world = self.world
        slice_ = Slice(self.store.run, self.store)
        transition = advance(self.program, slice_, make(world.clock))
        if not transition.events and not transition.commands:
            return False
        number = world.commits + 1
        world.boundary(number, BEFORE_COMMIT, self.store)
        self.store.commit(transition.changes())
        world.commits = number
        world.last_change = world.clock
        if action is not None:
            world.actions.mark_done(action)
        if world.watcher is not None:
            world.watcher.check(self.store)
        world.boundary(number, BEFORE_COMMANDS, self.store)
        for command in transition.commands:
            self._obey(command)
        world.boundary(number, AFTER_COMMANDS, self.store)
        return True

    def _obey(self, command: Command) -> None:
        """Hints need no obeying here: what is pending is found in the store."""
        if isinstance(command, ExecuteStep):
            self._flights[command.step_id] = self._take_off(command)
        elif isinstance(command, CancelStep) and command.step_id in self._flights:
            flight = self._flights[command.step_id]
            flight.canceled, flight.end_at, flight.deadline = True, self.world.clock, None

    def _take_off(self, command: ExecuteStep) -> Flight:
        """Begin a call. One that a crash swallowed counts from its first beginning: a crash takes no time."""
        world = self.world
        identity = identity_of(command)
        began = world.began.setdefault(identity, world.clock)
        if command.pure:
            return Flight(command.fence, began, None, command)
        queue, given = queue_of(command.node, command.type, command.input)
        call = world.standins.begin(queue, identity, given, began)
        end_at = None if call.reply.hang else began + call.reply.after_ms
        deadline = None if command.limit_ms is None else began + command.limit_ms
        return Flight(command.fence, end_at, deadline, command, call)


def _report(flight: Flight, now: int) -> Happening:
    """What a running step reports at its end."""
    step_id = flight.command.step_id
    if flight.canceled:
        return StepFailed(now, step_id, flight.fence, "canceled", "The call was stopped.")
    if flight.call is None:
        return StepFinished(now, step_id, flight.fence)
    schema = flight.command.input.get("output_schema")
    return end_of(flight.call, flight.command.type, step_id, flight.fence, now, schema)
