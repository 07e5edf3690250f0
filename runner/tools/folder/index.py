"""The index of a folder: one SQLite file beside its locks. It holds nothing that the folder cannot give again.

Whoever has the file open holds the `open` lock shared; whoever throws it away holds it alone. Whoever changes the
index holds the `write` lock, taken before the other. So a file is never removed under somebody who reads it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from runner.tools.folder.locking import locked
from runner.tools.folder.places import Folder

VERSION = 1
"""Raised when texts, passages or tables come out otherwise: every index is then built anew."""

PASSAGE_BITS = 20
"""The number of a passage is that of its document, shifted by so many bits, plus its place in the document: a rank of
passages can then be narrowed to documents without looking up each."""

logger = logging.getLogger("runner.tools.folder")

_SCHEMA = """
CREATE TABLE about (made_for TEXT NOT NULL, made_as TEXT NOT NULL);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL, seen_ns INTEGER NOT NULL, digest TEXT NOT NULL, skipped TEXT, title TEXT,
    modified TEXT, modified_from TEXT, passages INTEGER NOT NULL
);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
    title TEXT NOT NULL, heading TEXT NOT NULL, body TEXT NOT NULL, signs TEXT NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5 (
    title, heading, body, signs, content = 'passages', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
"""


def has_full_text_search() -> bool:
    """Whether this Python's SQLite has FTS5."""
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5 (body)")
        except sqlite3.OperationalError:
            return False
    return True


class _Stamp(NamedTuple):
    """For which folder and version an index was made, and which of all that were made it is."""

    made_for: str
    made_as: str


_NOTHING = _Stamp("", "")


class Index:
    """The index file of one folder, and the ways to open it."""

    def __init__(self, folder: Folder, indexes: Path) -> None:
        self.folder = folder
        self.path = indexes / f"{folder.name}.sqlite3"
        self._made_for = _made_for(folder)
        self._seen = _NOTHING

    @contextmanager
    def writing(self, go_on: Callable[[], None]) -> Iterator[sqlite3.Connection]:
        """The one connection that may change the index; what another configuration or version made is thrown away.

        Raises sqlite3.DatabaseError where the file is broken.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(self._lock("write"), go_on=go_on):
            if not self._is_ours(go_on):
                self._make(go_on)
            with self._opened(go_on) as connection:
                yield connection

    @contextmanager
    def reading(self, go_on: Callable[[], None]) -> Iterator[sqlite3.Connection | None]:
        """A connection to read with, or None while there is no index. Raises sqlite3.DatabaseError."""
        if not self.path.exists():
            yield None
            return
        with self._opened(go_on) as connection:
            yield connection if self._seen.made_for == self._made_for else None

    def throw_away(self, go_on: Callable[[], None]) -> None:
        """Remove the broken index that was opened last, once nobody has it open; not what another made in its place."""
        broken = self._seen
        with locked(self._lock("write"), go_on=go_on):
            if not self._is_ours(go_on) or self._seen == broken:
                self._remove(go_on)

    @contextmanager
    def _opened(self, go_on: Callable[[], None]) -> Iterator[sqlite3.Connection]:
        self._seen = _NOTHING
        with (
            locked(self._lock("open"), shared=True, go_on=go_on),
            closing(sqlite3.connect(self.path, timeout=20, isolation_level=None)) as connection,
        ):
            connection.execute("PRAGMA page_size = 16384")  # of a new file: a search reads long runs
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -32768")  # KiB
            self._seen = _stamp(connection)
            yield connection

    def _is_ours(self, go_on: Callable[[], None]) -> bool:
        if not self.path.exists():
            return False
        try:
            with self._opened(go_on):
                return self._seen.made_for == self._made_for
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise
            logger.warning("The index %s is broken (%s); it is built anew.", self.path.name, error)
            return False

    def _make(self, go_on: Callable[[], None]) -> None:
        self._remove(go_on)
        with self._opened(go_on) as connection:
            connection.executescript(f"BEGIN; {_SCHEMA}")
            connection.execute("INSERT INTO about VALUES (?, ?)", (self._made_for, uuid.uuid4().hex))
            connection.execute("COMMIT")

    def _remove(self, go_on: Callable[[], None]) -> None:
        with locked(self._lock("open"), go_on=go_on):
            for suffix in ("", "-wal", "-shm", "-journal"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def _lock(self, name: str) -> Path:
        return self.path.with_suffix(f".{name}.lock")


def _stamp(connection: sqlite3.Connection) -> _Stamp:
    try:
        found = connection.execute("SELECT made_for, made_as FROM about").fetchone()
    except sqlite3.OperationalError as error:
        if "no such" in str(error):
            return _NOTHING
        raise
    return _Stamp(*found) if found else _NOTHING


def _made_for(folder: Folder) -> str:
    told = json.dumps([VERSION, str(folder.root), sorted(folder.only)])
    return hashlib.sha256(told.encode()).hexdigest()
