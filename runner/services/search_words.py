"""Texts cut into the words by which they are found: letters and digits in lower case, with what joins them inside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from editor.language.definition import Input
from runner.models.words import LONGEST_WORD

MOST_WORDS = 12
"""Words that are kept of one run."""
READ_CHARS = 400
"""Of one input no more is read."""
_WORD = re.compile(r"[^\W_](?:[\w.@-]*[^\W_])?")
_FOUND_BY = ("short_text", "long_text", "choice", "date", "integer")


def words_in(text: str) -> list[str]:
    """The different words of a text, in its order; those of one letter are none."""
    found = (match.group()[:LONGEST_WORD] for match in _WORD.finditer(text.replace("\0", " ").casefold()))
    return list(dict.fromkeys(word for word in found if len(word) > 1))


def words_of_inputs(declared: Iterable[Input], inputs: Mapping[str, object]) -> list[str]:
    """The words by which a run is found. What a flow marks as sensitive gives none."""
    texts = [
        str(inputs[one.name])[:READ_CHARS]
        for one in declared
        if one.type in _FOUND_BY and not one.sensitive and inputs.get(one.name) is not None
    ]
    return words_in("\n".join(texts))[:MOST_WORDS]
