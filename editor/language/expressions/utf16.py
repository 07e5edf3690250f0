"""Texts counted in UTF-16 units, as JavaScript counts them, so that editor and runner agree."""

from __future__ import annotations

import re

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_HALF = re.compile("[\ud800-\udfff]")


def _split(match: re.Match[str]) -> str:
    code = ord(match.group()) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))


def _join(match: re.Match[str]) -> str:
    high, low = match.group()[0], match.group()[1]
    return chr(0x10000 + ((ord(high) - 0xD800) << 10) + (ord(low) - 0xDC00))


def has_astral(text: str) -> bool:
    """Return whether a character of `text` takes two units. Encoding is the fastest way to find out."""
    return not text.isascii() and len(text.encode("utf-16-le", "surrogatepass")) != 2 * len(text)


def units(text: str) -> str:
    """Return `text` with one character per UTF-16 unit, so that indexes and searches agree."""
    return _ASTRAL.sub(_split, text) if has_astral(text) else text


def whole(text: str) -> str:
    """Undo `units`: halves that stand side by side become one character again."""
    return _PAIR.sub(_join, text) if has_half(text) else text


def length(text: str) -> int:
    """Return the number of UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def unit_at(text: str, index: int) -> str | None:
    """Return the UTF-16 unit at `index` (not negative), None past the end; an emoji gives half of it."""
    if text.isascii():
        return text[index] if index < len(text) else None
    # Every character has at least one unit, so those up to `index` are enough.
    data = text[: index + 1].encode("utf-16-le", "surrogatepass")[2 * index : 2 * index + 2]
    return data.decode("utf-16-le", "surrogatepass") if data else None


def order_key(text: str) -> bytes:
    """Return what texts are ordered by: UTF-16 units, no locale."""
    return text.encode("utf-16-be", "surrogatepass")


def has_half(text: str) -> bool:
    """Return whether `text` holds half a character, which no UTF-8 text can."""
    if text.isascii():
        return False
    try:
        text.encode("utf-16-le")
    except UnicodeEncodeError:
        return True
    return False


def well_formed(text: str) -> str:
    """Return `text` with every lone half replaced by U+FFFD, so that it can be stored and sent."""
    return _HALF.sub("\ufffd", whole(text)) if has_half(text) else text
