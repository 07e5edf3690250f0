"""Bringing an index up to date with its folder: only what is new, changed or gone is touched."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from runner.tools.abort import Aborted
from runner.tools.folder.documents import Document, as_document, digest_of, file_date, read_bytes
from runner.tools.folder.extract import NotReadableError
from runner.tools.folder.index import PASSAGE_BITS, Index
from runner.tools.folder.passages import cut_passages
from runner.tools.folder.query import signs_of
from runner.tools.folder.scanning import FileState, Scan, scan

GoOn = Callable[[], None]
"""Called between documents; raises Aborted once the work shall stop."""

_BATCH_BYTES = 8 * 1024 * 1024
"""Bytes of documents after which is committed: so much work a kill costs at most."""
_TICK_NS = 2_000_000_000
"""A file that changed so shortly before it was read may have changed again within the same tick of its clock."""
_TIDY_FROM = 500
"""So many new documents make it worth while to join the parts of the full-text index."""


@dataclass(slots=True)
class Counts:
    """What was found in a folder and done about it, in documents; `skipped` by reason."""

    documents: int = 0
    passages: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    skipped: dict[str, int] = field(default_factory=dict)


class _Known(NamedTuple):
    id: int
    state: FileState
    seen_ns: int
    digest: str


def is_fresh(connection: sqlite3.Connection, found: Scan) -> bool:
    """Whether the index says what the folder holds."""
    rows = connection.execute("SELECT source, size, mtime_ns, ctime_ns, seen_ns FROM documents").fetchall()
    files = found.files
    return len(rows) == len(files) and all(
        files.get(row[0]) == row[1:4] and abs(row[4] - row[3]) >= _TICK_NS for row in rows
    )


def refresh(index: Index, go_on: GoOn) -> Counts:
    """Bring the index up to date. Where `go_on` stops it, what was done stays done.

    Raises OSError if the folder cannot be read, sqlite3.DatabaseError if the index is broken.
    """
    with index.writing(go_on) as connection:
        found = scan(index.folder, go_on)
        counts = Counts()
        writer = _Writer(connection, counts)
        try:
            known = _known(connection)
            for source in sorted(known.keys() - found.files.keys()):
                writer.remove(known[source])
                counts.removed += 1
            for source in sorted(found.files):
                go_on()
                before = known.get(source)
                if before is None or not _is_unchanged(before, found.files[source]):
                    _take(writer, index.folder.root, source, before, found.files[source], go_on)
        except Aborted:
            writer.keep()  # it comes between documents, so what was done is worth keeping
            raise
        writer.finish()
        return _count(connection, counts, found)


def _take(writer: _Writer, root: Path, source: str, before: _Known | None, state: FileState, go_on: GoOn) -> None:
    seen_ns = time.time_ns()
    digest, refused, document = "", "", None
    try:
        data, about = read_bytes(root, source)
        state = (about.st_size, about.st_mtime_ns, about.st_ctime_ns)
        digest = digest_of(data)
        if before is not None and before.digest == digest:
            writer.touch(before, state, seen_ns)
            return
        writer.done += len(data)
        document = as_document(source, data, about.st_mtime_ns, go_on)
    except NotReadableError as error:
        refused = error.reason
    except FileNotFoundError:
        return
    except OSError:
        refused = "unreadable"
    if before is not None:
        writer.remove(before)
    writer.counts.changed += before is not None
    writer.counts.added += before is None
    writer.add(source, state, seen_ns, digest, refused, document)


class _Writer:
    """Writes documents into the index, in transactions of some documents each."""

    def __init__(self, connection: sqlite3.Connection, counts: Counts) -> None:
        self.connection = connection
        self.counts = counts
        self.done = 0

    def remove(self, known: _Known) -> None:
        """Take a document out."""
        own = (known.id << PASSAGE_BITS, ((known.id + 1) << PASSAGE_BITS) - 1)
        self._begin()
        self.connection.execute(
            "INSERT INTO words (words, rowid, title, heading, body, signs)"
            " SELECT 'delete', id, title, heading, body, signs FROM passages WHERE id BETWEEN ? AND ?",
            own,
        )
        self.connection.execute("DELETE FROM passages WHERE id BETWEEN ? AND ?", own)
        self.connection.execute("DELETE FROM documents WHERE id = ?", (known.id,))

    def touch(self, known: _Known, state: FileState, seen_ns: int) -> None:
        """Note that a file's times are others, and its bytes the same."""
        self._begin()
        self.connection.execute(
            "UPDATE documents SET size = ?, mtime_ns = ?, ctime_ns = ?, seen_ns = ?,"
            " modified = CASE modified_from WHEN 'file' THEN ? ELSE modified END WHERE id = ?",
            (*state, seen_ns, file_date(state[1]), known.id),
        )

    def add(
        self, source: str, state: FileState, seen_ns: int, digest: str, refused: str, document: Document | None
    ) -> None:
        """Put a document in, or note why it is none."""
        self._begin()
        passages = _passages(document) if document else []
        about = (document.title, document.modified, document.modified_from) if document else (None, None, None)
        cursor = self.connection.execute(
            "INSERT INTO documents (source, size, mtime_ns, ctime_ns, seen_ns, digest, skipped, title, modified,"
            " modified_from, passages) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (source, *state, seen_ns, digest, refused or None, *about, len(passages)),
        )
        first = (cursor.lastrowid or 0) << PASSAGE_BITS
        self.connection.executemany(
            "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(first + place, *one) for place, one in enumerate(passages)],
        )
        self.connection.executemany(
            "INSERT INTO words (rowid, title, heading, body, signs) VALUES (?, ?, ?, ?, ?)",
            [(first + place, *one[2:]) for place, one in enumerate(passages)],
        )
        if self.done >= _BATCH_BYTES:
            self.keep()

    def keep(self) -> None:
        """Commit what was done so far."""
        self.done = 0
        if self.connection.in_transaction:
            self.connection.execute("COMMIT")

    def finish(self) -> None:
        """Commit, and tidy up after many changes."""
        self.keep()
        if self.counts.added + self.counts.changed >= _TIDY_FROM:
            self.connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        if self.counts.added + self.counts.changed + self.counts.removed:
            self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _begin(self) -> None:
        if not self.connection.in_transaction:
            self.connection.execute("BEGIN IMMEDIATE")


