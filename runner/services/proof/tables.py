"""A run's rows as they lie in their tables, and how a column is held against what an event says of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from editor.language.canonical import canonical_text, digest, digest_of_text
from runner.models import Run
from runner.services.proof.verdict import COVERED, AlteredError, Fault, shown
from runner.store.codec.stored import columns
from runner.store.sql import fetch

Row = dict[str, Any]
_BATCH = 200


def rows_of(table: str, names: Sequence[str], run_id: str, order: Sequence[str]) -> Iterator[Row]:
    """The rows of a run in the order of these columns, batch by batch: few are in memory at once."""
    places = [names.index(name) for name in order]
    marks = ", ".join(["%s"] * len(order))
    after: list[Any] | None = None
    while True:
        behind = f" AND ({columns(order)}) > ({marks})" if after is not None else ""
        found = fetch(
            f"SELECT {columns(names)} FROM {table} WHERE run_id = %s{behind} ORDER BY {columns(order)} LIMIT {_BATCH}",
            [run_id, *(after or [])],
        )
        for data in found:
            yield dict(zip(names, data, strict=True))
        if len(found) < _BATCH:
            return
        after = [found[-1][place] for place in places]


def rows_by_id(table: str, names: Sequence[str], ids: Sequence[str], key: str = "id") -> dict[str, Row]:
    """The rows with these keys, by key, whatever run they say they belong to."""
    if not ids:
        return {}
    marks = ", ".join(["%s"] * len(ids))
    found = fetch(f"SELECT {columns(names)} FROM {table} WHERE {key} IN ({marks})", list(ids))
    place = list(names).index(key)
    return {data[place]: dict(zip(names, data, strict=True)) for data in found}


def parsed(text: str | None) -> Any:
    """The JSON of a column; a text that is none stands for itself, and equals nothing that was written."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return f"no JSON: {text[:40]}"


@dataclass
class Proof:
    """A check under way: the run, what is kept for it, and how many rows were looked at."""

    run: Run
    blobs: dict[str, int] = field(default_factory=dict)
    """Digest -> size of each blob, whose texts were found to be theirs."""
    rows: int = 0
    notes: list[str] = field(default_factory=list)

    def altered(
        self, row: str, why: str, table: str, key: str, column: str = "", expected: Any = "", found: Any = ""
    ) -> AlteredError:
        """The error of a row that is not as it was written."""
        return AlteredError(Fault(row, why, table, key, column, str(expected), str(found)))

    def same(self, about: About, column: str, expected: Any, found: Any, *, covered: bool = False) -> None:
        """Raise AlteredError where a column holds something else than its history says."""
        if (expected == found and type(expected) is type(found)) or _same_number(expected, found):
            return
        told = (COVERED, COVERED) if covered else (shown(expected), shown(found))
        why = f"its {column} is not what {about.source} says"
        raise self.altered(about.row, why, about.table, about.key, column, *told)

    def value(self, about: About, row: Row, name: str, told: dict[str, Any] | None, *, covered: bool = False) -> None:
        """Raise AlteredError where the value in `name` and its companions is not the one that an event names."""
        text, ref, size = row[name], row[f"{name}_ref"], row[f"{name}_size"]
        column = f"{name}_ref" if ref is not None else name
        found = self.digest_of(about, row, name)
        if told is None:
            self.same(about, column, None, found, covered=covered)
            self.same(about, f"{name}_size", 0, size)
            return
        expected = digest_of_text(canonical_text(told["v"])) if "v" in told else told.get("digest") or told["sealed"]
        if "sealed" in told:
            covered, found = True, found and digest_of_text(f"{self.run.salt}|{found}")
        self.same(about, column, expected, found, covered=covered)
        length = len(text.encode()) if text is not None else self.blobs.get(ref or "")
        self.same(about, f"{name}_size", told.get("size", length), size)
        self.same(about, f"{name}_size", length, size)

    def load(self, row: Row, name: str) -> Any:
        """The value itself."""
        text = row[name]
        if row[f"{name}_ref"] is not None:
            sought = "SELECT text FROM runner_blob WHERE run_id = %s AND digest = %s"
            found = fetch(sought, [self.run.pk, row[f"{name}_ref"]])
            text = found[0][0] if found else None
        return parsed(text)

    def named(self, told: dict[str, Any], value: Any) -> tuple[str, str]:
        """The digest by which an event names a value, and that of the value found; both salted where it is sealed."""
        found = digest(value)
        if "sealed" in told:
            return str(told["sealed"]), digest_of_text(f"{self.run.salt}|{found}")
        return digest(told["v"]) if "v" in told else str(told["digest"]), found

    def digest_of(self, about: About, row: Row, name: str) -> str | None:
        """The digest of the value in a row, worked out from its text; None: there is none."""
        text, ref = row[name], row[f"{name}_ref"]
        if ref is None:
            return None if text is None else content_digest(text)
        if text is not None:
            raise self.altered(about.row, "it holds a value twice", about.table, about.key, name, "nothing", "a text")
        if ref not in self.blobs:
            why = f"its {name} refers to a value that is not there"
            raise self.altered(about.row, why, about.table, about.key, f"{name}_ref", "a value of the run", ref)
        return str(ref)


@dataclass(frozen=True, slots=True)
class About:
    """Which row is looked at, and from where it is known what it has to say."""

    row: str
    table: str
    key: str
    source: str


def content_digest(text: str) -> str:
    """The digest by which events name the value of this JSON text."""
    try:
        return digest_of_text(canonical_text(json.loads(text)))
    except ValueError:
        return "no JSON"


def _same_number(one: Any, other: Any) -> bool:
    """A database may give a whole number as a float, and a truth as a number."""
    return isinstance(one, (int, float)) and isinstance(other, (int, float)) and one == other
