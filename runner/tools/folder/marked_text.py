"""Markdown: its headings outside code, and what its front matter says. The text stays as it is in the file."""

from __future__ import annotations

import re

from runner.tools.folder.extract import Extract, Heading, as_date, one_line

_FRONT_MATTER = re.compile(r"(---|\+\+\+)[ \t]*\n")
_FIELD = re.compile(r"^([A-Za-z_-]+)[ \t]*[:=][ \t]*([^\n]*)$", re.MULTILINE)
_LONGEST_FRONT_MATTER = 20_000
_DATES = ("last_modified", "lastmod", "modified", "updated", "date")
"""Keys of front matter that date a document, the most telling first."""

_MARK = re.compile(
    r"^ {0,3}(?:(?P<fence>`{3,}|~{3,})|(?P<hash>#{1,6})[ \t]+(?P<atx>[^\n]*)$"
    r"|(?P<setext>[^\s#>|`~=+*-][^\n]*)\n {0,3}(?P<under>=+|-{2,})[ \t]*$)",
    re.MULTILINE,
)
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*\)|\[[^\[\]]*\])")
_ANCHOR = re.compile(r"\{[^{}]*\}$")


def read_markdown(text: str) -> Extract:
    """Read a Markdown text. The metadata file of a Python package counts as one: a header, then its README."""
    fields, body = _front_matter(text)
    headings = tuple(_headings(text, body))
    first = next((one for one in headings if one.level == 1), headings[0] if headings else None)
    title = one_line(fields.get("title", "").strip("\"'")) or (first.text if first else "")
    modified = next((found for key in _DATES if (found := as_date(fields.get(key)))), None)
    return Extract(text, title, headings, body, modified, "front_matter" if modified else "file")


def _front_matter(text: str) -> tuple[dict[str, str], int]:
    if text.startswith("Metadata-Version:"):
        header = text[: text.find("\n\n") + 1]
        named = _fields(header)
        return {"title": " ".join(filter(None, (named.get("name"), named.get("version"))))}, 0
    begun = _FRONT_MATTER.match(text)
    if not begun:
        return {}, 0
    end = re.compile(rf"^{re.escape(begun[1])}[ \t]*$", re.MULTILINE).search(text, begun.end(), _LONGEST_FRONT_MATTER)
    if end is None:
        return {}, 0
    return _fields(text[begun.end() : end.start()]), end.end()


def _fields(header: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in _FIELD.findall(header):
        found.setdefault(key.lower().replace("-", "_"), value.strip())
    return found


def _headings(text: str, body: int) -> list[Heading]:
    found: list[Heading] = []
    fence = ""
    place = body
    while mark := _MARK.search(text, place):
        place = mark.end()
        if mark["fence"]:
            if not fence:
                fence = mark["fence"]
            elif mark["fence"].startswith(fence):
                fence = ""
        elif fence:
            # A rule below a line of code is no heading, but the line below it may close the code.
            place = mark.end("setext") if mark["setext"] else place
        else:
            level = len(mark["hash"]) if mark["hash"] else 1 if mark["under"].startswith("=") else 2
            said = plain_heading(mark["atx"] if mark["hash"] else mark["setext"])
            if said:
                found.append(Heading(mark.start(), level, said))
    return found


def plain_heading(text: str) -> str:
    """A heading without its marks: links, emphasis, code, anchors."""
    said = one_line(text).rstrip("# \t")
    said = _ANCHOR.sub("", _LINK.sub(r"\1", said))
    return one_line(said.replace("`", "").replace("**", "").strip("*_"))