def _passages(document: Document) -> list[tuple[int, int, str, str, str, str]]:
    """The passages of a document, as the index keeps them: start, end, title, heading, body, signs."""
    text = document.extract.text
    named = f"{document.title}\n{document.source}"  # names of files and folders say what is in them
    found = []
    for one in cut_passages(text, document.extract.headings, document.extract.body):
        body = text[one.start : one.end]
        found.append((one.start, one.end, named, " › ".join(one.headings), body, signs_of(body)))
    return found


def _known(connection: sqlite3.Connection) -> dict[str, _Known]:
    rows = connection.execute("SELECT source, id, size, mtime_ns, ctime_ns, seen_ns, digest FROM documents")
    return {row[0]: _Known(row[1], row[2:5], row[5], row[6]) for row in rows}


def _is_unchanged(known: _Known, state: FileState) -> bool:
    return known.state == state and abs(known.seen_ns - state[2]) >= _TICK_NS


def _count(connection: sqlite3.Connection, counts: Counts, found: Scan) -> Counts:
    skipped = found.skipped
    for reason, number in connection.execute("SELECT skipped, count(*) FROM documents GROUP BY skipped"):
        if reason is None:
            counts.documents = number
        else:
            skipped[reason] += number
    counts.passages = int(connection.execute("SELECT total(passages) FROM documents").fetchone()[0])
    counts.skipped = dict(sorted(skipped.items()))
    return counts
