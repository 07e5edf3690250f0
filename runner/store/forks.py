"""Single statements about forks and moves, within a run's transaction. What they mean is the engine's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runner.engine.codec import INLINE_BYTES
from runner.engine.rows import RunRow, Stored
from runner.engine.slice import Changes
from runner.store.codec.stored import Blobs, put_stored, to_text
from runner.store.sql import execute, execute_many

_KEEP = "INSERT INTO runner_blob (run_id, digest, text, size) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"


def keep_snapshot(run: RunRow, changes: Changes) -> None:
    """Store what a fork took over, and the large values that its snapshot refers to."""
    assert run.snapshot is not None
    blobs: Blobs = {}
    columns = put_stored(run.snapshot, blobs)
    execute(
        "UPDATE runner_run SET snapshot = %s, snapshot_ref = %s, snapshot_size = %s WHERE id = %s", [*columns, run.id]
    )
    blobs |= {stored.content_digest(): stored for stored in _values(changes) if stored.size > INLINE_BYTES}
    if blobs:
        execute_many(_KEEP, [(run.id, digest, stored.text, stored.size) for digest, stored in blobs.items()])


def _values(changes: Changes) -> Iterator[Stored]:
    yield from (row.stored for row in changes.values)
    yield from (row.value for row in changes.new_signals)
    yield from (row.content for row in changes.artifacts)
    yield from (row.output for row in changes.new_steps if row.output is not None)


def bind_to_version(run_id: str, version_id: int, policy: dict[str, Any]) -> None:
    """Bind a run to another version of its flow, with that version's policy."""
    execute("UPDATE runner_run SET version_id = %s, policy = %s WHERE id = %s", [version_id, to_text(policy), run_id])
