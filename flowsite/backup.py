"""Copies of the SQLite file, taken before its tables change. Other databases have their own tools."""

import contextlib
import sqlite3
import time
from pathlib import Path

KEPT = 5


def back_up_sqlite(database: Path, folder: Path) -> Path:
    """Copy `database` into `folder` (it may be in use), keep the newest five, return the new copy."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    copy = folder / time.strftime(f"{database.stem}-%Y%m%dT%H%M%SZ.sqlite3", time.gmtime())
    draft = copy.with_suffix(".unfinished")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    with (
        contextlib.closing(sqlite3.connect(database)) as source,
        contextlib.closing(sqlite3.connect(draft)) as target,
    ):
        source.backup(target)
    draft.replace(copy)
    for old in sorted(folder.glob(f"{database.stem}-*.sqlite3"))[:-KEPT]:
        old.unlink()
    return copy
