"""Numbers, texts and JSON forms of values, compared with what JavaScript gives."""

from __future__ import annotations

import copy
import json
import math
import pickle

import pytest

from editor.language.expressions import UNDEFINED, ExpressionError, evaluate, to_json, to_text, truthy
from editor.language.expressions.numbers import text_number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (5.0, "5"),
        (-5.5, "-5.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (123456789012345680000.0, "123456789012345680000"),
        (1.5e21, "1.5e+21"),
        (-1.25e-7, "-1.25e-7"),
        (1e-6, "0.000001"),
        (1.5e-6, "0.0000015"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (9007199254740993.0, "9007199254740992"),
        (9007199254740993, "9007199254740993"),
        (2**70, "1180591620717411303424"),
        (12345.678, "12345.678"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
    ],
)
def test_the_text_of_numbers(number: float, text: str) -> None:
    assert to_text(number) == text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0),
        (" \t\u00a0\ufeff\u2028", 0),
        (" 12 ", 12),
        ("1e3", 1000),
        (".5", 0.5),
        ("5.", 5),
        ("+5", 5),
        ("-.5e-1", -0.05),
        ("0x1F", 31),
        ("0b11", 3),
        ("0o17", 15),
        ("Infinity", math.inf),
        ("-Infinity", -math.inf),
        ("1e400", math.inf),
        ("0x" + "f" * 300, math.inf),
    ],
)
def test_texts_that_are_numbers(text: str, number: float) -> None:
    assert text_number(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "abc",
        "1_000",
        "inf",
        "nan",
        "NaN",
        "١٢",
        "--5",
        "1e",
        "e3",
        ".",
        "-0x10",
        "0x",
        "1 2",
        "5n",
        "\x1c5",
        "\u0085",
        "１",
    ],
)
def test_texts_that_are_no_numbers(text: str) -> None:
    assert math.isnan(text_number(text))


def test_lists_and_objects_are_written_as_compact_json() -> None:
    value = {"b": [1.0, 1e21, None, True, 'é"\\\n\x01'], "2": {}, "1": [], "a b": "😀", "01": -0.0}
    text = to_text(value)
    assert text == '{"1":[],"2":{},"b":[1,1e+21,null,true,"é\\"\\\\\\n\\u0001"],"a b":"😀","01":0}'
    assert json.loads(text) == value
    assert to_text(["\ud83d"]) == '["\\ud83d"]'
    assert to_text([math.nan]) == "[null]"


def test_deep_and_foreign_values_have_no_text_but_a_clear_error() -> None:
    deep: list[object] = []
    for _ in range(50_000):
        deep = [deep]
    assert len(to_text(deep)) == 100_002
    with pytest.raises(ExpressionError, match="64 levels"):
        to_json(deep)
    for value in (object(), {1, 2}, b"x", [object()]):
        with pytest.raises(ExpressionError):
            to_text(value)
        with pytest.raises(ExpressionError):
            to_json(value)
    with pytest.raises(ExpressionError, match="digits"):
        to_text(10**5000)


def test_the_json_form_is_what_may_be_stored() -> None:
    stored = to_json(
        {"a": [5.0, -0.0, 1.5, UNDEFINED, 9007199254740993, 1e300], "half": "\ud83dx", "pair": "\ud83d\ude00"}
    )
    assert stored == {
        "a": [5, 0, 1.5, None, 9007199254740993, 1e300],
        "half": "\ufffdx",
        "pair": "😀",
    }
    assert [type(item) for item in stored["a"][:2]] == [int, int]  # type: ignore[index]
    json.dumps(stored, allow_nan=False).encode()
    for bad in (math.nan, math.inf, [math.nan], {"a": -math.inf}):
        with pytest.raises(ExpressionError, match="cannot be stored"):
            to_json(bad)


def test_the_json_form_is_a_copy() -> None:
    value = {"a": [1]}
    stored = to_json(value)
    value["a"].append(2)
    assert stored == {"a": [1]}


def test_undefined_is_one_object_without_truth() -> None:
    assert not UNDEFINED
    assert not truthy(UNDEFINED)
    assert repr(UNDEFINED) == "undefined"
    assert copy.deepcopy(UNDEFINED) is UNDEFINED
    assert pickle.loads(pickle.dumps(UNDEFINED)) is UNDEFINED
    assert to_json(UNDEFINED) is None
    assert to_text(UNDEFINED) == ""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("s.length", 4),
        ("s[1] + s[2] === '😀'", True),
        ("'{{s}}'.length", 4),
        ("s.includes(s[1])", True),
        ("s.startsWith('a' + s[1])", True),
        ("s.endsWith(s[2] + 'b')", True),
        ("(s[1] + s[2]).length", 2),
        ("s[3]", "b"),
        ("e < s", True),
    ],
)
def test_texts_count_in_utf16_units(text: str, value: object) -> None:
    assert evaluate(text, {"s": "a😀b", "e": "a" + "\ud83c"}) == value


def test_a_very_large_integer_acts_as_infinity_in_arithmetic() -> None:
    assert evaluate("a * 2", {"a": 10**400}) == math.inf
    assert evaluate("a < b", {"a": 10**400, "b": 10**401}) is True
    assert evaluate("-a < 1.5", {"a": 10**400}) is True
