"""Cutting a text into passages: at headings, between paragraphs, in long paragraphs after a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from runner.tools.folder.extract import Heading

AIM = 800
"""Letters from which a passage takes in no further paragraph."""
MOST = 1_200
"""Letters that no passage exceeds."""

_BETWEEN = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*(?=\s)|[。！？][」』”’）]*")


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a text, from `start` to before `end` in letters, and the headings above it, outermost first."""

    start: int
    end: int
    headings: tuple[str, ...] = ()


def cut_passages(text: str, headings: Sequence[Heading] = (), body: int = 0) -> list[Passage]:
    """Cut a text from `body` on. Passages follow each other, do not overlap, and leave out nothing but white space."""
    marks = [one for one in headings if body <= one.start < len(text)]
    bounds = [body, *(one.start for one in marks), len(text)]
    passages: list[Passage] = []
    path: list[Heading] = []
    begun: int | None = None  # headings without a text of their own go to the section below them
    for number, (start, end) in enumerate(pairwise(bounds)):
        if number:
            path = [*(one for one in path if one.level < marks[number - 1].level), marks[number - 1]]
        if begun is None:
            begun = start
        if number and number < len(marks) and _is_bare(text, start, end) and end - begun < MOST // 2:
            continue
        said = tuple(one.text for one in path)
        passages.extend(Passage(one, other, said) for one, other in _section(text, begun, end))
        begun = None
    return passages


def _is_bare(text: str, start: int, end: int) -> bool:
    """Whether a section is its heading alone: one line, or one with a rule below (and above) it."""
    lines = [line for line in text[start : min(end, start + MOST)].split("\n") if line.strip()]
    return len([line for line in lines if any(sign.isalnum() for sign in line)]) <= 1 and end - start < MOST


def _section(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begun: int | None = None
    last = start
    for one, other in _pieces(text, start, end):
        if begun is not None and (other - begun > MOST or last - begun >= AIM):
            yield begun, last
            begun = None
        begun = one if begun is None else begun
        last = other
    if begun is not None:
        yield begun, last


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The paragraphs, none longer than a passage may be, without the white space around them."""
    place = start
    while place < end:
        gap = _BETWEEN.search(text, place, end)
        stop = gap.start() if gap else end
        yield from _bounded(text, place, stop)
        place = gap.end() if gap else end


def _bounded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while (start := _skip_space(text, start, end)) < end:
        stop = end if end - start <= MOST else _cut(text, start)
        last = stop
        while text[last - 1].isspace():
            last -= 1
        yield start, last
        start = stop


def _cut(text: str, start: int) -> int:
    """Where a long paragraph is cut best: after its last sentence that fits, else a line, a word, a letter."""
    least, most = start + AIM // 2, start + MOST
    ends = [found.end() for found in _SENTENCE_END.finditer(text, least, most)]
    if ends:
        return ends[-1]
    for sign in ("\n", " "):
        place = text.rfind(sign, least, most)
        if place > 0:
            return place
    return most


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start
