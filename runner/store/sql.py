"""Runs hand-written statements. Written with `%s` marks, they are the same text for every database.

They go to the driver directly: with a few short statements for each step, Django's cursor would cost as much
as the statements themselves. Where somebody watches the queries, Django's cursor is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.db import connection

Params = Sequence[Any]


def fetch(statement: str, params: Params = ()) -> list[tuple[Any, ...]]:
    """Run a statement and give all its rows."""
    with _Cursor() as cursor:
        cursor.execute(_written(statement), params)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def execute(statement: str, params: Params = ()) -> int:
    """Run a statement; gives the number of rows it touched."""
    with _Cursor() as cursor:
        cursor.execute(_written(statement), params)
        return int(cursor.rowcount)


def execute_many(statement: str, rows: Sequence[Params]) -> int:
    """Run a statement for each of these rows; gives the number of rows touched in all."""
    with _Cursor() as cursor:
        cursor.executemany(_written(statement), rows)
        return int(cursor.rowcount)


class _Cursor:
    """A cursor of the driver, or Django's where queries are watched. Errors become Django's either way."""

    __slots__ = ("_cursor",)

    def __enter__(self) -> Any:
        if _is_watched():
            self._cursor: Any = connection.cursor()
            return self._cursor
        connection.ensure_connection()
        connection.wrap_database_errors.__enter__()
        self._cursor = connection.connection.cursor()
        return self._cursor

    def __exit__(self, *error: Any) -> None:
        self._cursor.close()
        connection.wrap_database_errors.__exit__(*error)


def _is_watched() -> bool:
    return bool(connection.queries_logged or connection.execute_wrappers)


def _written(statement: str) -> str:
    """The statement as the cursor in use expects it."""
    if connection.vendor == "sqlite" and not _is_watched():
        return _with_question_marks(statement)
    return statement


@lru_cache(maxsize=1024)
def _with_question_marks(statement: str) -> str:
    return statement.replace("%s", "?").replace("%%", "%")
