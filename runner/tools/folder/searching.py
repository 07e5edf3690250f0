"""Ranking the passages of an index: words and phrases of the question in body, headings and title of each."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from runner.tools.folder.index import PASSAGE_BITS
from runner.tools.folder.query import Query

_CANDIDATES = 120
"""Passages that are looked at closely, of all that match."""
_MATCHES = 20_000
"""Passages that are ranked at most, so that a question of common words takes no longer than others. A word found
in more counts as one found in one more."""
_RANK = "bm25(words, 1.5, 2.0, 1.0, 1.0)"
"""The rank of a passage, the less the better; the numbers are what a word counts in title, heading, body, signs."""
_DOCUMENT = f"(words.rowid >> {PASSAGE_BITS})"
_SAME_DOCUMENT = 0.85
"""What each further passage of a document counts, so that one document does not fill the answer."""
_SHORT = 200
"""Letters below which a passage says little."""


@dataclass(slots=True)
class Found:
    """A passage that was found. `score`: higher is better; `coverage`: share of the question's words, by weight."""

    source: str
    title: str
    heading: str
    modified: str
    modified_from: str
    passage: str
    start: int
    end: int
    digest: str
    score: float = 0.0
    coverage: float = 0.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """Which documents count: below a folder inside (empty: all), and dated from a day on (empty: any)."""

    inner: str = ""
    since: str = ""

    def condition(self) -> tuple[str, tuple[str, ...]]:
        """The condition on `documents`, and its values."""
        parts, values = ["skipped IS NULL"], []
        if self.inner:
            parts.append("source >= ? AND source < ?")
            values += [self.inner + "/", self.inner + "0"]  # 0 is the sign after /
        if self.since:
            parts.append("modified >= ?")
            values.append(self.since)
        return " AND ".join(parts), tuple(values)


def count_documents(connection: sqlite3.Connection, inner: str) -> int:
    """How many documents there are to search."""
    condition, values = Bounds(inner).condition()
    return int(connection.execute(f"SELECT count(*) FROM documents WHERE {condition}", values).fetchone()[0])


def search(connection: sqlite3.Connection, query: Query, bounds: Bounds, limit: int) -> list[Found]:
    """The best passages, best first; equal ones in the order of source and place. Raises sqlite3.DatabaseError."""
    passages = int(connection.execute("SELECT total(passages) FROM documents").fetchone()[0])
    found_in = {term: _matches(connection, term) for term in (*query.words, *query.phrases)}
    candidates: list[tuple[int, float]] = []
    for match in _expressions(query, found_in):
        candidates = candidates or _candidates(connection, match, bounds)
    rowids = [rowid for rowid, _ in candidates]
    covered = _coverage(connection, query.words, found_in, passages, rowids)
    found = []
    for rowid, rank in candidates:
        one = _load(connection, rowid)
        one.coverage = covered[rowid]
        one.score = -rank * (0.4 + 0.6 * one.coverage) * min(1.0, 0.5 + len(one.passage) / (2 * _SHORT))
        found.append(one)
    return _best(found, limit)


def _matches(connection: sqlite3.Connection, term: str) -> int:
    sql = f"SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT {_MATCHES + 1})"
    return int(connection.execute(sql, (term,)).fetchone()[0])


def _expressions(query: Query, found_in: dict[str, int]) -> Iterator[str]:
    """What the index is asked, one after the other until it finds something.

    Any of the terms, as far as their matches are few enough; the rarest come first. Where that leaves no single
    word, all words at once; else the rarest of them.
    """
    known = sorted(filter(found_in.get, found_in), key=lambda one: (found_in[one], one))
    left = _MATCHES
    chosen: set[str] = set()
    for term in known:
        left -= found_in[term]
        if left < 0:
            break
        chosen.add(term)
    words = [word for word in query.words if found_in[word]]
    if words and chosen.isdisjoint(words):
        yield " AND ".join(f"({word})" for word in words)
        chosen.add(min(words, key=known.index))
    if chosen:
        yield " OR ".join(f"({term})" for term in found_in if term in chosen)


def _candidates(connection: sqlite3.Connection, match: str, bounds: Bounds) -> list[tuple[int, float]]:
    """The best passages by the index's own rank. Where the last of them are equal, none of those is taken:
    which of them the index names first is chance."""
    condition, values = bounds.condition()
    narrowed = "" if bounds == Bounds() else f"AND {_DOCUMENT} IN (SELECT id FROM documents WHERE {condition})"
    given = (match, *values) if narrowed else (match,)
    found: list[tuple[int, float]] = connection.execute(
        f"SELECT rowid, {_RANK} AS score FROM words WHERE words MATCH ? {narrowed}"
        f" ORDER BY score LIMIT {_CANDIDATES + 1}",
        given,
    ).fetchall()
    if len(found) <= _CANDIDATES:
        return found
    better = [row for row in found if row[1] < found[-1][1]]
    if better:
        return better
    return connection.execute(
        f"SELECT words.rowid, {_RANK} AS score FROM words JOIN documents d ON d.id = {_DOCUMENT}"
        f" WHERE words MATCH ? {narrowed} AND {_RANK} = ? ORDER BY source, words.rowid LIMIT {_CANDIDATES}",
        (*given, found[0][1]),
    ).fetchall()


def _coverage(
    connection: sqlite3.Connection,
    words: Sequence[str],
    found_in: dict[str, int],
    passages: int,
    rowids: Sequence[int],
) -> dict[int, float]:
    """For each passage the share of the question's words in it, rare ones weighing more than common ones."""
    weights = {word: math.log(1 + (passages - found_in[word] + 0.5) / (found_in[word] + 0.5)) for word in words}
    whole = math.fsum(weights.values())
    gathered: dict[int, list[float]] = {rowid: [] for rowid in rowids}
    places = ",".join(map(str, rowids))
    for word in words:
        if found_in[word]:
            sql = f"SELECT rowid FROM words WHERE words MATCH ? AND rowid IN ({places})"
            for (rowid,) in connection.execute(sql, (word,)):
                gathered[rowid].append(weights[word])
    return {rowid: math.fsum(shares) / whole for rowid, shares in gathered.items()}


def _load(connection: sqlite3.Connection, rowid: int) -> Found:
    row: Sequence[Any] = connection.execute(
        'SELECT d.source, d.title, p.heading, d.modified, d.modified_from, p.body, p.start, p."end", d.digest'
        " FROM passages p, documents d WHERE p.id = ? AND d.id = ?",
        (rowid, rowid >> PASSAGE_BITS),
    ).fetchone()
    return Found(*row)


def _best(found: list[Found], limit: int) -> list[Found]:
    """The best of the candidates: a text that stands in several documents once, each document not too often."""
    found.sort(key=lambda one: (-round(one.score, 9), one.source, one.start))
    texts: set[str] = set()
    times: dict[str, int] = {}
    kept = []
    for one in found:
        if one.passage not in texts:
            texts.add(one.passage)
            before = times.get(one.source, 0)
            times[one.source] = before + 1
            one.score *= _SAME_DOCUMENT**before
            kept.append(one)
    kept.sort(key=lambda one: (-round(one.score, 9), one.source, one.start))
    for one in kept:
        one.score, one.coverage = round(one.score, 3), round(one.coverage, 3)
    return kept[:limit]
