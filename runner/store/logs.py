"""Writing what attempts log. Reading it is the pages' and the API's part, by the model."""

from __future__ import annotations

from typing import Any

from runner.store.clock import now_sql
from runner.store.codec.stored import to_text
from runner.store.sql import execute


def write_log(run_id: str, step_id: str, fence: int, lines: list[dict[str, Any]], dropped: int) -> None:
    """Write all lines of a claim. An earlier, shorter state of the same log never takes the place of a later one."""
    execute(
        "INSERT INTO runner_steplog (run_id, step_id, fence, lines, dropped, at)"
        f" VALUES (%s, %s, %s, %s, %s, {now_sql()}) ON CONFLICT (step_id, fence) DO UPDATE"
        " SET lines = excluded.lines, dropped = excluded.dropped, at = excluded.at"
        " WHERE length(excluded.lines) >= length(runner_steplog.lines) AND excluded.dropped >= runner_steplog.dropped",
        [run_id, step_id, fence, to_text(lines), dropped],
    )
