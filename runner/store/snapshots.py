"""Snapshots of a run, by reference, and the signing of its newest event. Rebuilding from them is not here."""

from __future__ import annotations

from django.conf import settings

from runner import signing
from runner.engine.rows import RunRow
from runner.engine.statuses import RunStatus
from runner.store.codec.stored import to_text
from runner.store.sql import execute, fetch

#: A snapshot of more values than this names none of them: rebuilding begins at an earlier one.
MOST_VALUES = 2_000

_LIVE_STEPS = (
    "SELECT id FROM runner_steprun"
    " WHERE run_id = %s AND status IN ('pending', 'running', 'waiting') ORDER BY created_at, id"
)
_OPEN_SCOPES = "SELECT n FROM runner_scope WHERE run_id = %s AND status IN ('open', 'settling') ORDER BY n"
_VALUES = (
    "SELECT v.scope, v.kind, v.key, v.seq FROM runner_statevalue v"
    " JOIN runner_scope s ON s.run_id = v.run_id AND s.n = v.scope"
    " WHERE v.run_id = %s AND s.status IN ('open', 'settling') ORDER BY v.scope, v.kind, v.key LIMIT %s"
)
_SNAPSHOT = (
    "INSERT INTO runner_snapshot (run_id, seq, at, refs) VALUES (%s, %s, %s, %s) ON CONFLICT (run_id, seq) DO NOTHING"
)
_SIGNED_HEAD = (
    "INSERT INTO runner_signedhead (run_id, seq, hash, signature, key_id, at) VALUES (%s, %s, %s, %s, %s, %s)"
    " ON CONFLICT (run_id, seq, key_id) DO NOTHING"
)


def is_due(run: RunRow, seq_before: int) -> bool:
    """Whether a snapshot follows: so many events after the last one, and whenever the run stops."""
    every = settings.FLOWSITE["SNAPSHOT_EVENTS"]
    stopped = run.status is not RunStatus.ACTIVE and run.seq > seq_before
    return stopped or run.seq // every > seq_before // every


def take_snapshot(run: RunRow, now: int) -> None:
    """Store what lives in a run now: its step runs, scopes and values, each by reference.

    A value's reference is its place and the number of the newest event when it was written.
    """
    steps = [row[0] for row in fetch(_LIVE_STEPS, [run.id])]
    scopes = [row[0] for row in fetch(_OPEN_SCOPES, [run.id])]
    values = [list(row) for row in fetch(_VALUES, [run.id, MOST_VALUES + 1])]
    refs = {"steps": steps, "scopes": scopes, "values": values if len(values) <= MOST_VALUES else None}
    execute(_SNAPSHOT, [run.id, run.seq, now, to_text(refs)])


def sign_head(run_id: str, seq: int, head_hash: str, now: int) -> None:
    """Sign the newest event of a run with the key that lies outside the database."""
    signature, key_id = signing.sign(run_id, seq, head_hash)
    execute(_SIGNED_HEAD, [run_id, seq, head_hash, signature, key_id, now])
