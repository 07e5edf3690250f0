"""Values as text that a person can trust: JSON on several lines, and no character that cannot be seen."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from itertools import groupby
from typing import Any

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_HIDDEN = frozenset(
    # Letters and marks that draw nothing: joiner, fillers, Khmer inherent vowels, Mongolian selectors, blank.
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
)
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text; `hidden`: it stands for characters that draw nothing, and `text` names them."""

    text: str
    hidden: bool = False
    title: str = ""


def is_hidden(char: str) -> bool:
    """Whether a character draws nothing, or changes how others are drawn. New lines and the space do not count."""
    if char in "\n " or (" " < char < "\x7f"):
        return False
    category = unicodedata.category(char)
    return (
        category in _HIDDEN_CATEGORIES
        or category == "Zs"
        or char in _HIDDEN
        or any(ord(char) in selectors for selectors in _SELECTORS)
    )


def pieces(text: str) -> list[Piece]:
    """Cut a text so that every hidden character is named: `U+200B` with `ZERO WIDTH SPACE` as its title."""
    if text.isascii() and text.replace("\n", " ").isprintable():
        return [Piece(text)]
    found: list[Piece] = []
    for hidden, stretch in groupby(text, key=is_hidden):
        chars = list(stretch)
        if hidden:
            found.extend(Piece(f"U+{ord(char):04X}", True, unicodedata.name(char, "unnamed")) for char in chars)
        else:
            found.append(Piece("".join(chars)))
    return found


def pretty(value: Any) -> str:
    """A JSON value on several lines, keys in order, letters as they are."""
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True)


def editable(value: Any) -> str:
    """A JSON value to be edited: as `pretty`, with hidden characters as the escapes of JSON, so that they are seen."""
    return "".join(_escape(char) if is_hidden(char) else char for char in pretty(value))


def _escape(char: str) -> str:
    return json.dumps(char)[1:-1]
