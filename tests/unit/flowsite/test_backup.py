"""The SQLite file is copied whole while it is in use, and only the newest copies are kept."""

import contextlib
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from flowsite import backup


def test_a_copy_holds_what_was_committed_while_another_connection_writes(tmp_path: Path) -> None:
    database = tmp_path / "flowsite.sqlite3"
    with contextlib.closing(sqlite3.connect(database)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("CREATE TABLE t (x)")
        writer.execute("INSERT INTO t VALUES (1)")
        writer.commit()
        writer.execute("INSERT INTO t VALUES (2)")  # not committed
        copy = backup.back_up_sqlite(database, tmp_path / "backups")
        writer.commit()
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT x FROM t").fetchall() == [(1,)]
    assert stat.S_IMODE(os.stat(copy).st_mode) == 0o600


def test_the_newest_five_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database, folder = tmp_path / "flowsite.sqlite3", tmp_path / "backups"
    database.touch()
    copies = []
    for second in range(8):
        monkeypatch.setattr(backup.time, "gmtime", lambda second=second: (2026, 1, 1, 0, 0, second, 0, 1, 0))
        copies.append(backup.back_up_sqlite(database, folder))
    assert sorted(folder.iterdir()) == copies[-backup.KEPT :]
