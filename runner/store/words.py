"""Texts cut into the words by which runs are found, and the writing of those of a new run.

A word is letters and digits in lower case, with what joins them inside.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from runner.models.words import LONGEST_WORD
from runner.store.sql import execute_many

_WORD = re.compile(r"[^\W_](?:[\w.@-]*[^\W_])?")


def words_in(text: str) -> list[str]:
    """The different words of a text, in its order; those of one letter are none."""
    found = (match.group()[:LONGEST_WORD] for match in _WORD.finditer(text.replace("\0", " ").casefold()))
    return list(dict.fromkeys(word for word in found if len(word) > 1))


def write_words(run_id: str, started_at: int, words: Sequence[str]) -> None:
    """Keep the words of a new run; `started_at` is in milliseconds."""
    if words:
        execute_many(
            "INSERT INTO runner_runword (run_id, word, started_at) VALUES (%s, %s, %s)",
            [(run_id, word, started_at) for word in words],
        )
