"""What of a document is read: all of a short one, of a long one the parts around what the searches found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

WHOLE = 60_000
"""Letters up to which a document is read as a whole, and letters of all parts of a longer one."""
AROUND = 3_000
"""Letters before and after a found passage that are read with it."""


def first_text(answers: Sequence[Any]) -> Mapping[str, Any] | None:
    """The first document that a reader gave."""
    return next((one for one in answers if isinstance(one, Mapping) and isinstance(one.get("text"), str)), None)


def parts_of(text: str, passages: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """The parts of a text to read, in order, each `{start, text}`; begun and ended at empty lines where there are."""
    if len(text) <= WHOLE:
        return [{"start": 0, "text": text}]
    spans: list[list[int]] = []
    room = WHOLE
    for start, end in passages:
        before, after = _widened(text, start, end)
        if after - before <= room:
            spans.append([before, after])
            room -= after - before
    merged: list[list[int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return [{"start": start, "text": text[start:end]} for start, end in merged or [[0, WHOLE]]]


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    before, after = max(0, start - AROUND), min(len(text), end + AROUND)
    blank = text.find("\n\n", before, start) if before else -1
    last = text.rfind("\n\n", end, after) if after < len(text) else -1
    return (blank + 2 if blank >= 0 else before), (last if last >= 0 else after)


def letters_of(parts: Sequence[Mapping[str, Any]]) -> int:
    """How many letters the parts have."""
    return sum(len(part["text"]) for part in parts)
