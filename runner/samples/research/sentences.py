"""Sentences of a document with their exact places: of Markdown, plain text, and text out of web pages.

Code, headings and lines that are no sentences are left out; headings are kept as what stands above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from runner.samples.research.words import all_words, folded

LONGEST_LINE = 1_000
"""Letters of a line that may be a heading, or a row of a table."""
SHORTEST, LONGEST = 30, 420
"""Letters of a sentence that can be quoted, on one line."""
FEWEST_WORDS = 5
FRAGMENT_WORDS = 8
"""Words of an item without a dot at its end."""
WRAPPED = 36
"""Letters that a line of wrapped prose has at least; shorter ones are a list, a poem, a table."""

_HEADING = re.compile(r"[ \xa0]{0,3}(#{1,6})[ \t\xa0]+(.+?)[ \t#]*$")
_UNDERLINE = re.compile(r"[ \xa0]{0,3}([=\-~^\"'*+#])\1{2,}[ \t\xa0]*$")
_NUMBERED = re.compile(r"[ \xa0]{0,3}(\d{1,2}(?:\.\d{1,3})*)\.?[ \t\xa0]+([A-Z][^.!?:;]{2,70})$")
_FENCE = re.compile(r"[ \xa0]{0,3}(```|~~~)")
_ITEM = re.compile(r"[ \t\xa0]*(?:[-*+•o]|\d{1,3}[.)]|\([a-z0-9]{1,3}\))[ \t\xa0]+(?:\[[ xX]\][ \t\xa0]+)?(?=\S)")
_ROW = re.compile(r"[ \t\xa0]*\|[ \t\xa0]*(?=\S)(.*?\S)[ \t\xa0]*\|[ \t\xa0]*")
_END = re.compile(r"[.!?][\"'”’)\]*_`]*(?=\s|$)")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:e\.g|i\.e|etc|vs|cf|al|approx|resp|incl|no|fig|sec|ch|dr|mr|mrs|ms|st|jan|feb|mar|apr|jun|jul"
    r"|aug|sept?|oct|nov|dec|[A-Za-z])\.$",
    re.IGNORECASE,
)
_NO_SENTENCE = re.compile(
    r"copyright|all rights reserved|licen[sc]ed under|\.{4,}|[{}<>=]{2}"
    r"|^(?:<?https?://\S+|[:.][a-z]+::.*|\(.*\)\.?|\.\. .*|[-:| ]+)$",
    re.IGNORECASE,
)
_LINK = re.compile(r"\[[^\[\]]*\]\([^()\s]*\)")
_OPENS = ("(", "[", '"', "'", "“", "‘", "`", "*", "_", "<", "«")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence at `text[start:end]`, verbatim, with the headings above it, outermost first."""

    start: int
    end: int
    text: str
    headings: tuple[str, ...]


@dataclass(slots=True)
class _Block:
    """Lines that belong together: `(start, end)` of each, without its line break. `is_item`: of a list, or a table."""

    lines: list[tuple[int, int]]
    headings: tuple[str, ...]
    is_item: bool = False


def sentences(text: str) -> list[Sentence]:
    """Every sentence of a document that can be quoted, in order; a row of a table counts as one."""
    return [one for block in _blocks(text) for one in _of_block(text, block) if _can_be_quoted(one.text)]


def _blocks(text: str) -> Iterator[_Block]:
    above: dict[int, str] = {}
    block = _Block([], ())
    fence = ""
    for start, end in _lines(text):
        line = text[start:end]
        mark = _FENCE.match(line)
        if fence or mark:
            fence = "" if mark and fence == mark[1] else fence or (mark[1] if mark else "")
            line = ""
        if len(block.lines) == 1 and _UNDERLINE.match(line):
            _note_heading(above, 1 if line.strip()[0] == "=" else 2, text[slice(*block.lines[0])])
            block = _Block([], tuple(above[level] for level in sorted(above)))
            continue
        is_short = len(line) <= LONGEST_LINE
        heading = _heading_of(line, not block.lines) if is_short else None
        row, item = _ROW.fullmatch(line) if is_short else None, _ITEM.match(line)
        if not line.strip() or heading or row or item:
            yield block
            if heading:
                _note_heading(above, *heading)
            block = _Block([], tuple(above[level] for level in sorted(above)), bool(row or item))
        if row:
            block.lines.append((start + row.start(1), start + row.end(1)))
        elif line.strip() and not heading and not _UNDERLINE.match(line):
            block.lines.append((start + item.end() if item else start, end))
    yield block


def _heading_of(line: str, stands_alone: bool) -> tuple[int, str] | None:
    marked = _HEADING.match(line)
    if marked:
        return len(marked[1]), marked[2]
    numbered = _NUMBERED.match(line) if stands_alone else None
    return (numbered[1].count(".") + 1, numbered[2]) if numbered else None


def _note_heading(above: dict[int, str], level: int, title: str) -> None:
    for deeper in [one for one in above if one >= level]:
        del above[deeper]
    above[level] = folded(title.strip("*_` "))


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, start + len(line.rstrip("\r\n\f\v\x1c\x1d\x1e\x85\u2028\u2029"))
        start += len(line)


def _of_block(text: str, block: _Block) -> Iterator[Sentence]:
    if not block.lines or _is_code([text[start:end] for start, end in block.lines]):
        return
    first, last = block.lines[0][0], block.lines[-1][1]
    whole = text[first:last]
    begin = 0
    for found in _END.finditer(whole):
        if not _goes_on(whole, found):
            yield from _sentence(text, block, first + begin, first + found.end())
            begin = found.end()
    if block.is_item and len(all_words(whole[begin:])) >= FRAGMENT_WORDS and not whole.rstrip().endswith((":", ",")):
        yield from _sentence(text, block, first + begin, first + len(whole.rstrip()))


def _goes_on(whole: str, found: re.Match[str]) -> bool:
    """Whether a dot is no end: of an abbreviation, or before a small letter."""
    rest = whole[found.end() :].lstrip()
    if rest and not (rest[0].isupper() or rest[0].isdigit() or rest.startswith(_OPENS)):
        return True
    return bool(_ABBREVIATION.search(whole[max(0, found.start() - 12) : found.start() + 1])) and bool(rest)


def _sentence(text: str, block: _Block, start: int, end: int) -> Iterator[Sentence]:
    while start < end and text[start].isspace():
        start += 1
    if not block.is_item and text[start : start + 1].islower():
        return  # the rest of a sentence that a list or code has cut
    wrapped = [line for line in block.lines if start < line[1] < end]
    if start < end and all(line[1] - line[0] >= WRAPPED for line in wrapped):
        yield Sentence(start, end, text[start:end], block.headings)


def _is_code(lines: list[str]) -> bool:
    """Lines that a reader would not read aloud."""
    marked = sum(">>>" in line or line.lstrip().startswith(("$ ", "+-", "|")) for line in lines)
    endings = sum(line.rstrip().endswith((";", "{", "}", "(", ",)", "):")) for line in lines)
    return marked * 2 > len(lines) or endings * 2 > len(lines)


def _can_be_quoted(quote: str) -> bool:
    line = folded(quote)
    if not SHORTEST <= len(line) <= LONGEST or _NO_SENTENCE.search(line) or line.count("](") > 1:
        return False
    letters = sum(letter.isalpha() or letter == " " for letter in line)
    return letters >= 0.75 * len(line) and len(all_words(_LINK.sub(" ", line))) >= FEWEST_WORDS
