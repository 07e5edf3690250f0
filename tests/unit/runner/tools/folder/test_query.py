"""Questions as terms of the full-text index: no syntax of it passes, stop words go, compounds stay together."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.tools.folder.query import read_query, signs_of


@pytest.mark.parametrize(
    ("asked", "words", "phrases"),
    [
        ("How does the lease of a worker expire?", ['"lease"', '"worker"', '"expire"'], ['"worker expire"']),
        ("connection pool size", ['"connection"', '"pool"', '"size"'], ['"connection pool"', '"pool size"']),
        ('say "exactly once" again', ['"say"', '"exactly"'], ['"exactly once"', '"say exactly"']),
        ("read-only", ['"read only"', '"read"'], []),
        ("get_or_create", ['"get or create"', '"create"'], []),
        ("the model's answers", ['"model"', '"answers"'], ['"model answers"']),
        ("to be or not to be", ['"to"', '"be"', '"or"', '"not"'], ['"to be or not to be"']),
        ("Lease lease LEASE", ['"Lease"'], ['"Lease lease"']),
        ("身份验证", ['signs : "身份"', 'signs : "份验"', 'signs : "验证"'], []),
        ("猫", ['signs : "猫"*'], []),
        ("?! -- ***", [], []),
        ("", [], []),
    ],
)
def test_a_question_becomes_these_terms(asked: str, words: list[str], phrases: list[str]) -> None:
    query = read_query(asked)
    assert (list(query.words), list(query.phrases)) == (words, phrases)


HOSTILE = [
    '"',
    "AND",
    "OR",
    "NOT",
    "NEAR(",
    ")",
    "*",
    "^",
    ":",
    "body:",
    "a AND",
    "{a b} :",
    "'",
    "\0",
    "\ud800",
    "-",
    "+",
    "\\",
]


@given(st.lists(st.sampled_from(HOSTILE) | st.text(max_size=12), max_size=12).map(" ".join))
def test_nothing_that_is_asked_is_syntax_of_the_index(asked: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (title, heading, body, signs)")
    query = read_query(asked)
    for term in (*query.words, *query.phrases):
        connection.execute("SELECT count(*) FROM words WHERE words MATCH ?", (f"({term}) OR ({term})",))
    connection.close()


def test_writing_without_spaces_is_kept_as_pairs_of_signs() -> None:
    assert signs_of("Die 身份验证 and カタ") == "身份 份验 验证 カタ"
    assert signs_of("nothing of it: ä") == ""
