"""Opening one document of a folder: nothing outside it, nothing hidden, no links; and its text by kind of file."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from runner.tools.folder.extract import (
    MAX_CHARACTERS,
    Extract,
    ModifiedFrom,
    NotReadableError,
    clean_text,
)
from runner.tools.folder.marked_text import read_markdown
from runner.tools.folder.paged_text import read_pdf
from runner.tools.folder.plain_text import join_pages, read_plain
from runner.tools.folder.web_text import declared_charset, read_html

_MIB = 1024 * 1024
MAX_BYTES = {"pdf": 32 * _MIB, "html": 4 * _MIB, "markdown": 4 * _MIB, "text": 4 * _MIB}
"""Bytes of a file by kind; a larger one is left out."""

_SUFFIXES = {
    "md": "markdown",
    "markdown": "markdown",
    "txt": "text",
    "text": "text",
    "rst": "text",
    "html": "html",
    "htm": "html",
    "xhtml": "html",
    "pdf": "pdf",
}
_NAMES = {"METADATA": "markdown", "PKG-INFO": "markdown"}
_SAY_NOTHING = frozenset({"RECORD", "WHEEL", "INSTALLER", "REQUESTED"})
"""Files that installers of Python packages leave beside documentation."""
_SAFE_CHARSET = re.compile(
    r"(us-ascii|iso-?8859-?\d{1,2}|latin-?\d|windows-?125\d|cp125\d|koi8-?[ru]|shift_?jis|euc-?(jp|kr)|gbk|gb2312|gb18030|big5)"
)
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is given: `modified` is a date, `digest` the SHA-256 of the file's bytes, `characters` the
    letters of all of it (of a truncated one at least so many)."""

    source: str
    title: str
    extract: Extract
    modified: str
    modified_from: ModifiedFrom
    digest: str
    truncated: bool
    characters: int


def kind_of(name: str) -> str | None:
    """The kind of a file by its bare name: markdown, text, html or pdf; None for one that is not read.

    A name without a suffix is text, as is a README whatever its suffix.
    """
    stem, dot, suffix = name.rpartition(".")
    if dot and stem:
        return _SUFFIXES.get(suffix.lower()) or ("text" if stem.upper() == "README" else None)
    return None if name in _SAY_NOTHING else _NAMES.get(name, "text")


def open_inside(root: Path, parts: Sequence[str]) -> int:
    """Open a file below `root` without following a link anywhere on the way. Gives a file descriptor.

    Raises OSError, as `os.open` does: for a link too.
    """
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)


def read_bytes(root: Path, source: str) -> tuple[bytes, os.stat_result]:
    """The bytes of a file below `root`, and what the file system says of it. Raises OSError, NotReadableError."""
    parts = source.split("/")
    limit = MAX_BYTES[kind_of(parts[-1]) or "text"]
    descriptor = open_inside(root, parts)
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise NotReadableError("other", "It is no plain file.")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise NotReadableError("too_large", f"It is larger than {limit // _MIB} MiB.")
    return data, about


def file_date(mtime_ns: int) -> str:
    """The date of a file's time, in UTC."""
    try:
        return datetime.fromtimestamp(mtime_ns // 1_000_000_000, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):  # a time beyond what dates can say
        return "1970-01-01"


def digest_of(data: bytes) -> str:
    """The digest by which a document's bytes are known."""
    return hashlib.sha256(data).hexdigest()


def as_document(source: str, data: bytes, mtime_ns: int, go_on: Callable[[], None] = lambda: None) -> Document:
    """The document that a file's bytes are. `go_on` is called now and then, and may raise. Raises NotReadableError."""
    name = source.rpartition("/")[2]
    found, characters = _extract(kind_of(name) or "text", data, go_on)
    if len(found.text) > MAX_CHARACTERS:
        kept = tuple(one for one in found.headings if one.start < MAX_CHARACTERS)
        found = replace(found, text=found.text[:MAX_CHARACTERS], headings=kept)
    return Document(
        source=source,
        title=found.title or name,
        extract=found,
        modified=found.modified or file_date(mtime_ns),
        modified_from=found.modified_from,
        digest=digest_of(data),
        truncated=characters > MAX_CHARACTERS,
        characters=characters,
    )


def _extract(kind: str, data: bytes, go_on: Callable[[], None]) -> tuple[Extract, int]:
    """What a file says, and how many letters it has (at least, if those are too many)."""
    if kind in ("pdf", "html"):
        found = read_pdf(data, go_on) if kind == "pdf" else read_html(_decode(data, declared_charset(data)))
        return found, len(found.text)
    text = _decode(data, None)
    if kind == "markdown":
        text = clean_text(text)
        return read_markdown(text[:MAX_CHARACTERS]), len(text)
    text = clean_text(join_pages(text.replace("\r\n", "\n")))
    return read_plain(text[:MAX_CHARACTERS]), len(text)


def _decode(data: bytes, declared: str | None) -> str:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _decoded(data, encoding)
    if b"\0" in data:
        raise NotReadableError("binary", "It is no text.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if declared and _SAFE_CHARSET.fullmatch(declared):
            return _decoded(data, declared)
        raise NotReadableError("encoding", f"It is not UTF-8 at byte {error.start:,}. Save it as UTF-8.") from None


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        raise NotReadableError("encoding", f"It is not in {encoding}, though it says so.") from None
