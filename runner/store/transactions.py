"""One transaction on one run: lock, read, decide, write. The only way in which a run's rows change.

The first statement locks the run's row, says whether there is anything to do, and gives the database's time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache

from django.db import transaction

from runner.engine.rows import RunRow
from runner.engine.slice import Changes, Slice
from runner.engine.statuses import RUN_ENDED, RUN_LIVE, RunStatus
from runner.store.clock import now_sql
from runner.store.codec.runs import RUN, RUN_FIXED, run_fixed, run_row
from runner.store.codec.stored import Blobs, Params, columns, names, to_text
from runner.store.facts import note_end
from runner.store.reader import Reader
from runner.store.snapshots import is_due, sign_head, take_snapshot
from runner.store.sql import execute, fetch, fetch_first
from runner.store.stops import STOPS_VERSION
from runner.store.writer import Writer, insert_sql


@dataclass(slots=True)
class Memory:
    """What a worker remembers of a run between two transactions of its own.

    It holds only while nobody else has written to the run, which the run's revision tells.
    """

    rev: int = -1
    run: RunRow | None = None
    mark: Params | None = None
    version_id: int = 0
    reader: Reader | None = None

    def forget(self) -> None:
        """Read everything anew next time."""
        self.rev, self.run, self.mark, self.reader = -1, None, None, None

    def keep(self, work: RunTransaction) -> None:
        """Remember what a transaction has just committed."""
        assert work.changes is not None
        work.reader.absorb(work.changes)
        self.rev, self.run, self.mark = work.rev, work.run, work.mark
        self.version_id, self.reader = work.version_id, work.reader


@dataclass(slots=True)
class RunTransaction:
    """A run under its lock. `slice` is what `advance` works on; what it changed is written at the end.

    `mark`: the changing columns of its row as they are committed, None of a new run. `stops_version`: the incident
    switch as it stood when the run was locked.
    """

    run: RunRow
    rev: int
    version_id: int
    now: int
    reader: Reader
    mark: Params | None = None
    stops_version: int = 0
    slice: Slice = field(init=False)
    changes: Changes | None = None
    was: RunStatus = field(init=False)

    def __post_init__(self) -> None:
        self.slice = Slice(self.run, self.reader)
        self.was = self.run.status

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self.run.id

    def write(self) -> bool:
        """Write what the slice changed; False if it changed nothing."""
        changes = self.slice.changes()
        if not _is_anything(changes):
            return False
        before = self.run.seq - len(changes.events)
        self.mark = Writer(self.run, self.now).write(changes, self.reader, self.mark)
        if is_due(self.run, before):
            take_snapshot(self.run, self.now)
        if self.run.status is not self.was:
            note_end(self.run, self.was)
        if self.run.status in RUN_ENDED:
            sign_head(self.run.id, self.run.seq, self.run.head_hash, self.now)
        self.changes = changes
        return True


@contextmanager
def run_transaction(
    run_id: str,
    statuses: frozenset[RunStatus] = RUN_LIVE,
    memory: Memory | None = None,
) -> Iterator[RunTransaction | None]:
    """Lock a run that has one of these statuses; None if it has another or does not exist.

    What the slice changed is written and committed when the block ends without an error. A block that changed
    nothing leaves no trace. After an error nothing is written, and `memory` has forgotten everything.
    """
    try:
        with transaction.atomic():
            work = _lock(run_id, statuses, memory)
            yield work
            written = work is not None and work.write()
            if not written:
                transaction.set_rollback(True)
    except BaseException:
        if memory is not None:
            memory.forget()
        raise
    if written and work is not None and memory is not None:
        memory.keep(work)


@dataclass(frozen=True, slots=True)
class NewRun:
    """What the table knows of a new run beyond the engine's row."""

    row: RunRow
    version_id: int
    flow_id: str | None
    started_by_id: int | None
    actor: dict[str, object]
    starter: str
    idempotency_key: str | None
    request_digest: str
    flow_test: dict[str, object] | None = None
    trial: dict[str, object] | None = None
    """`{targets, given}` of a run that tries single steps."""


