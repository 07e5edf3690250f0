"""Where a run stands, against a replay of its history by the engine: paths, scopes, joins, state and counters.

The values that a replay takes from rows were compared with the events before (attempts.py, facts.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runner.engine.codec import encode_row
from runner.engine.program import Program
from runner.engine.replay import Sparing, replayed
from runner.engine.rows import CONTAINER_TYPES, ArtifactRow, Checkpoint, RunRow, SignalRow, StepRow, Stored
from runner.engine.slice import Changes, Slice
from runner.engine.statuses import STEP_LIVE
from runner.models import Run
from runner.services.proof.tables import About, Proof, Row, parsed, rows_of
from runner.store.codec.scopes import SCOPE, scope_row
from runner.store.codec.stored import names
from runner.store.history import EventList, run_of_history, step_of_history
from runner.store.reader import Reader
from runner.store.sql import fetch

_STEP = names(
    "id node type path visit attempt backend created_at scope region round status lost ended_at announced seen"
    " restorable inner waits_for wait_key approval_id"
)
_VALUE = names("scope kind key value value_ref value_size ops inherited")
_ARRIVAL = names("region node branch count source status")
#: Of the run's row: what a replay works out by itself.
_RUN = names(
    "status seq scopes steps live waiting_person waiting_other approval_pause input_tokens output_tokens cost_micros"
    " units ended_at"
)
_AT_WORK = ("pending", "running")
Covers = Callable[[str, str], bool]


class RowSource:
    """What replay reads beside the events, row by row from the tables. `programs`: by content hash, None the first."""

    def __init__(self, run_id: str, programs: dict[str | None, Program]) -> None:
        self.run: RunRow = run_of_history(run_id)
        self._programs = programs
        self._slice = Slice(self.run, Reader(run_id))

    def step(self, path: str, visit: int, attempt: int) -> StepRow | None:
        return step_of_history(self.run.id, path, visit, attempt)

    def signals(self) -> Sequence[SignalRow]:
        return []  # only a fork asks for them

    def artifacts(self) -> Sequence[ArtifactRow]:
        return []

    def program(self, content_hash: str | None) -> Program:
        return self._programs[content_hash]

    def load(self, stored: Stored) -> Any:
        return self._slice.load(stored)


def check_places(proof: Proof, programs: dict[str | None, Program], covers: Covers) -> None:
    """Replay the whole history and look at every row that says where something stands.

    Raises AlteredError; ReplayError where the history does not come out as it was recorded.
    """
    run = proof.run
    replay = replayed(EventList(run.pk, run.seq), RowSource(run.pk, programs), run.seq, Sparing)
    changes = replay.slice.changes()
    _check_steps(proof, changes)
    _check_scopes(proof, changes)
    _check_values(proof, changes, replay.slice, covers)
    _check_arrivals(proof, changes)
    _check_run(proof, run, replay.slice.run)


def _check_steps(proof: Proof, changes: Changes) -> None:
    told = {row.id: row for row in changes.new_steps}
    for row in rows_of("runner_steprun", _STEP, proof.run.pk, ["id"]):
        about = About(_name(row), "runner_steprun", row["id"], "a replay of the history")
        made = told.pop(row["id"], None)
        if made is None:
            raise proof.altered(
                about.row, "the history does not lead to it", about.table, about.key, "", "none", "a row"
            )
        proof.rows += 1
        for name in _STEP[1:]:
            expected = _plain(getattr(made, name))
            if not _may_differ(name, row, made):
                proof.same(about, name, expected, row[name])
    for left in told.values():
        row = {"path": left.path, "visit": left.visit, "attempt": left.attempt}
        raise proof.altered(_name(row), "it has no row", "runner_steprun", left.id, "", "a row", "none")


def _may_differ(name: str, row: Row, made: StepRow) -> bool:
    """What no event tells: whether a live step is handed on or at work, and that a wait for a run is over."""
    if name == "status":
        return made.status in STEP_LIVE and row[name] in _AT_WORK and str(made.status) in _AT_WORK
    return name == "wait_key" and made.waits_for == "run" and row[name] == ""


def _name(row: Row) -> str:
    return f"step run {row['path']} visit {row['visit']} attempt {row['attempt']}"


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, str) else value


def _check_scopes(proof: Proof, changes: Changes) -> None:
    told = {row.n: encode_row(row) for row in changes.new_scopes}
    for row in rows_of("runner_scope", SCOPE, proof.run.pk, ["n"]):
        key = f"run {proof.run.pk}, scope {row['n']}"
        about = About(f"scope {row['n']}", "runner_scope", key, "a replay of the history")
        made = told.pop(row["n"], None)
        if made is None:
            raise proof.altered(about.row, "the history does not open it", about.table, key, "n", "none", "a row")
        proof.rows += 1
        for name in ("kind", "status"):
            proof.same(about, name, made[name], row[name])
        for name, found in encode_row(scope_row([row[name] for name in SCOPE])).items():
            proof.same(about, name, made[name], found)
    for n in told:
        raise proof.altered(f"scope {n}", "it has no row", "runner_scope", f"run {proof.run.pk}, scope {n}", "n",
                            "a row", "none")  # fmt: skip


def _check_values(proof: Proof, changes: Changes, slice_: Slice, covers: Covers) -> None:
    told = {(row.scope, row.kind, row.key): row for row in changes.values}
    for row in rows_of("runner_statevalue", _VALUE, proof.run.pk, ["scope", "kind", "key"]):
        place = (row["scope"], row["kind"], row["key"])
        about = _value_about(proof, place)
        made = told.pop(place, None)
        covered = covers(row["kind"], row["key"])
        if made is None:
            raise proof.altered(about.row, "the history does not write it", about.table, about.key, "", "none", "a row")
        proof.rows += 1
        value = {"digest": Stored.of(slice_.load(made.stored)).content_digest()}
        proof.value(about, row, "value", value, covered=covered)
        proof.same(about, "ops", made.ops, parsed(row["ops"]), covered=covered)
        proof.same(about, "inherited", made.inherited, bool(row["inherited"]))
    for place in told:
        about = _value_about(proof, place)
        raise proof.altered(about.row, "it has no row", about.table, about.key, "", "a row", "none")


def _value_about(proof: Proof, place: tuple[int, str, str]) -> About:
    scope, kind, key = place
    named = f"value {kind}:{key} in scope {scope}"
    return About(named, "runner_statevalue", f"run {proof.run.pk}, {named}", "a replay of the history")


def _check_arrivals(proof: Proof, changes: Changes) -> None:
    order = names("region node branch count")
    told = {tuple(getattr(row, name) for name in order): row for row in changes.new_arrivals}
    for row in rows_of("runner_arrival", _ARRIVAL, proof.run.pk, order):
        place = tuple(row[name] for name in order)
        about = About(f"arrival at {row['node']}", "runner_arrival", f"run {proof.run.pk}, {place}",
                      "a replay of the history")  # fmt: skip
        made = told.pop(place, None)
        if made is None:
            raise proof.altered(about.row, "no path came there", about.table, about.key, "node", "none", "a row")
        proof.rows += 1
        for name in ("source", "status"):
            proof.same(about, name, getattr(made, name), row[name])
    for place in told:
        key = f"run {proof.run.pk}, {place}"
        raise proof.altered(f"arrival at {place[1]}", "it has no row", "runner_arrival", key, "node", "a row", "none")


def _check_run(proof: Proof, run: Run, made: RunRow) -> None:
    row = dict(zip(_RUN, fetch(f"SELECT {', '.join(_RUN)} FROM runner_run WHERE id = %s", [run.pk])[0], strict=True))
    about = About(f"run {run.pk}", "runner_run", run.pk, "a replay of the history")
    told = {**{name: getattr(made, name, None) for name in _RUN}, **made.usage.as_json()}
    for name in _RUN:
        proof.same(about, name, _plain(told[name]), row[name])
    working = fetch(_WORKING, [run.pk])[0][0]
    counted = fetch("SELECT running FROM runner_run WHERE id = %s", [run.pk])[0][0]
    proof.same(About(about.row, about.table, about.key, "the count of its step runs"), "running", working, counted)


_WORKING = (
    "SELECT count(*) FROM runner_steprun WHERE run_id = %s AND status = 'running'"
    f" AND type NOT IN ({', '.join(repr(one) for one in sorted(CONTAINER_TYPES))})"
)


def taken_over_steps(checkpoint: Checkpoint | None) -> frozenset[str]:
    """The ids of the step runs with which a fork began."""
    return frozenset(row.id for row in checkpoint.steps) if checkpoint is not None else frozenset()
