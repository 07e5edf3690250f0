"""JSON that a browser reads without loss: whole numbers over 2^53 as text. What it is about is not known here."""

from __future__ import annotations

import json
import re
from typing import Any

LARGEST_EXACT = 2**53
"""Up to this size a browser's numbers hold every whole number."""

_LONG_NUMBER = re.compile(r"\d{16}")


def for_browser(value: Any) -> Any:
    """A copy of a JSON value with each whole number over 2^53 as its text."""
    if isinstance(value, dict):
        return {key: for_browser(item) for key, item in value.items()}
    if isinstance(value, list):
        return [for_browser(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST_EXACT:
        return str(value)
    return value


def text_for_browser(text: str) -> str:
    """The same for a JSON text. Most texts hold no such number, and are given back unread."""
    if not _LONG_NUMBER.search(text):
        return text
    return json.dumps(for_browser(json.loads(text)), ensure_ascii=False, separators=(",", ":"))
