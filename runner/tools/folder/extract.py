"""What a document gives: its text, title, headings and date. Which kinds of files there are is documents.py's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from email.utils import parsedate
from typing import Literal

ModifiedFrom = Literal["front_matter", "html_meta", "pdf_info", "file"]
"""Where a document's date was found; `file`: nowhere in it, so that the file's own time counts."""

MAX_CHARACTERS = 400_000
"""Letters of a document that are searched and given; a longer one is cut there."""
MAX_TITLE = 200

_DATE = re.compile(r"\s*[\"']?(\d{4})-(\d{2})-(\d{2})(?!\d)")
_OVERSTRUCK = re.compile(".\x08")
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a text: where its first line begins, how deep it is (1 is the outermost), what it says."""

    start: int
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Extract:
    """The text of a document, and what it says about itself. `body`: where it begins, front matter left out."""

    text: str
    title: str = ""
    headings: tuple[Heading, ...] = ()
    body: int = 0
    modified: str | None = None
    modified_from: ModifiedFrom = "file"


class NotReadableError(Exception):
    """A document cannot be given as text. `reason` is one word, as it is counted."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


def clean_text(text: str) -> str:
    """One kind of line break, no control characters, no letters that JSON cannot carry."""
    text = _BREAKS.sub("\n", text)
    if "\x08" in text:  # bold and underlined words as printers of old typed them
        text = _OVERSTRUCK.sub("", text)
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", text))


def one_line(text: str, limit: int = MAX_TITLE) -> str:
    """A title or heading: one line, cut at `limit` letters."""
    return " ".join(text[: 4 * limit].split())[:limit].rstrip()


def as_date(text: object) -> str | None:
    """The date at the beginning of a text, as YYYY-MM-DD, or None. Knows ISO dates, and those of mails and HTTP."""
    if not isinstance(text, str):
        return None
    found = _DATE.match(text)
    parts = [int(part) for part in found.groups()] if found else list(parsedate(text[:100]) or ())[:3]
    try:
        return date(*parts).isoformat() if len(parts) == 3 else None
    except ValueError:
        return None
