"""The shell of the simulator: it moves the virtual clock, obeys commands and commits transitions.

What is due next is agenda.py's, what stands in for the world standins.py's and people.py's.
A crash schedule stops it at a chosen boundary; what was not committed is then gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random

from runner.engine.commands import CancelRun, CancelStep, Command, ExecuteStep, RunEnded, StartRun
from runner.engine.errors import RunError
from runner.engine.happenings import (
    AttemptLost,
    CancelAsked,
    ClaimReleased,
    Happening,
    MoveAsked,
    RunStarted,
    StepClaimed,
    StepFinished,
    TimerDue,
)
from runner.engine.rows import StepRow
from runner.engine.slice import Slice
from runner.engine.statuses import ApprovalStatus, RunStatus, StepStatus
from runner.engine.subflows import child_id
from runner.simulation import agenda
from runner.simulation.agenda import Item
from runner.simulation.flights import Flight, take_off
from runner.simulation.flow_test_file import Action, Decision
from runner.simulation.memory import is_anything
from runner.simulation.people import Due, acted, decided
from runner.simulation.runs import SimulatedRun, end_of_child, new_child, orphans, untold
from runner.simulation.world import AFTER_COMMANDS, BEFORE_COMMANDS, BEFORE_COMMIT, World

#: A test that makes more transitions than this goes round in circles.
MOST_COMMITS = 100_000

#: How often, before each thing that happens by chance, a claim is handed back.
HANDED_BACK = 0.02

#: So long a living process holds what it claimed: longer than any test.
LEASE_MS = 100 * 365 * 24 * 3_600_000


class Driver:
    """One process that drives a run and its child runs, in a world. `before`: what an earlier process was at."""

    lease_ms = LEASE_MS

    def __init__(self, runs: Sequence[SimulatedRun], world: World, before: tuple[Flight, ...] = ()) -> None:
        self.runs = list(runs)
        self.world = world
        self._before = before
        self._flights: dict[str, Flight] = {}
        self._released: set[str] = set()
        self._idle: set[tuple[str, int]] = set()
        self._unanswered: dict[str, tuple[SimulatedRun, StepRow]] = {}

    @property
    def root(self) -> SimulatedRun:
        """The run that is tested."""
        return self.runs[0]

    # Life of the process

    def start(self, state: dict[str, object]) -> None:
        """Start the run with its checked first state."""
        self._commit(self.root, lambda now: RunStarted(now, state=state))

    def recover(self) -> None:
        """Take back what the process before was running: each attempt is lost, and claimed again at once.

        What had been asked to stop is lost in its turn among the ends. The process may only have stalled: what
        it still reports has to count for nothing.
        """
        for run in self.runs:
            run.store.lapse_leases()
        while self._act_at_once():
            pass
        for run, row in self._running():
            if row.cancel_requested:
                self._unanswered[row.id] = (run, row)
            else:
                self._lose(run, row.id, row.fence)
                self._claim(run, row.id)
        for flight in self._before:
            if flight.command.step_id in self._unanswered:
                continue
            run = next(run for run in self.runs if run.id == flight.run.id)
            self._must_be_moot(run, flight.report(self.world.clock), "a report under a lapsed lease")
        for parent, child in list(untold(self.runs)):
            self._tell(parent, child)
        for child in list(orphans(self.runs)):
            self._cancel(child)

    def _running(self) -> list[tuple[SimulatedRun, StepRow]]:
        found = [
            (run, row)
            for run in self.runs
            for row in run.store.live_steps(None)
            if row.status is StepStatus.RUNNING and not row.is_container
        ]
        return sorted(found, key=lambda one: agenda.position(*one))

    def die(self) -> tuple[Flight, ...]:
        """The process is gone, and with it what its calls would have given. Gives what it was at."""
        for flight in self._flights.values():
            self.world.standins.lose(flight.identity)
        return tuple(self._flights.values())

    def run(self) -> None:
        """Go on until nothing is due any more. Raises Crash where the schedule says so."""
        while self._step():
            most = self.world.most_commits or MOST_COMMITS
            if self.world.commits > most:
                raise RunError("limit_exceeded", f"The run made more than {most:,} transitions.")

    def _step(self) -> bool:
        """Make the next thing happen. False: nothing is due."""
        if self._act_at_once() or self._move() or self._hand_back():
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

    def _act_at_once(self) -> bool:
        """Do what a person does directly after an event that has happened. False: there is nothing to do."""
        at_once = self.world.actions.at_once(self.root.store.events)
        if at_once is not None:
            self._act(at_once)
        return at_once is not None

    def _move(self) -> bool:
        """Move the run, once it is paused and nothing in it runs, to a version like its own."""
        run, seen = self.root, self.root.store.seen
        if not self.world.moves or seen.status is not RunStatus.PAUSED or seen.running:
            return False
        self.world.moves -= 1
        version = f"version {self.world.moves}"
        run.programs[version] = run.program
        about = {"from": {}, "to": {"content_hash": version}}
        return self._commit(run, lambda now: MoveAsked(now, policy=seen.policy, about=about))

    def _hand_back(self) -> bool:
        """Now and then a worker shuts down in order and hands back what it runs; another one takes it up."""
        chance = self.world.chance
        if chance is None or not self._flights or chance.random() >= HANDED_BACK:
            return False
        flight = self._flights.pop(chance.choice(list(self._flights)))
        self.world.standins.lose(flight.identity)
        step_id, fence = flight.command.step_id, flight.command.fence
        return self._commit(flight.run, lambda now: ClaimReleased(now, step_id, fence))

    # Claims

    def _start_one(self) -> bool:
        """Claim the first ready step that can start; a bound on parallel steps may hold some back."""
        ready = agenda.ready_steps(self.runs, self.world.clock, self._released)
        if self.world.chance is not None:
            self.world.chance.shuffle(ready)
        return any(self._claim(run, row.id) for run, row in ready)

    def _claim(self, run: SimulatedRun, step_id: str) -> bool:
        """Claim a step. A second message about the same step must change nothing."""
        claimed = self._commit(run, lambda now: StepClaimed(now, step_id, worker="simulator", lease_ms=LEASE_MS))
        if claimed and self.world.chance is not None:
            again = StepClaimed(self.world.clock, step_id, worker="another", lease_ms=LEASE_MS)
            self._must_be_moot(run, again, "a doubled claim")
        return claimed

    def _lose(self, run: SimulatedRun, step_id: str, fence: int) -> None:
        self._commit(run, lambda now: AttemptLost(now, step_id, fence))

    def _must_be_moot(self, run: SimulatedRun, happening: Happening, what: str) -> None:
        """Raise AssertionError if this happening would change anything."""
        transition = self.world.transitions.advance(run.program, Slice(run.store.run, run.store), happening)
        if transition.commands or is_anything(transition.changes(), run.store.seen):
            raise AssertionError(f"{what} was obeyed: {happening}")

    # What is due

    def _due(self) -> list[Item]:
        return [
            *self._ends(),
            *agenda.times(self.runs, self._released, self._idle),
            *agenda.people(self.runs, self.world.decisions, self.world.actions),
        ]

    def _ends(self) -> Iterable[Item]:
        """Ends and time limits of running steps; what the engine has taken away from a step is forgotten."""
        for run, silent in self._unanswered.values():
            yield Item(self.world.clock, agenda.ENDS, agenda.position(run, silent), "lapse", silent.id)
        for step_id, flight in list(self._flights.items()):
            row = flight.run.store.step(step_id)
            if row is None or row.status is not StepStatus.RUNNING or row.fence != flight.command.fence:
                del self._flights[step_id]
                continue
            place = agenda.position(flight.run, row)
            if flight.end_at is not None:
                yield Item(flight.end_at, agenda.ENDS, place, "end", flight)
            if flight.deadline is not None:
                yield Item(flight.deadline, agenda.TIME_LIMITS, place, "limit", flight)

    def _happen(self, item: Item) -> None:
        if isinstance(item.subject, Flight):
            flight = item.subject
            self._commit(flight.run, flight.report if item.kind == "end" else flight.out_of_time)
            self._flights.pop(flight.command.step_id, None)
        elif item.kind == "lapse":
            run, row = self._unanswered.pop(item.subject)
            self._lose(run, row.id, row.fence)
        elif item.kind == "back_off":
            self._released.add(item.subject[1])
        elif item.kind == "timer":
            run, timer_id = item.subject
            if not self._commit(run, lambda now: TimerDue(now, timer_id)):
                self._idle.add((timer_id, item.at))
        elif item.kind == "decision":
            self._decide(item.subject)
        else:
            self._act(item.subject)

    def _decide(self, due: Due) -> None:
        found = ((run, run.store.approval(due.approval_id)) for run in self.runs)
        run, approval = next(one for one in found if one[1] is not None)
        decision = due.what
        assert approval is not None and isinstance(decision, Decision)
        try:
            self._commit(run, lambda now: decided(decision, due.number, approval, now))
        except RunError as refusal:
            self.world.refusals.append(f"decision on {approval.path}: {refusal.message}")
            self.world.decisions.used_up(approval.id)
        else:
            left = run.store.approval(due.approval_id)
            if left is not None and left.status is ApprovalStatus.OPEN:
                self.world.decisions.used_up(approval.id)

    def _act(self, due: Due) -> None:
        action = due.what
        assert isinstance(action, Action)
        try:
            rows = self.root.store.rows("steps")
            if self._commit(self.root, lambda now: acted(action, rows, now), action=due.number):
                return
        except RunError as refusal:
            self.world.refusals.append(f"{action.do} at {action.when}: {refusal.message}")
        self.world.actions.mark_done(due.number)

    # Commits and commands

    def _commit(self, run: SimulatedRun, make: Callable[[int], Happening], *, action: int | None = None) -> bool:
        """Let something happen, commit it, obey. False: it was moot. Raises RunError if it is refused."""
        world = self.world
        slice_ = Slice(run.store.run, run.store)
        transition = world.transitions.advance(run.program, slice_, make(world.clock))
        if not transition.events and not transition.commands:
            return False
        if world.chance is not None:
            self._go_on(run, slice_, world.chance)
        commands = tuple(slice_.commands)
        children = self._children(run, slice_, commands)
        number = world.commits + 1
        self._pass(number, BEFORE_COMMIT)
        run.store.commit(slice_.changes())
        self.runs += children
        world.commits, world.last_change = number, world.clock
        if action is not None:
            world.actions.mark_done(action)
        for one in (run, *children):
            one.watcher.check(one.store, one.programs)
        self._pass(number, BEFORE_COMMANDS)
        for command in commands:
            self._obey(run, command)
        self._pass(number, AFTER_COMMANDS)
        if world.prober is not None:
            for one in self.runs:
                world.prober.look(one, world.clock)
        return True

    def _go_on(self, run: SimulatedRun, slice_: Slice, chance: Random) -> None:
        """Claim more steps in the same transaction, and end pure ones there, as a worker may that goes on."""
        while run.store.seen.seq > 0 and slice_.run.status is RunStatus.ACTIVE and chance.random() < 0.5:
            now = self.world.clock
            pending = [row for row in slice_.live_steps() if row.status is StepStatus.PENDING]
            ready = [row for row in pending if row.not_before <= now and row.created_at == row.not_before]
            if not ready:
                return
            claimed = StepClaimed(now, chance.choice(ready).id, worker="simulator", lease_ms=self.lease_ms)
            advance = self.world.transitions.advance
            for command in advance(run.program, slice_, claimed).commands:
                if isinstance(command, ExecuteStep) and command.pure and chance.random() < 0.7:
                    advance(run.program, slice_, StepFinished(now, command.step_id, command.fence))

    def _pass(self, number: int, boundary: str) -> None:
        self.world.boundary(number, boundary, [run.store for run in self.runs])

    def _children(self, run: SimulatedRun, slice_: Slice, commands: Sequence[Command]) -> list[SimulatedRun]:
        """The child runs that a transition starts, unless an earlier claim of the same attempt has."""
        known = {one.id for one in self.runs}
        children: list[SimulatedRun] = []
        for command in commands:
            if isinstance(command, StartRun) and command.run_id not in known:
                changes = slice_.changes()
                steps = [*changes.new_steps, *changes.changed_steps]
                step = next(row for row in steps if child_id(row.id) == command.run_id)
                rank = len(self.runs) + len(children)
                children.append(new_child(run, step, command, rank, self.world.clock))
        return children

    def _obey(self, run: SimulatedRun, command: Command) -> None:
        """Hints need no obeying here: what is pending is found in the store."""
        if isinstance(command, ExecuteStep):
            self._flights[command.step_id] = take_off(run, command, self.world)
        elif isinstance(command, CancelStep) and command.step_id in self._flights:
            self._flights[command.step_id].cancel(self.world.clock)
        elif isinstance(command, CancelRun):
            child = next((one for one in self.runs if one.id == command.run_id), None)
            if child is not None and child.is_live:
                self._cancel(child)
        elif isinstance(command, RunEnded) and run.store.seen.parent_step is not None:
            parent = next(one for one in self.runs if one.id == run.store.seen.parent_run)
            self._tell(parent, run)

    def _tell(self, parent: SimulatedRun, child: SimulatedRun) -> None:
        self._commit(parent, lambda now: end_of_child(child, now))

    def _cancel(self, child: SimulatedRun) -> None:
        self._commit(child, CancelAsked)
