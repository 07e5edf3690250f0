"""Remembers that the database was prepared for this very code: a warm start need not look again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

CODE_FOLDERS = ("flowsite", "editor", "runner")


class PreparationStamp:
    """The stamp of one SQLite file: valid while code and migrations are those it was made for."""

    def __init__(self, root: Path, var: Path) -> None:
        self.root = root
        self.database = var / "flowsite.sqlite3"
        self.path = var / "prepared.json"

    def is_valid(self) -> bool:
        """Whether nothing needs to be prepared."""
        try:
            return bool(json.loads(self.path.read_text()) == self._current())
        except (OSError, ValueError, sqlite3.Error):
            return False

    def write(self) -> None:
        """Note that the database has just been prepared."""
        self.path.write_text(json.dumps(self._current()))

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)

    def _current(self) -> dict[str, object]:
        return {"code": self._code_digest(), "migrations": self._applied_migrations()}

    def _code_digest(self) -> str:
        content = hashlib.sha256((self.root / "requirements.txt").read_bytes())
        for folder in CODE_FOLDERS:
            for path, status in _files(self.root / folder):
                content.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0".encode())
        return content.hexdigest()

    def _applied_migrations(self) -> list[int]:
        with contextlib.closing(sqlite3.connect(f"file:{quote(str(self.database))}?mode=ro", uri=True)) as connection:
            row = connection.execute("SELECT count(*), max(id) FROM django_migrations").fetchone()
            return [int(number) for number in row]


def _files(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(place, name)
            yield path, os.stat(path)
