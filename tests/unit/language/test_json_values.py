"""The JSON gate and the canonical text: what may be stored, and its one form."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from editor.language.canonical import canonical_text, digest
from editor.language.errors import LanguageError
from editor.language.json_gate import JsonLimits, clean_json, load_json, pointer


def refused(value: Any, **keys: Any) -> str:
    with pytest.raises(LanguageError) as caught:
        clean_json(value, **keys)
    return caught.value.code


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        (5.0, 5),
        (-0.0, 0),
        (1.5, 1.5),
        (float(2**53), float(2**53)),
        (9007199254740993, 9007199254740993),
        (10**100, 10**100),
        (True, True),
        ((1, 2), [1, 2]),
        ({"a": [1.0, {"b": None}]}, {"a": [1, {"b": None}]}),
        ("grüße 😀", "grüße 😀"),
    ],
)
def test_values_take_their_one_form(value: Any, cleaned: Any):
    result = clean_json(value)
    assert result == cleaned
    assert type(result) is type(cleaned)


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), -float("inf"), {1: 2}, {"a": {1, 2}}, b"x", object(), "a\x00b", "\ud800", {"\x00": 1}],
)
def test_what_cannot_be_stored_is_refused(value: Any):
    assert refused(value) == "validation_failed"


def test_a_refusal_names_the_place():
    with pytest.raises(LanguageError) as caught:
        clean_json({"a": [1, {"b/c": float("nan")}]})
    assert "/a/1/b~1c" in caught.value.message


@pytest.mark.parametrize("value", [deep(65), deep(5_000)])
def test_nesting_over_the_limit_is_refused(value: Any):
    assert refused(value) == "limit_exceeded"


def test_nesting_at_the_limit_is_fine():
    assert clean_json(deep(64)) == deep(64)


def test_size_is_counted_in_bytes():
    limits = JsonLimits(max_bytes=100)
    assert clean_json("x" * 90, limits=limits) == "x" * 90
    assert refused("ü" * 60, limits=limits) == "value_too_large"
    assert refused(["x"] * 60, limits=limits) == "value_too_large"


def test_text_of_tools_is_mended_and_the_place_is_told():
    replaced: list[str] = []
    cleaned = clean_json({"a": ["x\x00y", "fine"], "b\ud800": "\udc00"}, replace=True, replaced=replaced)
    assert cleaned == {"a": ["x\ufffdy", "fine"], "b\ufffd": "\ufffd"}
    assert replaced == ["/a/0", "", "/b\ufffd"]


def test_two_halves_side_by_side_are_one_character():
    assert clean_json("\ud83d\ude00", replace=True) == "😀"


def test_mended_keys_that_become_equal_are_refused():
    assert refused({"\x00": 1, "\ufffd": 2}, replace=True) == "validation_failed"


@pytest.mark.parametrize("replace", [False, True])
def test_nan_is_refused_from_tools_too(replace: bool):
    assert refused(float("nan"), replace=replace) == "validation_failed"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "validation_failed"),
        ('{"a": 1,}', "validation_failed"),
        ('{"a": 1, "a": 2}', "validation_failed"),
        ("NaN", "validation_failed"),
        ("-Infinity", "validation_failed"),
        ("1e999", "validation_failed"),
        ("1" * 5_000, "validation_failed"),
        ('"\\u0000"', "validation_failed"),
        ('"\\ud800"', "validation_failed"),
        (b"\xff\xfe", "validation_failed"),
        ("[" * 100_000, "limit_exceeded"),
        ('{"a":' * 100_000, "limit_exceeded"),
        ("[" * 100 + "]" * 100, "limit_exceeded"),
        ('"' + "x" * 2_000 + '"', "value_too_large"),
    ],
)
def test_json_text_that_cannot_be_used_is_refused(text: str | bytes, code: str):
    limits = JsonLimits(max_bytes=1_000) if code == "value_too_large" else JsonLimits()
    with pytest.raises(LanguageError) as caught:
        load_json(text, limits)
    assert caught.value.code == code
    assert len(caught.value.message) < 300


def test_deep_text_is_refused_even_where_the_stack_is_nearly_full():
    def below(levels: int) -> str:
        if levels:
            return below(levels - 1)
        with pytest.raises(LanguageError) as caught:
            load_json("[" * 100_000)
        return caught.value.code

    assert below(sys.getrecursionlimit() - 300) == "limit_exceeded"


def test_json_text_may_be_bytes_with_a_mark():
    assert load_json(b'\xef\xbb\xbf{"a": 1.0}') == {"a": 1}
    assert load_json('\ufeff"x"') == "x"


def test_a_place_is_a_json_pointer():
    assert pointer(()) == ""
    assert pointer(("a/b", 0, "c~d")) == "/a~1b/0/c~0d"


# --- canonical text -------------------------------------------------------------------------------------


def test_the_canonical_text_sorts_keys_and_has_no_spaces():
    assert canonical_text({"b": [1.0, -0.0, 1.5, True, None], "a": "ü"}) == '{"a":"ü","b":[1,0,1.5,true,null]}'


def test_values_that_are_equal_have_one_digest():
    assert digest({"a": 5.0, "b": 1}) == digest({"b": 1, "a": 5})
    assert digest({"a": 5}) != digest({"a": "5"})
    assert digest(1, "v2").startswith("v2:")


@pytest.mark.parametrize("value", [{"a": 1.5, "b": [1, 2]}, "😀", [], {}, 0, None, 10**30])
def test_the_canonical_text_reads_back(value: Any):
    assert json.loads(canonical_text(value)) == value


@pytest.mark.parametrize("value", [float("nan"), {1: 2, "1": 3}, object(), deep(100_000)])
def test_what_has_no_canonical_text_is_refused(value: Any):
    with pytest.raises(LanguageError):
        canonical_text(value)


def test_a_lone_surrogate_has_no_digest():
    with pytest.raises(LanguageError):
        digest("\ud800")
