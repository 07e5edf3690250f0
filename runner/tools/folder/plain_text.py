"""Plain text and reStructuredText: headings by underline, by number or in capitals; pages of RFCs joined."""

from __future__ import annotations

import re

from runner.tools.folder.extract import Extract, Heading, as_date, one_line

_UNDERLINED = re.compile(
    r"^(?P<title>[^\s][^\n]{0,199})\n(?P<rule>(?P<sign>[=\-~^\"'#*+.:_`])(?P=sign){2,199})[ \t]*$", re.MULTILINE
)
_NUMBERED = re.compile(
    r"(?:^|\n)[ \t]*\n(?P<title>(?P<number>\d{1,2}(?:\.\d{1,2}){0,5})\.? {1,4}[A-Z][^\n]{1,75})(?=\n[ \t]*(?:\n|$))"
)
_CAPITALS = re.compile(r"(?:^|\n)[ \t]*\n(?P<title>[A-Z][A-Z0-9 ,'/&:()-]{3,70})(?=\n[ \t]*(?:\n|$))")
_FOOTER = re.compile(r"\[Page [0-9ivxlc]+\][ \t]*$")
_FIELD = re.compile(r"[A-Za-z][\w-]*:(?: |$)")
_DOCINFO = re.compile(r"^:(?:updated|date|modified|last-modified):[ \t]*([^\n]*)$", re.MULTILINE | re.IGNORECASE)
_WIDTH = 72
"""Letters of a line of an RFC."""
_TOP = 4_000
"""Letters at the beginning of a text in which its title and date are looked for."""


def join_pages(text: str) -> str:
    """Take out the feet and heads of printed pages (as in RFCs), so that a paragraph goes on over them."""
    pages = text.split("\f")
    if len(pages) == 1:
        return text
    joined = pages[0]
    parts: list[str] = []
    for page in pages[1:]:
        body = joined.rstrip()
        last = body.rfind("\n") + 1
        if not _FOOTER.search(body[last:]):
            parts.append(joined + "\n")
            joined = page
            continue
        body = body[:last].rstrip()
        _, _, rest = page.lstrip("\n").partition("\n")
        rest = rest.lstrip("\n")
        goes_on = body[-1:].isalnum() or body[-1:] in ",;-(" or rest.lstrip()[:1].islower()
        parts.append(body + ("\n" if goes_on else "\n\n"))
        joined = rest
    return "".join(parts) + joined


def read_plain(text: str) -> Extract:
    """Read a plain text or reStructuredText."""
    headings = _underlined(text)
    if not headings:
        headings = _lone_lines(text)
    dated = _DOCINFO.search(text, 0, _TOP)
    modified = as_date(dated[1]) if dated else None
    at_top = headings and not text[: headings[0].start].strip()
    title = headings[0].text if at_top else _title(text)
    return Extract(text, title, tuple(headings), 0, modified, "front_matter" if modified else "file")


def _underlined(text: str) -> list[Heading]:
    found: list[Heading] = []
    levels: dict[tuple[str, bool], int] = {}
    for mark in _UNDERLINED.finditer(text):
        title, rule = mark["title"].rstrip(), mark["rule"]
        if len(rule) < 0.6 * len(title) or not any(sign.isalnum() for sign in title):
            continue
        before = text.rfind("\n", 0, max(0, mark.start() - 1)) + 1
        over = mark.start() > 0 and text[before : mark.start()].rstrip() == rule
        level = levels.setdefault((mark["sign"], over), len(levels) + 1)
        found.append(Heading(before if over else mark.start(), level, one_line(title)))
    return found


def _lone_lines(text: str) -> list[Heading]:
    found = {}
    for mark in _NUMBERED.finditer(text):
        title = mark["title"].rstrip()
        if ".." not in title and " . ." not in title and title[-1] not in ".;,:":
            found[mark.start("title")] = (mark["number"].count(".") + 1, title)
    for mark in _CAPITALS.finditer(text):
        found.setdefault(mark.start("title"), (1, mark["title"].rstrip()))
    return [Heading(start, level, one_line(title)) for start, (level, title) in sorted(found.items())]


def _title(text: str) -> str:
    """The centred line near the top (where RFCs have it), else the first line if it reads like a title."""
    lines = [line for line in text[:_TOP].split("\n")[:60] if line.strip()]
    for line in lines[:20]:
        said = line.strip()
        indent = len(line) - len(line.lstrip())
        if indent >= 4 and abs(indent - (_WIDTH - len(said)) / 2) <= 6 and "   " not in said and len(said) >= 6:
            return one_line(said)
        if len(said) > 60 and "   " not in said:
            break  # the text has begun
    first = lines[0].strip() if lines else ""
    if len(first) > 120 or "   " in first or _FIELD.match(first) or not any(sign.isalpha() for sign in first):
        return ""
    return one_line(first.strip("=#*-_ "))
