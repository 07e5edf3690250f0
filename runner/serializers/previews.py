"""What a page shows of an artifact or a value: which way suits it, within bounds, as safe HTML.

Nothing in a value is believed: Markdown goes through a sanitiser, everything else is escaped, and no picture,
script, style or address of another kind than `http`, `https` and `mailto` gets through.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from editor.language.canonical import canonical_text
from editor.language.errors import LanguageError
from editor.language.json_gate import VALUE_LIMITS, load_json
from runner.serializers.json_tree import Tree, json_tree
from runner.serializers.texts import Piece, is_hidden, pieces
from runner.serializers.words import size_words

MOST_BYTES = 2 * 1024 * 1024
"""Of a larger value a page shows what it is, and the file has the rest."""
TEXT_CHARS, MARKDOWN_CHARS = 200_000, 200_000
CSV_ROWS, CSV_COLUMNS, CELL_CHARS, COUNTED_ROWS = 200, 40, 400, 100_000

_KINDS = {
    "markdown": ("markdown", "md", "text/markdown"),
    "csv": ("csv", "tsv", "text/csv", "text/tab-separated-values"),
    "json": ("json", "application/json"),
    "text": ("text", "txt", "log", "plain", "text/plain"),
    "binary": (
        "binary", "pdf", "png", "jpg", "jpeg", "gif", "webp", "zip", "gz", "xlsx", "docx", "pptx", "image", "audio",
        "video", "application/pdf", "application/zip", "application/octet-stream",
    ),
}  # fmt: skip
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words}
_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+(;[\w=.-]+)*,", re.ASCII | re.IGNORECASE)
_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
_DROPPED_WITH_CONTENT = {"script", "style", "iframe", "object", "template", "noscript", "svg", "math"}


@dataclass(frozen=True)
class Preview:
    """One value as a page shows it; of the parts, those that belong to its `kind` are filled."""

    kind: str
    note: str = ""
    html: SafeString = field(default_factory=SafeString)
    header: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    tree: Tree | None = None
    pieces: list[Piece] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)


def kind_of(content: Any, declared: str = "", filename: str = "") -> str:
    """How to show a value: by what its author says it is, by the ending of its name, by what it is."""
    if not isinstance(content, str):
        return "json"
    if _DATA_URI.match(content[:200]):
        return "binary"
    ending = filename.rpartition(".")[2] if "." in filename else ""
    for word in (declared.strip().lower(), ending.lower()):
        if word in _KIND_OF:
            return _KIND_OF[word]
        if word.partition("/")[0] in ("image", "audio", "video", "font"):
            return "binary"
    return "text"


def preview_of(content: Any, declared: str = "", filename: str = "") -> Preview:
    """Show a value that was read. Never raises: what cannot be read as what it claims to be is shown as text."""
    kind = kind_of(content, declared, filename)
    if kind == "json":
        return _json(content)
    if kind == "binary":
        return not_shown(content, "What is no text is not shown here.")
    if _looks_binary(content):
        return not_shown(content, "It holds bytes that are no text, so it is not shown here.")
    return {"markdown": _markdown, "csv": _csv}.get(kind, _text)(content)


def too_large(size: int) -> Preview:
    """A value that is not even read for a page. `size` is in bytes."""
    note = f"It is larger than {size_words(MOST_BYTES)}, so it is not shown here. The file has all of it."
    return Preview("binary", note, facts=[("Size", size_words(size))])


def not_shown(content: Any, why: str) -> Preview:
    """A value by its measures alone."""
    data = (content if isinstance(content, str) else canonical_text(content)).encode("utf-8", "replace")
    found = _DATA_URI.match(content[:200]) if isinstance(content, str) else None
    claims = [("Says to be", found.group()[5:-1])] if found else []
    facts = [*claims, ("Size", size_words(len(data))), ("SHA-256", hashlib.sha256(data).hexdigest())]
    return Preview("binary", why, facts=facts)


def _looks_binary(text: str) -> bool:
    """Whether a text has so many control or replacement characters that nobody could read it."""
    head = text[:4_000]
    strange = sum(1 for char in head if (char < " " and char not in "\t\n\r\f") or char in "\x7f\ufffd")
    return strange * 20 > len(head)


def _text(text: str, note: str = "") -> Preview:
    shown, cut = _start_of(text.expandtabs(4).replace("\r\n", "\n"), TEXT_CHARS)
    return Preview("text", note or cut, pieces=pieces(shown))


def _start_of(text: str, most: int) -> tuple[str, str]:
    if len(text) <= most:
        return text, ""
    return text[:most], f"Cut after {most:,} characters. The file has all of it."


def _json(content: Any) -> Preview:
    if isinstance(content, str):
        try:
            content = load_json(content, VALUE_LIMITS)
        except LanguageError as error:
            return _text(content, f"This is said to be JSON, but cannot be read as such. {error.message}")
    tree = json_tree(content)
    note = "It is too large to be shown whole. The file has all of it." if tree.is_cut else ""
    return Preview("json", note, tree=tree)


# Markdown


def _lower_headings(state: StateCore) -> None:
    """The page has its own headings: those of a report come below them."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + 2, 6)}"


