"""Ids of imported documents: they fit our patterns and are given once. What else is read is base.py's."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from editor.language.document import NODE_ID_PATTERN, SLUG_PATTERN
from editor.language.formats.base import Part, shown

LONGEST_ID = 63


class Names:
    """Node ids of one document: every one fits our pattern and is given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}

    def fit(self, wanted: str) -> str:
        """Take the nearest free id."""
        base = node_id(wanted)
        if base not in self._taken:
            self._taken.add(base)
            return base
        return self._count(base, 2, ())

    def numbered(self, stem: str, avoid: Collection[str] = ()) -> str:
        """Take the first free id among `stem_1`, `stem_2`, … that is none of `avoid`."""
        return self._count(stem, 1, avoid)

    def _count(self, stem: str, first: int, avoid: Collection[str]) -> str:
        number = self._last.get(stem, first - 1)
        while True:
            number += 1
            suffix = f"_{number}"
            found = stem[: LONGEST_ID - len(suffix)] + suffix
            if found not in self._taken and found not in avoid:
                break
        self._last[stem] = number
        self._taken.add(found)
        return found


def node_id(text: str) -> str:
    """Write a text as a node id: every other character becomes `_`."""
    if re.fullmatch(NODE_ID_PATTERN, text):
        return text
    plain = re.sub(r"[^A-Za-z0-9_]", "_", text) or "step"
    return (plain if not plain[0].isdigit() else f"_{plain}")[:LONGEST_ID]


def slug(text: str) -> str | None:
    """Write a text as an id of a flow, preset or artifact; None if nothing of it can be one."""
    if re.fullmatch(SLUG_PATTERN, text):
        return text
    plain = re.sub(r"[^a-z0-9_-]+", "_", text.lower()).strip("_-").lstrip("0123456789_-")
    return plain[:LONGEST_ID] or None


def flow_id(part: Part, keys: Sequence[str], default_id: str | None) -> str:
    """Give the id of the flow: from the first of these keys that has one, else the default.

    The other keys are left unread, so that they are kept.
    """
    for key in keys:
        given = part.raw.get(key)
        found = slug(given) if isinstance(given, str) else None
        if found is not None:
            part.get(key)
            if found != given:
                part.lose(key, f"{shown(given)} cannot be the id of a flow here.", f"The flow has the id {found}.")
            return found
    found = slug(default_id) if default_id else None
    if found is None:
        found = "imported_flow"
        part.losses.add(part.place, "The document has no id.", f"The flow has the id {found}; change it if you like.")
    return found


def slug_of(part: Part, key: str, fallback: str) -> Any:
    """Give a key's text as a slug and say so if it had to change; what is no text is given as it is."""
    given = part.get(key)
    if not isinstance(given, str):
        return fallback if given is None else given
    found = slug(given) or fallback
    if found != given:
        part.lose(key, f"{shown(given)} cannot be an id here.", f"It is called {found}.")
    return found
