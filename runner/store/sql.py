"""Runs hand-written statements. Written with `%s` marks, they are the same text for every database.

They go to the driver directly: with a few short statements for each step, Django's cursor would cost as much
as the statements themselves. Where somebody watches the queries, Django's cursor is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections

Params = Sequence[Any]
T = TypeVar("T")


def fetch(statement: str, params: Params = ()) -> list[tuple[Any, ...]]:
    """Run a statement and give all its rows."""

    def run(cursor: Any, written: str) -> list[tuple[Any, ...]]:
        cursor.execute(written, params)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows

    return _with_cursor(statement, run)


def execute(statement: str, params: Params = ()) -> int:
    """Run a statement; gives the number of rows it touched."""

    def run(cursor: Any, written: str) -> int:
        cursor.execute(written, params)
        return int(cursor.rowcount)

    return _with_cursor(statement, run)


def execute_many(statement: str, rows: Sequence[Params]) -> int:
    """Run a statement for each of these rows; gives the number of rows touched in all."""

    def run(cursor: Any, written: str) -> int:
        cursor.executemany(written, rows)
        return int(cursor.rowcount)

    return _with_cursor(statement, run)


def vendor() -> str:
    """Which database is connected: `sqlite` or `postgresql`."""
    return str(connections[DEFAULT_DB_ALIAS].vendor)


def _with_cursor(statement: str, run: Callable[[Any, str], T]) -> T:
    """Give `run` a cursor and the statement as that cursor expects it. Errors are Django's either way."""
    # Looked up once: Django's proxy for the connection looks it up for each attribute.
    database = connections[DEFAULT_DB_ALIAS]
    if database.force_debug_cursor or database.execute_wrappers:
        with database.cursor() as watched:
            return run(watched, statement)
    if database.connection is None:
        database.ensure_connection()
    with database.wrap_database_errors:
        cursor = database.connection.cursor()
        try:
            return run(cursor, _with_question_marks(statement) if database.vendor == "sqlite" else statement)
        finally:
            cursor.close()


@lru_cache(maxsize=1024)
def _with_question_marks(statement: str) -> str:
    return statement.replace("%s", "?").replace("%%", "%")