@contextmanager
def new_run_transaction(new: NewRun) -> Iterator[RunTransaction | None]:
    """Insert a run, then as `run_transaction`; None if its starter has used the idempotency key before."""
    with transaction.atomic():
        if _insert_run(new):
            work = RunTransaction(new.row, 0, new.version_id, new.row.started_at, Reader(new.row.id))
            yield work
            work.write()
        else:
            yield None


_NEW_RUN = (
    *RUN_FIXED[1:],
    *names("flow_id version_id started_by_id actor starter idempotency_key request_digest flow_test trial given_ends"),
    *names("status rev seq head_hash last_ts scopes steps live running waiting_person waiting_other"),
    *names(
        "approval_pause input_tokens output_tokens cost_micros units state_bytes result_size snapshot_size signed_at"
    ),
)
_ZEROS = ("active", 0, 0, "", *[0] * 7, False, *[0] * 7)
_FIRST_OF_KEY = "ON CONFLICT (starter, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING"


def _insert_run(new: NewRun) -> bool:
    blobs: Blobs = {}
    params = [
        *run_fixed(new.row, blobs),
        new.flow_id,
        new.version_id,
        new.started_by_id,
        to_text(new.actor),
        new.starter,
        new.idempotency_key,
        new.request_digest,
        to_text(new.flow_test),
        to_text(new.trial["targets"] if new.trial is not None else None),
        to_text(new.trial["given"] if new.trial is not None else None),
        *_ZEROS,
        new.row.started_at,
    ]
    marks = ", ".join(["%s"] * len(params))
    insert = f"INSERT INTO runner_run (id, {columns(_NEW_RUN)}) VALUES ({marks}) {_FIRST_OF_KEY}"
    if execute(insert, params) != 1:
        return False
    if blobs:
        rows = [(new.row.id, digest, stored.text, stored.size) for digest, stored in blobs.items()]
        statement = insert_sql("runner_blob", ("digest", "text", "size"), len(rows), "")
        execute(statement, [value for row in rows for value in row])
    return True


@lru_cache(maxsize=64)
def _lock_sql(statuses: frozenset[RunStatus], now: str) -> tuple[str, str]:
    """Two statements that lock a run: one that gives its row, one for a row that is known by its revision."""
    among = ", ".join(f"'{status.value}'" for status in sorted(statuses))
    lock = f"UPDATE runner_run SET rev = rev + 1 WHERE id = %s AND status IN ({among})"
    return (
        f"{lock} RETURNING {STOPS_VERSION}, rev, version_id, {now}, {columns(RUN)}",
        f"{lock} AND rev = %s RETURNING {STOPS_VERSION}, {now}",
    )


def _lock(run_id: str, statuses: frozenset[RunStatus], memory: Memory | None) -> RunTransaction | None:
    lock, lock_known = _lock_sql(statuses, now_sql())
    if memory is not None and memory.run is not None and memory.reader is not None:
        known = fetch_first(lock_known, [run_id, memory.rev])
        if known:
            stops_version, now = known[0]
            return RunTransaction(
                memory.run, memory.rev + 1, memory.version_id, now, memory.reader, memory.mark, stops_version or 0
            )
    found = fetch(lock, [run_id])
    if not found:
        return None
    stops_version, rev, version_id, now, *data = found[0]
    mark = tuple(data[len(RUN_FIXED) :])
    return RunTransaction(run_row(data), rev, version_id, now, Reader(run_id), mark, stops_version or 0)


def _is_anything(changes: Changes) -> bool:
    return bool(
        changes.events
        or changes.changed_steps
        or changes.new_steps
        or changes.values
        or changes.timers
        or changes.changed_scopes
        or changes.new_scopes
        or changes.dropped_overlays
        or changes.new_arrivals
        or changes.changed_arrivals
        or changes.new_approvals
        or changes.changed_approvals
        or changes.new_signals
        or changes.changed_signals
        or changes.artifacts
    )
