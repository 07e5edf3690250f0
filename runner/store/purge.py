"""Deleting a run for good: a ticket that stays, then every row of the run, in one transaction."""

from __future__ import annotations

from django.db import connection, transaction

from runner.engine.errors import RunError
from runner.engine.events import Actor
from runner.engine.statuses import RUN_ENDED
from runner.store.clock import now_sql
from runner.store.codec.stored import to_text

#: Tables with rows of runs, those that are referred to last.
_TABLES = (
    "runner_notice",
    "runner_routing",
    "runner_decision",
    "runner_approval",
    "runner_artifact",
    "runner_timer",
    "runner_signal",
    "runner_arrival",
    "runner_statevalue",
    "runner_scope",
    "runner_snapshot",
    "runner_signedhead",
    "runner_event",
    "runner_steplog",
    "runner_steprun",
    "runner_blob",
    "runner_runfact",
    "runner_runword",
)


def purge_run(run_id: str, *, actor: Actor, reason: str) -> dict[str, int]:
    """Delete an ended run and all that belongs to it; gives the rows deleted from each table.

    What is left is the ticket: who, why, when, the hash of the last event, and the counts.
    Raises RunError: `not_found`, `run_busy` for a run that has not ended, `validation_failed` without a reason.
    """
    if not reason.strip():
        raise RunError("validation_failed", "Say why the run is deleted: the ticket keeps it.")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE runner_run SET rev = rev + 1 WHERE id = %s RETURNING status, head_hash, {now_sql()}", [run_id]
        )
        found = cursor.fetchall()
        if not found:
            raise RunError("not_found", f"There is no run {run_id!r}.")
        status, head_hash, now = found[0]
        if status not in {ended.value for ended in RUN_ENDED}:
            raise RunError("run_busy", f"The run is {status}. Cancel it first, then delete it.")
        counts = {}
        for table in _TABLES:
            cursor.execute(f"SELECT count(*) FROM {table} WHERE run_id = %s", [run_id])
            counts[table.removeprefix("runner_")] = int(cursor.fetchone()[0])
        cursor.execute(
            "INSERT INTO runner_purgeticket (run_id, head_hash, counts, actor, reason, at)"
            " VALUES (%s, %s, %s, %s, %s, %s)",
            [run_id, head_hash, to_text(counts), to_text(actor), reason, now],
        )
        for table in _TABLES:
            cursor.execute(f"DELETE FROM {table} WHERE run_id = %s", [run_id])
        cursor.execute("DELETE FROM runner_run WHERE id = %s", [run_id])
    return counts
