"""What the sweeper asks of the tables: what is due, lost or unsigned. Each question is bounded, each answer small.

A question that takes something (hints, signatures) takes it in the same statement, so that any number of
sweepers may ask at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from runner.store.clock import now_sql
from runner.store.codec.stored import to_text
from runner.store.snapshots import sign_head
from runner.store.sql import execute, fetch
from runner.store.stops import RUN_IS_STOPPED

_LIVE = "('active', 'awaiting_approval', 'paused')"
#: Timers that a person's pause moves: they do not fire while it lasts.
_MOVED_BY_PAUSE = "('wait', 'approval', 'run_limit')"
#: The wait between two hints for one step run doubles up to this many milliseconds.
LONGEST_HINT_INTERVAL_MS = 64_000
DAY_MS = 24 * 3_600_000


@dataclass(frozen=True, slots=True)
class Due:
    """A row that something has to happen to: its id, its run, and the fence of a step run."""

    id: str
    run_id: str
    fence: int = 0


def take_due_hints(limit: int) -> list[tuple[str, str]]:
    """Step run and backend of pending steps that nobody has claimed for a while; their next turn comes later."""
    now = now_sql()
    lock = " FOR UPDATE OF s SKIP LOCKED" if connection.vendor == "postgresql" else ""
    with transaction.atomic():
        taken = fetch(
            # Materialized: planned into the update, the bounded question would be asked again for other rows.
            "WITH due AS MATERIALIZED (SELECT s.id FROM runner_steprun s JOIN runner_run r ON r.id = s.run_id"
            f" WHERE s.status = 'pending' AND s.hint_at <= {now} AND r.status = 'active'"
            f" AND NOT {RUN_IS_STOPPED}"  # what is stopped need not be handed on until it is released
            f" ORDER BY s.hint_at LIMIT %s{lock})"
            f" UPDATE runner_steprun SET dispatched_at = {now}, dispatch_count = dispatch_count + 1,"
            f" hint_at = {now} + CASE WHEN dispatch_count >= 5 THEN {LONGEST_HINT_INTERVAL_MS}"
            " ELSE 4000 << dispatch_count END"
            " WHERE id IN (SELECT id FROM due) AND status = 'pending' RETURNING id, backend",
            [limit],
        )
    return [(row[0], row[1]) for row in taken]


def expired_leases(limit: int, run_id: str | None = None) -> list[Due]:
    """Running step runs whose lease is over, the longest first."""
    only, params = _only_run("s", run_id)
    return _ask(
        "SELECT s.id, s.run_id, s.fence FROM runner_steprun s JOIN runner_run r ON r.id = s.run_id"
        f" WHERE s.status = 'running' AND s.lease_expires_at <= {now_sql()} AND r.status IN {_LIVE}{only}"
        " ORDER BY s.lease_expires_at LIMIT %s",
        [*params, limit],
    )


def due_timers(limit: int, run_id: str | None = None) -> list[Due]:
    """Armed timers whose time has come, the longest first."""
    only, params = _only_run("t", run_id)
    return _ask(
        "SELECT t.id, t.run_id, 0 FROM runner_timer t JOIN runner_run r ON r.id = t.run_id"
        f" WHERE t.status = 'armed' AND t.due_at <= {now_sql()} AND r.status IN {_LIVE}"
        f" AND NOT (r.status = 'paused' AND t.kind IN {_MOVED_BY_PAUSE}){only}"
        " ORDER BY t.due_at LIMIT %s",
        [*params, limit],
    )


def unsigned_runs(limit: int) -> list[str]:
    """Open runs whose newest signature is a day old."""
    found = _ask(
        f"SELECT id, id, 0 FROM runner_run WHERE status IN {_LIVE}"
        f" AND signed_at <= {now_sql()} - {DAY_MS} ORDER BY signed_at LIMIT %s",
        [limit],
    )
    return [due.run_id for due in found]


def sign_open_run(run_id: str) -> bool:
    """Sign the newest event of an open run, unless somebody else has just done it."""
    now = now_sql()
    with transaction.atomic():
        found = fetch(
            f"UPDATE runner_run SET signed_at = {now} WHERE id = %s AND status IN {_LIVE}"
            f" AND signed_at <= {now} - {DAY_MS} RETURNING seq, head_hash, signed_at",
            [run_id],
        )
        if not found:
            return False
        seq, head_hash, at = found[0]
        sign_head(run_id, seq, head_hash, at)
    return True


def beat(name: str, kind: str, detail: dict[str, object] | None = None) -> None:
    """Note that a process is alive."""
    now = now_sql()
    execute(
        "INSERT INTO runner_heartbeat (name, kind, at, started_at, detail)"
        f" VALUES (%s, %s, {now}, {now}, %s)"
        " ON CONFLICT (name) DO UPDATE SET at = excluded.at, detail = excluded.detail",
        [name, kind, to_text(detail or {})],
    )


def forget_old_heartbeats() -> None:
    """Delete the signs of life of processes that have been gone for a day."""
    execute(f"DELETE FROM runner_heartbeat WHERE at < {now_sql()} - {DAY_MS}")


def heartbeat_age_ms(kind: str) -> int | None:
    """Milliseconds since any process of this kind was seen alive; None if none ever was."""
    age = fetch(f"SELECT {now_sql()} - max(at) FROM runner_heartbeat WHERE kind = %s", [kind])[0][0]
    return None if age is None else max(0, int(age))


def oldest_due_step_ms() -> int | None:
    """For how many milliseconds the longest waiting step of an active run has been due; None if none is.

    Runs that an admin has stopped wait on purpose: they do not count.
    """
    now = now_sql()
    age = fetch(
        f"SELECT {now} - min(CASE WHEN s.not_before > s.created_at THEN s.not_before ELSE s.created_at END)"
        " FROM runner_steprun s JOIN runner_run r ON r.id = s.run_id"
        f" WHERE s.status = 'pending' AND s.not_before <= {now} AND r.status = 'active'"
        f" AND NOT {RUN_IS_STOPPED}"
    )[0][0]
    return None if age is None else max(0, int(age))


def _only_run(alias: str, run_id: str | None) -> tuple[str, list[str]]:
    return ("", []) if run_id is None else (f" AND {alias}.run_id = %s", [run_id])


def _ask(statement: str, params: list[Any]) -> list[Due]:
    return [Due(*row) for row in fetch(statement, params)]
