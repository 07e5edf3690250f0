"""Words, sentences and their places, and text of documents inside Markdown."""

from __future__ import annotations

import pytest

from runner.samples.research.markdown import escaped, quoted, unquoted
from runner.samples.research.sentences import sentences
from runner.samples.research.words import content_words, is_negated, likeness, numbers, stem, stems

MARKDOWN = """# Runs

A run survives its worker, e.g. a worker that was killed with `kill -9`. It goes on
on another one. See https://example.org.

## Limits

- every step has a time limit of its own, in milliseconds
- too short

| what | how |
| --- | --- |
| a worker that dies | its lease expires and another worker takes the attempt over |

```
This sentence stands inside of code and is not to be quoted.
```

Setext heading
--------------

1. The first item of a list is a sentence. It has a second one, too.

and the rest of a sentence that was cut somewhere before.
"""


def test_sentences_stand_where_they_say() -> None:
    found = sentences(MARKDOWN)
    assert all(MARKDOWN[one.start : one.end] == one.text for one in found)
    assert [(one.text, one.headings) for one in found] == [
        ("A run survives its worker, e.g. a worker that was killed with `kill -9`.", ("Runs",)),
        ("every step has a time limit of its own, in milliseconds", ("Runs", "Limits")),
        (
            "a worker that dies | its lease expires and another worker takes the attempt over",
            ("Runs", "Limits"),
        ),
        ("The first item of a list is a sentence.", ("Runs", "Setext heading")),
    ]


def test_wrapped_sentences_keep_their_line_breaks_and_lists_of_short_lines_are_none() -> None:
    wrapped = "   A sentence that goes over the end of its line, as in\n   many texts, is quoted as it stands there.\n"
    assert [one.text for one in sentences(wrapped)] == [wrapped.strip()]
    assert sentences("Apples and pears\nPlums and some more\nCherries, and that was all of it.\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "Copyright 2020 by the people who have written this document.",
        "Contents of this document ........................... 12 pages.",
        "See [one](a.md) and [two](b.md) for all that there is to be said.",
        "(merge 1a2b3c of some branch that nobody knows any more).",
        "https://example.org/a-very-long-address-of-a-document-somewhere.",
        "x = {{1: 2}} and then y == {{3: 4}} in all of these lines here.",
        "Too short.",
        "",
    ],
)
def test_what_nobody_would_quote_is_left_out(text: str) -> None:
    assert sentences(text) == []


def test_a_text_of_nothing_but_odd_letters_ends_quickly() -> None:
    for text in (
        "." * 20_000,
        "- " * 20_000,
        "|" * 20_000,
        "_" * 20_000,
        "#" * 20_000 + " x",
        "# " + "#" * 50_000 + "b",
        "| x" + " " * 50_000,
        "\u2028\n" * 9_000,
    ):
        sentences(text)
        assert unquoted(quoted(text)) == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("retries", "retry"), ("approved", "approval"), ("stopping", "stop"), ("detection", "detector"),
        ("applied", "apply"), ("worker's", "workers"), ("Runs", "run"), ("caches", "cached"),
    ],
)  # fmt: skip
def test_forms_of_a_word_meet(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_words_that_carry_meaning() -> None:
    assert content_words("How does the run of max_visits end, and what isn't a run?") == ["run", "max", "visits", "end"]
    assert stems("of the") == frozenset() and likeness([], []) == 0
    assert numbers("4 bar, 1.5 s, v2, 10%, HTTP/2") == {"4", "1.5", "10%", "2"}
    assert is_negated("It isn't.") and is_negated("They cannot.") and not is_negated("It is noted.")


@pytest.mark.parametrize(
    "text",
    [
        "a_b __init__ *x* [y](z) <b> a -> b", "1. x\n   2) y\n# no\n- i\n> q\n=== \n+ z",
        r"\_ \ \\ ~~s~~ a~b &amp; & $5",
        "___", "ends with \\", "![picture](http://example.org/p.png) <script>alert(1)</script> `code`", "Ünï \\é *",
    ],
)  # fmt: skip
def test_taking_the_escapes_away_gives_the_text_back(text: str) -> None:
    assert unquoted(quoted(text)) == text
    assert "<script" not in escaped(text).replace("\\<", "")
