"""All rows of a run and its child runs, read into memory as the simulator holds runs. A step never does."""

from __future__ import annotations

from runner.engine.rows import StepRow
from runner.engine.subflows import child_id
from runner.services.programs import program_of_run
from runner.simulation import agenda
from runner.simulation.runs import SimulatedRun, label_of
from runner.store.children import run_exists
from runner.store.whole import read_run


def read_family(run_id: str) -> list[SimulatedRun]:
    """A run and its child runs, and theirs, in the order in which they began; each is of one moment."""
    runs = [SimulatedRun(program_of_run(run_id)[1], read_run(run_id))]
    for parent in runs:  # the list grows while it is read
        for row in sorted(_starters(parent), key=lambda row: (row.started_at, agenda.position(parent, row))):
            if run_exists(child_id(row.id)):
                store = read_run(child_id(row.id))
                program = program_of_run(child_id(row.id))[1]
                runs.append(SimulatedRun(program, store, len(runs), label_of(parent, row)))
    return runs


def _starters(run: SimulatedRun) -> list[StepRow]:
    """Steps that may have started a child run."""
    rows: list[StepRow] = run.store.rows("steps")
    return [row for row in rows if row.type == "subflow" and row.started_at is not None]
