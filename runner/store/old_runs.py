"""Which runs are old enough to be deleted, with the runs that belong to them. Deleting is purge.py's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runner.engine.statuses import RUN_ENDED
from runner.store.clock import now_sql
from runner.store.sql import fetch

_ENDED = tuple(sorted(status.value for status in RUN_ENDED))


@dataclass(frozen=True, slots=True)
class OldRun:
    """A run that ended long ago, and that no other run waited for. Times in milliseconds since the epoch."""

    id: str
    flow_id: str | None
    status: str
    ended_at: int
    steps: int
    events: int


def old_runs(
    *, older_than_ms: int, statuses: Sequence[str], flow_id: str | None = None, after: OldRun | None = None, limit: int
) -> list[OldRun]:
    """Runs that ended before so many milliseconds, the oldest first; `after`: go on behind this one.

    A run of a sub-flow is none of them as long as the run that started it is there: it goes with that one.
    """
    place = " AND (r.ended_at, r.id) > (%s, %s)" if after is not None else ""
    only = " AND r.flow_id = %s" if flow_id is not None else ""
    marks = ", ".join(["%s"] * len(statuses))
    found = fetch(
        "SELECT r.id, r.flow_id, r.status, r.ended_at, r.steps, r.seq FROM runner_run r"
        f" WHERE r.ended_at < {now_sql()} - %s AND r.status IN ({marks}){place}{only}"
        " AND NOT EXISTS (SELECT 1 FROM runner_run p WHERE p.id = r.parent_run)"
        " ORDER BY r.ended_at, r.id LIMIT %s",
        [
            older_than_ms,
            *statuses,
            *([after.ended_at, after.id] if after is not None else []),
            *([flow_id] if flow_id is not None else []),
            limit,
        ],
    )
    return [OldRun(*row) for row in found]


def family_of(run_id: str) -> list[tuple[str, bool]]:
    """A run and all that it and its sub-runs started, those that were started last first; whether each has ended."""
    marks = ", ".join(["%s"] * len(_ENDED))
    found = fetch(
        "WITH RECURSIVE family(id, status, depth) AS ("
        " SELECT id, status, depth FROM runner_run WHERE id = %s"
        " UNION SELECT c.id, c.status, c.depth FROM runner_run c JOIN family f ON c.parent_run = f.id)"
        f" SELECT id, status IN ({marks}) FROM family ORDER BY depth DESC, id",
        [run_id, *_ENDED],
    )
    return [(row[0], bool(row[1])) for row in found]
