"""Snapshots of a run, by reference, and the signing of its newest event. A rebuilding begins at one: see past.py."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings

from editor.language.canonical import digest_of_text
from runner import signing
from runner.engine.rows import ROOT_SCOPE, RunRow
from runner.engine.scopes import MERGED_KINDS
from runner.engine.statuses import RunStatus
from runner.store.codec.stored import to_text
from runner.store.sql import execute, execute_many, fetch

#: A snapshot of more values, or of more bytes in rows, than this names none: rebuilding begins at an earlier one.
MOST_VALUES = 2_000
MOST_BYTES = 2**20

_LIVE_STEPS = (
    "SELECT path, visit, attempt, input_tokens, output_tokens, cost_micros, units FROM runner_steprun"
    " WHERE run_id = %s AND status IN ('pending', 'running', 'waiting') ORDER BY created_at, id"
)
_KINDS = ", ".join(f"'{kind}'" for kind in MERGED_KINDS)
_VALUES = (
    "SELECT v.scope, v.kind, v.key, v.value, v.value_ref, v.value_size, v.ops, v.inherited FROM runner_statevalue v"
    " JOIN runner_scope s ON s.run_id = v.run_id AND s.n = v.scope"
    f" WHERE v.run_id = %s AND v.kind IN ({_KINDS}) AND s.status IN ('open', 'settling')"
    " ORDER BY v.scope, v.kind, v.key LIMIT %s"
)
_BLOB = "INSERT INTO runner_blob (run_id, digest, text, size) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"
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
    """Store what a run is now: its status and use, its live step runs and its values, each value by its digest."""
    steps = [[*row[:3], [*row[3:]]] for row in fetch(_LIVE_STEPS, [run.id])]
    refs = {
        "status": run.status.value,
        "opened": run.scopes,
        "usage": run.usage.as_json(),
        "steps": steps,
        "values": _values(run),
    }
    execute(_SNAPSHOT, [run.id, run.seq, now, to_text(refs)])


def _values(run: RunRow) -> list[list[Any]] | None:
    """Place, digest, size, writes, and whether inherited, of each value; None: too many, or hardly any history yet."""
    if run.seq < settings.FLOWSITE["SNAPSHOT_EVENTS"]:
        return None
    rows = fetch(_VALUES, [run.id, MOST_VALUES + 1])
    if len(rows) > MOST_VALUES:
        return None
    found, texts, total = [], {}, 0
    for scope, kind, key, text, ref, size, ops, inherited in rows:
        # The writes of the top level are merged into nothing any more.
        kept_ops = ops if scope != ROOT_SCOPE else None
        total += (size if ref is None else 0) + len(kept_ops or "")
        digest = ref
        if ref is None:
            digest = digest_of_text(text)
            texts[digest] = (text, size)
        found.append([scope, kind, key, digest, size, json.loads(kept_ops) if kept_ops else None, bool(inherited)])
    if total > MOST_BYTES:
        return None
    if texts:
        execute_many(_BLOB, [(run.id, digest, text, size) for digest, (text, size) in texts.items()])
    return found


def sign_head(run_id: str, seq: int, head_hash: str, now: int) -> None:
    """Sign the newest event of a run with the key that lies outside the database."""
    signature, key_id = signing.sign(run_id, seq, head_hash)
    execute(_SIGNED_HEAD, [run_id, seq, head_hash, signature, key_id, now])
