"""HTML as text: what a reader sees of it, block by block, with its headings; scripts, styles and menus left out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from runner.tools.folder.extract import (
    MAX_CHARACTERS,
    Extract,
    Heading,
    NotReadableError,
    as_date,
    clean_text,
    one_line,
)

_LEFT_OUT = frozenset(
    [
        "script",
        "style",
        "noscript",
        "template",
        "svg",
        "math",
        "head",
        "nav",
        "iframe",
        "object",
        "embed",
        "canvas",
        "select",
        "button",
        "textarea",
        "form",
        "audio",
        "video",
        "map",
        "dialog",
    ]
)
_BLOCKS = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "details",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "header",
    "hr",
    "legend",
    "main",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "ul",
    "caption",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
]
_LINES = ["br", "li", "tr", "dt", "dd", "tbody", "thead", "tfoot"]
_GAPS = dict.fromkeys(_BLOCKS, "\n\n") | dict.fromkeys(_LINES, "\n") | dict.fromkeys(("td", "th"), " ")
_WIDTHS = {"": 0, " ": 1, "\n": 2, "\n\n": 3}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_META_DATES = (
    "article:modified_time",
    "og:updated_time",
    "last-modified",
    "dcterms.modified",
    "dc.date.modified",
    "modified",
    "date",
    "dcterms.date",
    "dc.date",
    "article:published_time",
)
_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_-]{2,30})", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][^\s/>]{0,30})")
_CLOSED_BY_THE_NEXT = (
    "area base br col embed hr img input link meta source track wbr p li dt dd tr td th thead tbody tfoot option"
    " colgroup"
)
_NEVER_OPEN = frozenset(_CLOSED_BY_THE_NEXT.split())
"""Elements that hold nothing, or that the next of their kind closes."""
MAX_DEPTH = 1_000
_SPACE = re.compile(r"[ \t\n\f\r]+")
_ANCHOR = "¶#§\uf0c1"
"""Signs that documentation generators link each heading with."""


def declared_charset(data: bytes) -> str | None:
    """The encoding that the file itself names, or None."""
    found = _CHARSET.search(data, 0, 4_096)
    return found[1].decode("ascii").lower() if found else None


def read_html(markup: str) -> Extract:
    """Read an HTML text: its title, date, headings, and the text of its main part (else of all of its body).

    Raises NotReadableError.
    """
    _refuse_depth(markup)
    tree = LexborHTMLParser(markup)
    named = tree.css_first("title")
    title = one_line(clean_text(named.text())) if named else ""
    mains = tree.css("main, [role=main]") or tree.css("article")
    start = mains[0] if len(mains) == 1 else tree.body
    writer = _Writer()
    if start is not None:
        _walk(start, writer)
    text, headings = writer.finish()
    modified = _modified(tree)
    if headings and not title:
        title = headings[0].text
    return Extract(text, title, headings, 0, modified, "html_meta" if modified else "file")


def _refuse_depth(markup: str) -> None:
    """Elements nested without end would keep the parser busy for hours: its time grows with depth times size."""
    depth = 0
    for closing, name in _TAG.findall(markup):
        if name.lower() not in _NEVER_OPEN:
            depth = max(0, depth - 1) if closing else depth + 1
            if depth > MAX_DEPTH:
                raise NotReadableError("unreadable", f"Its elements are nested more than {MAX_DEPTH:,} deep.")


def _modified(tree: LexborHTMLParser) -> str | None:
    told: dict[str, str | None] = {}
    for meta in tree.css("meta"):
        about = meta.attributes
        name = about.get("name") or about.get("property") or about.get("http-equiv") or about.get("itemprop")
        if name:
            told.setdefault(name.lower(), about.get("content"))
    return next((found for name in _META_DATES if (found := as_date(told.get(name)))), None)


def _walk(start: LexborNode, writer: _Writer) -> None:
    """Visit the nodes in the order of the page, without recursion: a hostile page may be nested without end."""
    waiting: list[tuple[LexborNode, bool]] = [(start, False)]
    while waiting and writer.length < MAX_CHARACTERS:
        node, visited = waiting.pop()
        tag = node.tag or ""
        if visited:
            writer.close(tag)
        elif tag == "-text":
            writer.add(node.text_content or "")
        elif tag not in _LEFT_OUT and tag[:1] not in "-!":
            writer.open(tag)
            waiting.append((node, True))
            waiting.extend((child, False) for child in reversed(_children(node)))


def _children(node: LexborNode) -> list[LexborNode]:
    found = []
    child = node.child
    while child is not None:
        found.append(child)
        child = child.next
    return found


@dataclass(slots=True)
class _OpenHeading:
    level: int
    start: int | None = None
    part: int = 0


class _Writer:
    """Puts the text together: spaces as a browser would show them, lines and blank lines between blocks."""

    def __init__(self) -> None:
        self.length = 0
        self._parts: list[str] = []
        self._gap = ""
        self._verbatim = 0
        self._heading: _OpenHeading | None = None
        self._headings: list[Heading] = []

    def open(self, tag: str) -> None:
        """An element begins."""
        self._need(_GAPS.get(tag, ""))
        if tag == "pre":
            self._verbatim += 1
        elif tag in _HEADINGS:
            self._heading = _OpenHeading(_HEADINGS[tag])

    def close(self, tag: str) -> None:
        """An element ends."""
        if tag == "pre":
            self._verbatim -= 1
        elif tag in _HEADINGS and self._heading:
            begun, self._heading = self._heading, None
            said = one_line("".join(self._parts[begun.part :]).rstrip(_ANCHOR)) if begun.start is not None else ""
            if said:
                self._headings.append(Heading(begun.start or 0, begun.level, said))
        self._need(_GAPS.get(tag, ""))

    def add(self, text: str) -> None:
        """The text of a text node."""
        text = clean_text(text)
        if not self._verbatim:
            shown = _SPACE.sub(" ", text)
            self._need(" " if shown[:1] == " " else "")
            text = shown.strip(" ")
        if not text:
            return
        if self._parts:
            self._put(self._gap)
        self._gap = ""
        if self._heading and self._heading.start is None:
            self._heading.start, self._heading.part = self.length, len(self._parts)
        self._put(text)
        if not self._verbatim:
            self._need(" " if shown[-1:] == " " else "")

    def finish(self) -> tuple[str, tuple[Heading, ...]]:
        """The whole text, and its headings."""
        return "".join(self._parts).rstrip(), tuple(self._headings)

    def _need(self, gap: str) -> None:
        if _WIDTHS[gap] > _WIDTHS[self._gap]:
            self._gap = gap

    def _put(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self.length += len(text)
