"""A run as the simulator holds it, and the child runs of its sub-flows. What happens to them is driver.py's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from runner.engine.commands import StartRun
from runner.engine.happenings import ChildEnded, RunForked, RunStarted
from runner.engine.machine import advance
from runner.engine.program import Program, compile_program
from runner.engine.replay import checkpoint_at
from runner.engine.rows import RunRow, StepRow, Stored, derived_id
from runner.engine.slice import Slice
from runner.engine.statuses import RUN_ENDED, RUN_LIVE, StepStatus
from runner.simulation.history import StoreSource
from runner.simulation.invariants import Watcher
from runner.simulation.memory import MemoryStore
from runner.simulation.transitions import Transitions


@dataclass
class SimulatedRun:
    """A compiled flow and the rows of its run. `rank`: in which order the runs began.

    `programs` are those of all versions that the run has been moved to, by content hash.
    `label` stands before the paths of a child run's calls: `path@visit.attempt/` of each step around it.
    """

    program: Program
    store: MemoryStore
    rank: int = 0
    label: str = ""
    watcher: Watcher = field(default_factory=Watcher)
    programs: dict[str | None, Program] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.programs.setdefault(None, self.program)

    @property
    def id(self) -> str:
        """The id of the run."""
        return self.store.seen.id

    @property
    def is_live(self) -> bool:
        """Whether the run has begun and not ended."""
        return self.store.seen.seq > 0 and self.store.seen.status in RUN_LIVE

    def after_crash(self) -> SimulatedRun:
        """The run as the next process finds it: its rows read back from their text."""
        store = MemoryStore.restore(self.store.save())
        return SimulatedRun(self.program, store, self.rank, self.label, self.watcher, self.programs)


def label_of(parent: SimulatedRun, step: StepRow) -> str:
    """The label of the child run that this step started: the same in every way of running."""
    return f"{parent.label}{step.path}@{step.visit}.{step.attempt}/"


def new_child(parent: SimulatedRun, step: StepRow, asked: StartRun, rank: int, now: int) -> SimulatedRun:
    """The child run that a sub-flow step asks for, started; it exists once the parent's commit is made."""
    catalog = parent.program.catalog
    if asked.version == "self":
        program = parent.program
    else:
        definition = catalog.flow_version(asked.flow, int(asked.version))
        assert definition is not None
        program = compile_program(definition, catalog)
    row = RunRow(
        id=asked.run_id,
        inputs=Stored.of(asked.state),
        policy=dict(program.definition.policy.values),
        parent_run=asked.parent_run,
        parent_step=asked.parent_step,
        depth=asked.depth,
        started_at=now,
    )
    store = MemoryStore(row)
    slice_ = Slice(store.run, store)
    store.commit(advance(program, slice_, RunStarted(now, state=asked.state)).changes())
    return SimulatedRun(program, store, rank, label_of(parent, step))


def fork_of(
    run: SimulatedRun,
    seq: int,
    now: int = 0,
    state: dict[str, Any] | None = None,
    transitions: Transitions | None = None,
) -> SimulatedRun:
    """A run that goes on from where another stood at an event, started.

    Raises RunError where it cannot, ReplayError where the history does not come out as recorded.
    """
    origin = run.store.run
    checkpoint = checkpoint_at(run.store.events, StoreSource(run.store, run.programs), seq)
    row = RunRow(
        id=derived_id("fork", origin.id, seq),
        preset=origin.preset,
        inputs=origin.inputs,
        policy=dict(origin.policy),
        forked_from=origin.id,
        forked_seq=checkpoint.seq,
        started_at=now,
    )
    store = MemoryStore.of_rows(row, {}, blobs=run.store.blobs)
    asked = RunForked(now, checkpoint, state or {})
    begun = (transitions or Transitions()).advance(run.program, Slice(store.run, store), asked)
    store.commit(begun.changes())
    fork = SimulatedRun(run.program, store)
    fork.watcher.check(store, fork.programs)
    return fork


def end_of_child(child: SimulatedRun, now: int) -> ChildEnded:
    """How the step that waits for a child run learns of its end."""
    run = child.store.run
    result = Slice(run, child.store).load(run.result) if run.result is not None else None
    return ChildEnded(now, run.parent_step or "", run.id, str(run.status), result, run.error, run.usage)


def untold(runs: Sequence[SimulatedRun]) -> Iterable[tuple[SimulatedRun, SimulatedRun]]:
    """Runs in which a step waits for a child that has ended, with that child."""
    by_id = {run.id: run for run in runs}
    for run in runs:
        for row in run.store.rows("steps"):
            child = by_id.get(row.wait_key) if row.waits_for == "run" else None
            if row.status is StepStatus.WAITING and child is not None and child.store.seen.status in RUN_ENDED:
                yield run, child


def orphans(runs: Sequence[SimulatedRun]) -> Iterable[SimulatedRun]:
    """Child runs that go on although the step that started them does not wait for them any more."""
    by_id = {run.id: run for run in runs}
    for child in runs:
        row = child.store.seen
        parent = by_id.get(row.parent_run or "")
        step = parent.store.step(row.parent_step) if parent and row.parent_step else None
        if child.is_live and step is not None and step.status is not StepStatus.WAITING:
            yield child
