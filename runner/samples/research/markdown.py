"""Text of documents inside Markdown: nothing in it acts as markup, and taking the escapes away gives it back."""

from __future__ import annotations

import re

from runner.samples.research.words import folded

_MARKUP = re.compile(r"[\\`*<\[\]]|~(?=~)|(?<=~)~|&(?=#?\w+;)")
_EDGE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_LINE_START = re.compile(r"^([ \t]*)([#+\-=>])", re.MULTILINE)
_NUMBER = re.compile(r"^([ \t]*\d{1,9})([.)])", re.MULTILINE)
_ESCAPED = re.compile(r"\\([^A-Za-z0-9\s])")


def escaped(text: str) -> str:
    """A text that Markdown shows as it is; names such as `max_visits` need no escape."""
    return _NUMBER.sub(r"\1\\\2", _LINE_START.sub(r"\1\\\2", _inside(text)))


def _inside(text: str) -> str:
    return _EDGE.sub(r"\\_", _MARKUP.sub(r"\\\g<0>", text))


def on_one_line(text: str) -> str:
    """The same on one line, for the middle of a line."""
    return _inside(folded(text))


def quoted(text: str) -> str:
    """A text as a block quote, line by line, each as it is."""
    return "\n".join(f"> {escaped(line)}" for line in text.split("\n"))


def unquoted(block: str) -> str:
    """The text in a block quote that `quoted` made."""
    return _ESCAPED.sub(r"\1", "\n".join(line.removeprefix("> ") for line in block.split("\n")))