def _pictures_as_words(state: StateCore) -> None:
    """A picture would be fetched from somewhere, which tells its owner who reads: its words are shown instead."""
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "image":
                child.type, child.tag, child.children = "text", "", None
                child.content = f"[picture: {child.content}]" if child.content else "[picture]"


def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])
    reader.core.ruler.push("lower_headings", _lower_headings)
    reader.core.ruler.push("pictures_as_words", _pictures_as_words)
    return reader


_MARKDOWN = _reader()


def _markdown(text: str) -> Preview:
    shown, cut = _start_of(text, MARKDOWN_CHARS)
    try:
        drawn = _MARKDOWN.render(_hidden_named(shown))
    except RecursionError:
        return _text(text, "It is nested too deeply to be drawn, so it is shown as text.")
    clean = nh3.clean(
        drawn,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        clean_content_tags=_DROPPED_WITH_CONTENT,
        link_rel="noopener noreferrer nofollow",
    )
    return Preview("markdown", cut, html=mark_safe(clean))


def _hidden_named(text: str) -> str:
    """A text in which characters that draw nothing, or turn others around, are named."""
    if text.isascii():
        return text
    return "".join(f"[U+{ord(char):04X}]" if char not in "\t\r" and is_hidden(char) else char for char in text)


# Tables


def _csv(text: str) -> Preview:
    head = text.lstrip("\ufeff \t\r\n").partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    lines = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter)
    try:
        header = next(lines, [])
        found = list(islice(lines, CSV_ROWS))
        more = _count(lines, COUNTED_ROWS)
    except csv.Error as error:
        return _text(text, f"This is said to be CSV, but line {lines.line_num} cannot be read as such: {error}.")
    if not header:
        return _text(text, "The table is empty.")
    width = max(len(header), *(len(row) for row in found)) if found else len(header)
    return Preview(
        "csv",
        _what_is_missing(len(found), more, width),
        header=_cells(header, min(width, CSV_COLUMNS)),
        rows=[_cells(row, min(width, CSV_COLUMNS)) for row in found],
    )


def _count(lines: Iterator[list[str]], most: int) -> int:
    return sum(1 for _ in islice(lines, most))


def _cells(row: list[str], width: int) -> list[str]:
    """A row of exactly so many short cells, without characters that draw nothing."""
    cells = [cell if len(cell) <= CELL_CHARS else f"{cell[:CELL_CHARS]}…" for cell in row[:width]]
    return [*map(_hidden_named, cells), *[""] * (width - len(cells))]


def _what_is_missing(shown: int, more: int, width: int) -> str:
    told = []
    if more:
        at_least = "at least " if more >= COUNTED_ROWS else ""
        told.append(f"the first {shown:,} of {at_least}{shown + more:,} rows")
    if width > CSV_COLUMNS:
        told.append(f"the first {CSV_COLUMNS} of {width:,} columns")
    return f"Shown are {' and '.join(told)}. The file has all of it." if told else ""
