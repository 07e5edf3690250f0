"""Writes by which words a run is found, in the transaction that makes the run."""

from __future__ import annotations

from collections.abc import Sequence

from runner.store.sql import execute_many


def write_words(run_id: str, started_at: int, words: Sequence[str]) -> None:
    """Keep the words of a new run; `started_at` is in milliseconds."""
    if words:
        execute_many(
            "INSERT INTO runner_runword (run_id, word, started_at) VALUES (%s, %s, %s)",
            [(run_id, word, started_at) for word in words],
        )
