"""What a check of a run found: the first row that is not as it was written, and what nobody can prove."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

LONGEST = 160
COVERED = "covered: it may be sensitive"


@dataclass(frozen=True, slots=True)
class Fault:
    """The first row that is not as it was written. `expected` and `found` are short texts, without sensitive values."""

    row: str
    why: str
    table: str = ""
    key: str = ""
    column: str = ""
    expected: str = ""
    found: str = ""

    def __str__(self) -> str:
        told = f"{self.row}: {self.why}"
        if self.table:
            place = f"{self.table}.{self.column}" if self.column else self.table
            told += f" ({place} of {self.key}: expected {self.expected}, found {self.found})"
        return told

    def as_json(self) -> dict[str, str]:
        """`{row, why, table, key, column, expected, found}`."""
        return {name: getattr(self, name) for name in ("row", "why", "table", "key", "column", "expected", "found")}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check of one run found. `notes`: what could not be proven, each a sentence.

    `signed_to`: the newest event under a signature; of a run that goes on, later ones are chained only.
    """

    run_id: str
    events: int
    signatures: int
    fault: Fault | None
    notes: tuple[str, ...] = ()
    rows: int = 0
    signed_to: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing was found that was altered, left out or added."""
        return self.fault is None

    @property
    def is_proven(self) -> bool:
        """Whether it is whole, and nothing was left that could not be proven."""
        return self.is_whole and not self.notes

    @property
    def result(self) -> str:
        """`whole`, `unproven` (no fault was found, but not all could be checked) or `altered`."""
        return "altered" if not self.is_whole else "whole" if self.is_proven else "unproven"

    def as_json(self) -> dict[str, Any]:
        """`{run, result, events, signatures, signed_to, rows, fault, notes}`."""
        return {
            "run": self.run_id,
            "result": self.result,
            "events": self.events,
            "signatures": self.signatures,
            "signed_to": self.signed_to,
            "rows": self.rows,
            "fault": self.fault.as_json() if self.fault is not None else None,
            "notes": list(self.notes),
        }


class AlteredError(Exception):
    """Raised where a row is not as it was written; the check ends with its fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def shown(value: Any) -> str:
    """A value as a short text, for whoever reads a verdict."""
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
