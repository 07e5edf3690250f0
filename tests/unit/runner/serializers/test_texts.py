"""Values as text that a person can trust: no character that cannot be seen goes unnamed."""

import json

import pytest

from runner.serializers.browser import for_browser, text_for_browser
from runner.serializers.texts import editable, pieces, pretty


def shown(text: str) -> str:
    return "".join(f"[{piece.text}]" if piece.hidden else piece.text for piece in pieces(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text", "plain text"),
        ("Zürich, 東京, Москва", "Zürich, 東京, Москва"),
        ("two\nlines", "two\nlines"),
        ("pay\u200bpal", "pay[U+200B]pal"),
        ("abc\u202edcba", "abc[U+202E]dcba"),
        ("a\u00a0b", "a[U+00A0]b"),
        ("\ufeffstart", "[U+FEFF]start"),
        ("tag\U000e0041", "tag[U+E0041]"),
        ("filler\u3164", "filler[U+3164]"),
        ("select\ufe0f", "select[U+FE0F]"),
        ("bell\x07 and del\x7f", "bell[U+0007] and del[U+007F]"),
        ("line\u2028end", "line[U+2028]end"),
        ("\u200b\u200c", "[U+200B][U+200C]"),
    ],
)
def test_characters_that_draw_nothing_are_named(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_a_hidden_character_has_its_name_as_title() -> None:
    assert [piece.title for piece in pieces("\u202e") if piece.hidden] == ["RIGHT-TO-LEFT OVERRIDE"]


def test_the_whole_text_is_shown_once() -> None:
    assert "".join(piece.text for piece in pieces("a\u200bb")) == "aU+200Bb"


def test_pretty_json_keeps_letters_and_whole_numbers() -> None:
    assert pretty({"b": 2**70, "a": "é"}) == f'{{\n  "a": "é",\n  "b": {2**70}\n}}'


def test_whole_numbers_over_2_53_go_to_browsers_as_text() -> None:
    value = {"a": [2**53, 2**53 + 1, -(2**60), 1.5, True, "9007199254740993"]}
    assert for_browser(value) == {
        "a": [2**53, "9007199254740993", "-1152921504606846976", 1.5, True, "9007199254740993"]
    }
    assert text_for_browser('{"a":9007199254740993}') == '{"a":"9007199254740993"}'
    assert text_for_browser('{"a":12}') == '{"a":12}'


def test_text_to_be_edited_escapes_hidden_characters_and_keeps_the_value() -> None:
    value = {"a": "x\u200by\U000e0041", "b": "é"}
    text = editable(value)
    assert "\\u200b" in text and "é" in text and "\u200b" not in text
    assert json.loads(text) == value
