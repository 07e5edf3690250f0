"""A part of a flow tried in the simulator: ends that are given, and a stop where nothing stands in for a call."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from runner.engine.commands import Command, StartRun
from runner.engine.events import Event
from runner.engine.program import Program
from runner.engine.rows import RunRow, StepRow, Stored, derived_id
from runner.engine.slice import Slice
from runner.engine.statuses import STEP_LIVE
from runner.engine.subflows import child_id
from runner.simulation.agenda import WAITS, Item
from runner.simulation.driver import Driver
from runner.simulation.flow_test_file import Reply
from runner.simulation.invariants import Unwatched
from runner.simulation.memory import MemoryStore
from runner.simulation.people import DecisionBook
from runner.simulation.runs import SimulatedRun
from runner.simulation.standins import Call, Identity, QueuedReplies, StandIns
from runner.simulation.world import World

#: A try that makes more transitions than this is given up: it goes round in circles.
MOST_COMMITS = 5_000


@dataclass(frozen=True)
class TriedStep:
    """One attempt of a try. `given`: what it was called with. `writes`: of a handler, the state keys that it set.

    `asks`: the call waits for a decision.
    """

    node: str
    type: str
    path: str
    visit: int
    status: str
    given: Any = None
    output: Any = None
    writes: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    asks: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it has not come to an end: nothing stood in for what it does."""
        return self.status in STEP_LIVE


@dataclass(frozen=True)
class TriedRun:
    """How a try went as far as it came. `steps`: the last attempt of each visit, in the order in which they began."""

    status: str
    error: dict[str, Any] | None
    events: Sequence[Event]
    steps: tuple[TriedStep, ...]

    def open_steps(self) -> list[TriedStep]:
        """Steps that work outside and for which nothing stands in."""
        return [step for step in self.steps if step.is_open]


class TestReplies(QueuedReplies):
    """Replies of a flow test; a call of which the test has none hangs, and so does every call of a `real` node."""

    __test__ = False

    def __init__(self, replies: Mapping[str, Sequence[Reply]], real: Collection[str] = ()) -> None:
        super().__init__(replies)
        self._real = real

    def begin(self, queue: str, identity: Identity, given: Any, now: int, *, whole: Any = None) -> Call:
        """The reply for this call, if there is one."""
        if self._replies.get(queue) and not self._is_real(identity[0]):
            return super().begin(queue, identity, given, now, whole=whole)
        return self.resumed(queue, identity, given) or self.enter(queue, identity, given, Reply(hang=True), now)

    def _is_real(self, path: str) -> bool:
        """Whether a node of the run itself makes this call; what sub-flows call is before what is tried."""
        own = path.partition("#")[0]
        return "/" not in own and own.rpartition(".")[2].partition("[")[0] in self._real


class _StandsStill(Driver):
    """A driver for which no time limit comes: what nothing stands in for stays where it is.

    `real`: nodes whose sub-flows are not started; what those would come to is not known before.
    """

    def __init__(self, runs: Sequence[SimulatedRun], world: World, real: Collection[str] = ()) -> None:
        super().__init__(runs, world)
        self._real = real

    def _children(self, run: SimulatedRun, slice_: Slice, commands: Sequence[Command]) -> list[SimulatedRun]:
        if not self._real or not any(isinstance(one, StartRun) for one in commands):
            return super()._children(run, slice_, commands)
        changes = slice_.changes()
        steps = [*changes.new_steps, *changes.changed_steps]
        real = {child_id(row.id) for row in steps if run is self.root and row.node in self._real}
        begun = [one for one in commands if not (isinstance(one, StartRun) and one.run_id in real)]
        return super()._children(run, slice_, begun)

    def _due(self) -> list[Item]:
        return [item for item in super()._due() if item.kind != "limit" and not self._is_limit(item)]

    @staticmethod
    def _is_limit(item: Item) -> bool:
        if item.kind != "timer":
            return False
        run, timer_id = item.subject
        timer = run.store.timer(timer_id)
        return timer is None or timer.kind not in WAITS


def try_run(
    program: Program,
    state: Mapping[str, Any],
    *,
    preset: str | None = None,
    policy: Mapping[str, Any],
    now: int,
    replies: Mapping[str, Sequence[Reply]] | None = None,
    decisions: DecisionBook | None = None,
    real: Collection[str] = (),
) -> TriedRun:
    """Run a cut flow with its given ends. `now` in ms. `real`: nodes for which nothing stands in, whatever there is.

    Raises RunError `limit_exceeded` for one in circles.
    """
    standins: StandIns = TestReplies(replies or {}, real)
    world = World(standins, clock=now, last_change=now, most_commits=MOST_COMMITS)
    if decisions is not None:
        world = replace(world, decisions=decisions)
    row = RunRow(
        id=derived_id("try", program.definition.id),
        preset=preset,
        inputs=Stored.of(dict(state)),
        policy=dict(policy),
        started_at=now,
    )
    run = SimulatedRun(program, MemoryStore(row), watcher=Unwatched())
    driver = _StandsStill([run], world, real)
    driver.start(dict(state))
    driver.run()
    store = run.store
    return TriedRun(str(store.run.status), store.run.error, store.events, tuple(_steps(run)))


def _steps(run: SimulatedRun) -> Iterable[TriedStep]:
    slice_ = Slice(run.store.run, run.store)
    last: dict[tuple[str, int], StepRow] = {}
    for row in sorted(run.store.rows("steps"), key=lambda one: (one.started_at or one.created_at, one.attempt)):
        last[row.path, row.visit] = row
    for row in last.values():
        yield TriedStep(
            node=row.node,
            type=row.type,
            path=row.path,
            visit=row.visit,
            status=str(row.status),
            given=None if row.input is None else slice_.load(row.input),
            output=None if row.output is None else slice_.load(row.output),
            writes=_writes(slice_, row),
            error=row.error,
            asks=row.waits_for == "person",
        )


def _writes(slice_: Slice, row: StepRow) -> dict[str, Any] | None:
    if row.type != "handler" or row.delta is None:
        return None
    return {key: operand for key, mode, operand in slice_.load(row.delta) if mode == "set"}
