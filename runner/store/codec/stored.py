"""Between a value of the engine and its three columns: text, reference, size. No statement is run here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.conf import settings

from editor.language.canonical import write_in_order
from runner.engine.rows import UNLOADED, Stored

Params = tuple[Any, ...]
#: Blobs to be inserted: digest -> value.
Blobs = dict[str, Stored]

#: Values up to so many bytes lie in their row whatever the settings say; most do.
ALWAYS_INLINE = 256


def names(text: str) -> list[str]:
    """Column names, written as words in one text."""
    return text.split()


def to_text(value: Any) -> str | None:
    """JSON as its text; None is no value."""
    return None if value is None else write_in_order(value)


def from_text(text: str | None) -> Any:
    """The JSON value of a text; None for no text."""
    return None if text is None else json.loads(text)


def put_stored(stored: Stored | None, blobs: Blobs) -> tuple[str | None, str | None, int]:
    """The columns (text, reference, size) of a value; a value over the inline limit goes to `blobs`."""
    if stored is None:
        return None, None, 0
    if stored.ref is None and stored.size > ALWAYS_INLINE and stored.size > settings.FLOWSITE["INLINE_VALUE_BYTES"]:
        stored.ref = stored.content_digest()
        blobs[stored.ref] = stored
    if stored.ref is not None:
        return None, stored.ref, stored.size
    return stored.text, None, stored.size


def get_stored(text: str | None, ref: str | None, size: int) -> Stored | None:
    """The value of its columns; one in the blobs stays unread."""
    if ref is not None:
        return Stored(UNLOADED, None, ref, size, ref)
    return None if text is None else Stored(UNLOADED, text, None, size)


def need_stored(text: str | None, ref: str | None, size: int) -> Stored:
    """As `get_stored`, for columns that always hold a value."""
    return get_stored(text, ref, size) or Stored.of(None)


def columns(names: Sequence[str]) -> str:
    """Column names, quoted (some of ours are words of SQL), for a statement."""
    return ", ".join(f'"{name}"' for name in names)
