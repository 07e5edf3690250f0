"""What the database can do at most: one row changed and one added, committed for good, again and again, bare."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path


def commits_a_second(database_url: str, folder: Path, count: int) -> float:
    """Commits a second of one client that has nothing else to do."""
    if database_url.startswith("sqlite"):
        return _sqlite(folder / "limit.sqlite3", count)
    return _postgres(database_url, count)


def _sqlite(path: Path, count: int) -> float:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE IF NOT EXISTS r (id INTEGER PRIMARY KEY, v INTEGER)")
        connection.execute("CREATE TABLE IF NOT EXISTS e (id INTEGER PRIMARY KEY, r INTEGER, t TEXT)")
        connection.execute("INSERT OR IGNORE INTO r VALUES (1, 0)")
        began = time.perf_counter()
        for number in range(count):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("UPDATE r SET v = ? WHERE id = 1", (number,))
            connection.execute("INSERT INTO e (r, t) VALUES (1, 'step-complete')")
            connection.execute("COMMIT")
        return count / (time.perf_counter() - began)
    finally:
        connection.close()


def _postgres(url: str, count: int) -> float:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS limit_r (id int PRIMARY KEY, v int)")
        connection.execute("CREATE TABLE IF NOT EXISTS limit_e (id bigserial PRIMARY KEY, r int, t text)")
        connection.execute("INSERT INTO limit_r VALUES (1, 0) ON CONFLICT DO NOTHING")
        began = time.perf_counter()
        for number in range(count):
            with connection.transaction():
                connection.execute("UPDATE limit_r SET v = %s WHERE id = 1", (number,))
                connection.execute("INSERT INTO limit_e (r, t) VALUES (1, 'step-complete')")
        return count / (time.perf_counter() - began)
