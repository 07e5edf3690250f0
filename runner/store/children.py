"""What the tables know of runs and their child runs (runs of sub-flows). Questions only, each bounded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runner.engine.rows import Usage
from runner.models import Run
from runner.store.clock import now_sql
from runner.store.sql import fetch

_ENDED = "('succeeded', 'failed', 'canceled')"
_LIVE = "('active', 'awaiting_approval', 'paused')"


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended."""

    status: str
    result: Any
    error: dict[str, Any] | None
    usage: Usage


def run_exists(run_id: str) -> bool:
    """Whether there is a run with this id."""
    return bool(fetch("SELECT 1 FROM runner_run WHERE id = %s", [run_id]))


def end_of_run(run_id: str) -> RunEnd | None:
    """How a run ended; None if it has not, or does not exist."""
    run = Run.objects.filter(pk=run_id).exclude(ended_at=None).first()
    if run is None:
        return None
    usage = Usage(run.input_tokens, run.output_tokens, run.cost_micros, run.units)
    return RunEnd(run.status, run.value_of("result"), run.error, usage)


def starter_of(run_id: str) -> tuple[int | None, dict[str, Any]]:
    """Who started a run: the person's key, if it was one, and the actor."""
    run = Run.objects.only("started_by_id", "actor").get(pk=run_id)
    return run.started_by_id, run.actor


def untold_parents(limit: int) -> list[tuple[str, str, str]]:
    """Run, step run and child run where a step still waits for a child run that has ended."""
    found = fetch(
        "SELECT s.run_id, s.id, c.id FROM runner_steprun s JOIN runner_run c ON c.id = s.wait_key"
        f" WHERE s.status = 'waiting' AND s.waits_for = 'run' AND c.status IN {_ENDED} LIMIT %s",
        [limit],
    )
    return [(row[0], row[1], row[2]) for row in found]


def orphaned_runs(limit: int) -> list[str]:
    """Child runs that go on although the step that started them waits for them no longer."""
    found = fetch(
        "SELECT c.id FROM runner_run c JOIN runner_steprun s ON s.id = c.parent_step"
        f" WHERE c.parent_step IS NOT NULL AND c.status IN {_LIVE} AND s.status <> 'waiting' LIMIT %s",
        [limit],
    )
    return [row[0] for row in found]


def live_descendants(run_id: str) -> list[str]:
    """Child runs of a run, and theirs, that have not ended."""
    found = fetch(
        "WITH RECURSIVE below(id) AS (SELECT id FROM runner_run WHERE parent_run = %s"
        " UNION SELECT c.id FROM runner_run c JOIN below b ON c.parent_run = b.id)"
        f" SELECT r.id FROM runner_run r JOIN below b ON b.id = r.id WHERE r.status IN {_LIVE}",
        [run_id],
    )
    return [row[0] for row in found]


def live_work(run_id: str) -> list[str]:
    """Step runs of a run that a worker has, or may take at once."""
    found = fetch(
        "SELECT id FROM runner_steprun WHERE run_id = %s AND (status = 'running' AND lease_expires_at IS NOT NULL"
        f" OR status = 'pending' AND not_before <= {now_sql()})",
        [run_id],
    )
    return [row[0] for row in found]
