"""Writes by what a run is found, in the transaction that makes it so: values of its inputs, what it failed with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from runner.engine.rows import RunRow
from runner.engine.statuses import RUN_ENDED, RunStatus
from runner.models.facts import ERROR
from runner.store.codec.stored import from_text
from runner.store.sql import execute, fetch
from runner.store.words import words_in
from runner.store.writer import insert_sql

Fact = tuple[str, str, str]
"""Kind, key, value."""
MOST_ERROR_WORDS = 24
READ_STEPS, READ_CHARS = 5, 1_000
"""So many failed steps, and so much of each message, give words."""

_FAILED_FOR_GOOD = (
    " FROM runner_steprun s WHERE s.run_id = %s AND s.status IN ('failed', 'budget_exhausted')"
    " AND NOT EXISTS (SELECT 1 FROM runner_steprun l WHERE l.run_id = s.run_id AND l.path = s.path"
    " AND l.visit = s.visit AND l.attempt > s.attempt)"
)
_ERRORS = f"SELECT s.error{_FAILED_FOR_GOOD} ORDER BY s.path, s.visit, s.attempt LIMIT {READ_STEPS + 1}"
_COUNT = f"SELECT count(*){_FAILED_FOR_GOOD}"


def write_facts(run_id: str, started_at: int, facts: Sequence[Fact]) -> None:
    """Keep by what a run is found; `started_at` is in milliseconds. What is kept already stays."""
    if facts:
        names = ("kind", "key", "value", "started_at")
        statement = insert_sql("runner_runfact", names, len(facts), "ON CONFLICT DO NOTHING")
        execute(statement, [value for fact in facts for value in (run_id, *fact, started_at)])


def note_end(run: RunRow, was: RunStatus) -> None:
    """Keep what a run that has just ended failed with, and how many of its steps, if it ended well over failed ones.

    `was`: its status before. A failed run that goes on is no longer found by what it had failed with.
    """
    if run.status is RunStatus.FAILED:
        write_facts(run.id, run.started_at, _words([run.error or {}]))
    elif run.status is RunStatus.SUCCEEDED:
        errors = [from_text(text) or {} for (text,) in fetch(_ERRORS, [run.id])]
        if errors:
            count = len(errors) if len(errors) <= READ_STEPS else fetch(_COUNT, [run.id])[0][0]
            execute("UPDATE runner_run SET failed_steps = %s WHERE id = %s", [count, run.id])
            write_facts(run.id, run.started_at, _words(errors[:READ_STEPS]))
    elif was in RUN_ENDED and run.status not in RUN_ENDED:
        execute("DELETE FROM runner_runfact WHERE run_id = %s AND kind = %s", [run.id, ERROR])


def _words(errors: Iterable[dict[str, Any]]) -> list[Fact]:
    texts = (f"{error.get('code', '')} {str(error.get('message', ''))[:READ_CHARS]}" for error in errors)
    return [(ERROR, "", word) for word in words_in("\n".join(texts))[:MOST_ERROR_WORDS]]
