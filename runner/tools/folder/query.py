"""What a person or a model asks, as terms for the full-text index: nothing of the index's own syntax passes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

MAX_LETTERS = 2_000
MAX_WORDS = 24

_QUOTED = re.compile(r"[\"“”„«»]([^\"“”„«»]{1,200})[\"“”«»]")
_PIECE = re.compile(r"[^\s\"“”„«»()\[\]{}<>,;!?|]+")
_WORD = re.compile(r"[^\W_]+")
_SHORTENED = re.compile(r"['’](?:s|t|re|ve|ll|d|m)$", re.IGNORECASE)
_SIGNS = re.compile("[\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
"""Runs of writing without spaces between words: Chinese and Japanese."""

_SAY_NOTHING = """
    a about above after again against all also am an and any are aren as at be because been before being below
    between both but by can cannot could couldn did didn do does doesn doing don down during each either else etc
    few for from further get gets give given had hadn has hasn have haven having he her here hers him his how
    however i if in into is isn it its itself just like ll made make many may me might more most much must my need
    no nor not of off on once one only or other our out over own please same shall she should shouldn so some such
    tell than that the their them then there these they this those through thus to too under until up upon us use
    used uses using very via was wasn we were weren what when where whether which while who whom whose why will
    with within without won would wouldn yet you your
"""
STOP_WORDS = frozenset(_SAY_NOTHING.split())
"""English words that say nothing of what is looked for."""


@dataclass(frozen=True, slots=True)
class Query:
    """Terms in the index's own form. `words` count towards how much of the question a passage covers; `phrases`
    (quoted ones, and words that stand side by side) only raise its score."""

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()


def read_query(text: str) -> Query:
    """Read a question. One of stop words alone ("to be or not to be") is taken by its words."""
    text = unicodedata.normalize("NFC", text[:MAX_LETTERS].encode("utf-8", "replace").decode()).replace("\0", " ")
    phrases = [_term(found) for found in _QUOTED.findall(text) if len(_WORD.findall(found)) > 1]
    words: list[str] = []
    before = ""
    for piece in _pieces(text):
        if piece.casefold() in STOP_WORDS:
            before = ""
            continue
        if before:
            phrases.append(_term(f"{before} {piece}"))
        before = piece
        words.extend(_words_of(piece))
    if not words:
        every = _WORD.findall(text)
        words = [_term(word) for word in every]
        phrases = [_term(" ".join(every))] if len(every) > 1 else []
    return Query(_distinct(words), _distinct(phrases))


def signs_of(text: str) -> str:
    """The pairs of neighbouring signs in writing without spaces, as words; empty for any other text."""
    return "" if text.isascii() else " ".join(pair for run in _SIGNS.findall(text) for pair in _pairs(run))


def _pieces(text: str) -> Iterator[str]:
    for piece in _PIECE.findall(text):
        bare = piece.strip("'’‘`.:*_-+/\\=~&^%$#@…")
        bare = _SHORTENED.sub("", bare)
        if _WORD.search(bare):
            yield bare


def _words_of(piece: str) -> Iterator[str]:
    """A piece as one term; the parts of a compound (`read-only`, `get_or_create`) count beside it."""
    for run in _SIGNS.findall(piece):
        yield from (_term(pair, "signs") for pair in _pairs(run))
    parts = _WORD.findall(_SIGNS.sub(" ", piece))
    if len(parts) > 1 or (parts and not _SIGNS.search(piece)):
        yield _term(" ".join(parts))
    if len(parts) > 1 or _SIGNS.search(piece):
        yield from (_term(part) for part in parts if len(part) > 1 and part.casefold() not in STOP_WORDS)


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(max(1, len(run) - 1))]


def _term(text: str, column: str = "") -> str:
    quoted = '"' + text.replace('"', " ") + '"'
    if column:  # a single sign is the beginning of a pair
        return f"{column} : {quoted}" + ("*" if len(text) == 1 else "")
    return quoted


def _distinct(terms: list[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for term in terms:
        found.setdefault(term.casefold(), term)
    return tuple(found.values())[:MAX_WORDS]
