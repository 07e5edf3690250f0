"""Runs hand-written statements. Written with `%s` marks, they are the same text for every database.

They go to the driver directly: with a few short statements for each step, Django's cursor would cost as much
as the statements themselves. Where somebody watches the queries, Django's cursor is used.

Postgres answers each message in a turn of its own. What `send` and `fetch_first` are given goes there in one turn,
as statements that the server has parsed once (prepared ones): a step needs three turns, not seven.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Writing:
    """A statement that is run for each of some rows of values. `guarded`: each run must touch exactly one row."""

    statement: str
    rows: Sequence[Params]
    guarded: bool = False


def send(writings: Sequence[Writing]) -> list[int]:
    """Run statements that write, in this order; gives the number of rows that each touched.

    None of them may depend on an answer: where one fails, those after it are not run.
    """
    database = connections[DEFAULT_DB_ALIAS]
    if database.force_debug_cursor or database.execute_wrappers:
        return [_run_watched(one) for one in writings]
    if database.connection is None:
        database.ensure_connection()
    with database.wrap_database_errors:
        if database.vendor == "postgresql":
            return _send_together(database.connection, writings)
        with closing(database.connection.cursor()) as cursor:
            return [_run(cursor, _with_question_marks(one.statement), one.rows) for one in writings]


def fetch_first(statement: str, params: Params = ()) -> list[tuple[Any, ...]]:
    """Run the first statement of a transaction and give its rows; the transaction begins in the same turn."""
    database = connections[DEFAULT_DB_ALIAS]
    is_watched = database.force_debug_cursor or database.execute_wrappers
    if database.vendor != "postgresql" or is_watched or database.connection is None:
        return fetch(statement, params)
    with database.wrap_database_errors:
        cursor = _server_cursor(database.connection)
        with database.connection.pipeline():
            cursor.execute(_with_numbers(statement), _as_texts(params))
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def _send_together(connection: Any, writings: Sequence[Writing]) -> list[int]:
    cursors = []
    with connection.pipeline():
        for one in writings:
            cursor = _server_cursor(connection)
            cursors.append(cursor)
            _run(cursor, _with_numbers(one.statement), [_as_texts(row) for row in one.rows])
    return [int(cursor.rowcount) for cursor in cursors]


def _run(cursor: Any, written: str, rows: Sequence[Params]) -> int:
    if len(rows) == 1:
        cursor.execute(written, rows[0])
    else:
        cursor.executemany(written, rows)
    return int(cursor.rowcount)


def _run_watched(one: Writing) -> int:
    with connections[DEFAULT_DB_ALIAS].cursor() as watched:
        return _run(watched, one.statement, one.rows)


def _server_cursor(connection: Any) -> Any:
    """A cursor that leaves values to the server: Django's writes them into the text, which is then parsed anew."""
    from psycopg import RawCursor  # not needed where the database is SQLite

    return RawCursor(connection)


def _as_texts(params: Params) -> list[str | None]:
    """Values as texts, whose types the server takes from the columns: a prepared statement belongs to its types."""
    return [value if value is None or type(value) is str else str(value) for value in params]


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


@lru_cache(maxsize=1024)
def _with_numbers(statement: str) -> str:
    """The statement with `$1`, `$2` … for its values: psycopg would look for its own marks each time anew."""
    first, *rest = statement.split("%s")
    numbered = "".join(f"${place}{part}" for place, part in enumerate(rest, 1))
    return (first + numbered).replace("%%", "%")
