"""PDF as text, page by page; a passage's heading is its page. Pictures of text give none."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING

from runner.tools.folder.extract import (
    MAX_CHARACTERS,
    Extract,
    Heading,
    NotReadableError,
    as_date,
    clean_text,
    one_line,
)

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_PAGES = 500
MAX_SECONDS = 30.0
"""So long one file may take; else a hostile one would stop every search of its folder, again and again."""
_PDF_DATE = re.compile(r"D:(\d{4})(\d{2})(\d{2})")

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports each oddity of each file


def read_pdf(data: bytes, go_on: Callable[[], None]) -> Extract:
    """Read a PDF. `go_on` is called between pages and may raise. Raises NotReadableError."""
    if b"%PDF-" not in data[:1_024]:
        raise NotReadableError("unreadable", "It is no PDF, though it is named so.")
    from pypdf import PdfReader  # takes as long to import as Django's models, and most processes never need it

    try:
        reader = PdfReader(BytesIO(data), strict=False)
        if reader.is_encrypted:
            raise NotReadableError("unreadable", "It is encrypted.")
        about: Mapping[str, object] = reader.metadata or {}
        title, changed, created = (about.get(key) for key in ("/Title", "/ModDate", "/CreationDate"))
        text, headings = _pages(reader, go_on)
    except NotReadableError:
        raise
    except Exception as error:  # a broken file may raise anything in there
        raise NotReadableError("unreadable", f"It is broken: {type(error).__name__}.") from None
    if not text:
        raise NotReadableError("no_text", "It holds no text: its pages may be pictures.")
    modified = _date(changed) or _date(created)
    named = one_line(clean_text(title)) if isinstance(title, str) else ""
    return Extract(text, named, headings, 0, modified, "pdf_info" if modified else "file")


def _pages(reader: PdfReader, go_on: Callable[[], None]) -> tuple[str, tuple[Heading, ...]]:
    parts: list[str] = []
    headings: list[Heading] = []
    length = 0
    last = time.monotonic() + MAX_SECONDS
    for number, page in enumerate(reader.pages, start=1):
        go_on()
        if time.monotonic() > last:
            raise NotReadableError("too_slow", f"It takes more than {MAX_SECONDS:.0f} seconds to read.")
        said = clean_text(page.extract_text()).strip()
        if said:
            headings.append(Heading(length, 1, f"page {number}"))
            parts.append(said)
            length += len(said) + 2
        if length > MAX_CHARACTERS or number == MAX_PAGES:
            break
    return "\n\n".join(parts), tuple(headings)


def _date(told: object) -> str | None:
    found = _PDF_DATE.match(told) if isinstance(told, str) else None
    return as_date("-".join(found.groups())) if found else None
