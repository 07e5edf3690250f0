"""Sorting messages by their words: the category with the most of its words, and the words as the reason."""

from __future__ import annotations

from typing import get_args

import pytest

from runner.samples.support_rules import KEYWORDS, OTHER, Category, sort_by_words


@pytest.mark.parametrize(
    ("message", "category"),
    [
        ("The invoice for March was charged twice.", "billing"),
        ("I want my MONEY\nBACK!", "billing"),
        ("The app crashed with an error.", "technical"),
        ("It doesn’t work since the update.", "technical"),
        ("What is the price of ten seats? We would like to upgrade.", "sales"),
        ("Do you have a phone number?", "other"),
        ("", "other"),
        ("Préparez-vous ! 你好", "other"),
    ],
)
def test_a_message_is_sorted_by_its_words(message: str, category: str) -> None:
    assert sort_by_words(message)["category"] == category


def test_the_reason_names_the_words_and_nothing_else() -> None:
    assert sort_by_words("Please refund the invoice; a receipt would be kind. What a price!") == {
        "category": "billing",
        "reason": "It says “invoice”, “refund”, “receipt”.",
    }
    assert "none of the words" in sort_by_words("Hello")["reason"]


def test_a_part_of_a_word_is_no_word() -> None:
    assert sort_by_words("My paypal planet is billeted by borders")["category"] == OTHER


def test_the_category_that_stands_first_wins_a_tie() -> None:
    assert sort_by_words("The price of the invoice is an error.")["category"] == "billing"


def test_every_category_has_words_that_no_other_has() -> None:
    assert (*KEYWORDS, OTHER) == get_args(Category)
    words = [word for own in KEYWORDS.values() for word in own]
    assert len(words) == len(set(words))
    assert all(word == word.lower() for word in words)


def test_a_long_message_is_sorted_in_no_time() -> None:
    assert sort_by_words("bill " * 100_000)["category"] == "billing"
