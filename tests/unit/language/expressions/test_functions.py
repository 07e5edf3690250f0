"""Value expressions: functions of texts, numbers, lists and objects, and what is lazy. Dates: test_dates."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editor.language.expressions import ExpressionError, Read, compile_expression, to_json
from editor.language.expressions.errors import SUPPORTED_FORMS, VALUE_FORMS
from editor.language.expressions.functions.vocabulary import VALUE

ROWS = [
    {"id": 1, "name": "b", "price": 2.5, "tags": ["x"], "user": {"city": "Paris"}},
    {"id": 2, "name": "a", "price": 10, "tags": ["x"], "user": {"city": "London"}},
    {"id": 3, "name": "b", "price": None, "tags": ["y"], "user": {}},
]
NAMES: dict[str, object] = {
    "s": "  Ada Lovelace ",
    "csv": "a,b,,c",
    "emoji": "a😀b",
    "n": 3,
    "f": 2.345,
    "list": ["b", "a", "c", "a"],
    "numbers": [3, 1.5, 2],
    "mixed": [True, 1, "1", None, 2.0, [1], {"a": 1}, {"a": 1.0}, 2],
    "rows": ROWS,
    "o": {"b": 1, "a": 2, "10": 3, "9": 4},
    "nil": None,
    "zero": 0,
    "empty": [],
}


def value(text: str) -> object:
    return compile_expression(text, functions=True).value(NAMES)


def fails(text: str) -> str:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text, functions=True).value(NAMES)
    return caught.value.problem


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("s.trim()", "Ada Lovelace"),
        ("s.trim().toUpperCase()", "ADA LOVELACE"),
        ("'STRASSE ß İ'.toLowerCase()", "strasse ß i̇"),
        ("'straße'.toUpperCase()", "STRASSE"),
        ("csv.split(',')", ["a", "b", "", "c"]),
        ("csv.split('')", ["a", ",", "b", ",", ",", "c"]),
        ("''.split(',')", [""]),
        ("''.split('')", []),
        ("'a1b1'.split(1)", ["a", "b", ""]),
        ("'a.b.c'.replace('.', '-')", "a-b.c"),
        ("'a.b.c'.replaceAll('.', '-')", "a-b-c"),
        ("'aaa'.replaceAll('aa', 'b')", "ba"),
        ("'ab'.replaceAll('', '-')", "-a-b-"),
        ("'ab'.replace('', '-')", "-ab"),
        ("'x'.replace('y', '-')", "x"),
        ("'cost'.replace('cost', '$$5 $& $1')", "$5 cost $1"),
        ("'abc'.replaceAll('b', \"[$`|$'|$&|$$]\")", "a[a|c|b|$]c"),
        ("csv.slice(2)", "b,,c"),
        ("csv.slice(-3, -1)", ",,"),
        ("csv.slice(3, 1)", ""),
        ("emoji.slice(0, 3)", "a😀"),
        ("emoji.split('😀')", ["a", "b"]),
        ("emoji.replace('😀', '-')", "a-b"),
        ("'7'.padStart(3, '0')", "007"),
        ("'7'.padStart(6, 'ab')", "ababa7"),
        ("'1234'.padStart(3, '0')", "1234"),
        ("'7'.padStart(3, '')", "7"),
        ("text(n).padStart(3, 0)", "003"),
        ("text(nil) + text(true) + text(2.0) + text(numbers)", "true2[3,1.5,2]"),
        ("json('a\"b')", '"a\\"b"'),
        ("json(nil)", "null"),
        ("json(o)", '{"9":4,"10":3,"b":1,"a":2}'),
        ("parse_json('{\"a\": [1, 2.0, null]}').a", [1, 2, None]),
        ("parse_json(json(rows)) === rows", True),
        ("url_encode('a b&c/é?\\'()*')", "a%20b%26c%2F%C3%A9%3F'()*"),
        ("base64('héllo')", "aMOpbGxv"),
        ("hash('abc')", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("s.includes('Ada') && csv.startsWith('a') && csv.endsWith('c')", True),
    ],
)
def test_texts(text: str, result: object) -> None:
    assert value(text) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("number('12.5') + number(true) + number(nil)", 13.5),
        ("round(2.5)", 3),
        ("round(-2.5)", -3),
        ("round(1.005, 2)", 1.01),
        ("round(f, 1)", 2.3),
        ("round('2.345', 2)", 2.35),
        ("round(1250, -2)", 1300),
        ("round(1e, 2)", None),
        ("floor(2.7) + ceil(2.1) + abs(-4)", 9),
        ("floor(-2.5)", -3),
        ("ceil(-2.5)", -2),
        ("min(numbers)", 1.5),
        ("max(numbers)", 3),
        ("sum(numbers)", 6.5),
        ("average(numbers)", 6.5 / 3),
        ("min(empty)", None),
        ("average(empty)", None),
        ("sum(empty)", 0),
        ("f.toFixed(2)", "2.35"),
        ("(1.005).toFixed(2)", "1.00"),
        ("(2.5).toFixed(0)", "3"),
        ("n.toFixed(2)", "3.00"),
        ("zero.toFixed(1)", "0.0"),
    ],
)
def test_numbers(text: str, result: object) -> None:
    if result is None and "1e" in text:
        with pytest.raises(ExpressionError):
            value(text)
        return
    assert value(text) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("list.join('-')", "b-a-c-a"),
        ("mixed.join(' ')", 'true 1 1  2 [1] {"a":1} {"a":1} 2'),
        ("list.slice(1, 3)", ["a", "c"]),
        ("list.slice(-1)", ["a"]),
        ("list.slice(1).join('-')", "a-c-a"),
        ("list.concat(numbers)", ["b", "a", "c", "a", 3, 1.5, 2]),
        ("list.concat('z')", ["b", "a", "c", "a", "z"]),
        ("list.indexOf('a')", 1),
        ("list.indexOf('z')", -1),
        ("mixed.indexOf(1)", 1),
        ("mixed.indexOf(rows[0].gone)", -1),
        ("list.at(-1)", "a"),
        ("list.at(9)", None),
        ("list.at(-5)", None),
        ("empty.at(0)", None),
        ("pluck(rows, 'user.city')", ["Paris", "London", None]),
        ("pluck(rows, 'tags[0]')", ["x", "x", "y"]),
        ("pluck(where(rows, 'name', 'b'), 'id')", [1, 3]),
        ("pluck(where(rows, 'tags', rows[0].tags), 'id')", [1, 2]),
        ("pluck(where(rows, 'user.city', null), 'id')", [3]),
        ("where(list, '', 'a')", ["a", "a"]),
        ("sort(list)", ["a", "a", "b", "c"]),
        ("sort(list, 'desc')", ["c", "b", "a", "a"]),
        ("sort(numbers, null, 'desc')", [3, 2, 1.5]),
        ("pluck(sort(rows, 'price'), 'id')", [1, 2, 3]),
        ("pluck(sort(rows, 'price', 'desc'), 'id')", [2, 1, 3]),
        ("pluck(sort(rows, 'name', 'desc'), 'id')", [1, 3, 2]),
        ("unique(list)", ["b", "a", "c"]),
        ("unique(mixed)", [True, 1, "1", None, 2, [1], {"a": 1}]),
        ("pluck(unique(rows, 'name'), 'id')", [1, 2]),
        ("chunk(list, 3)", [["b", "a", "c"], ["a"]]),
        ("range(3)", [0, 1, 2]),
        ("range(0)", []),
        ("keys(o)", ["9", "10", "b", "a"]),
        ("values(o)", [4, 3, 1, 2]),
        ("pick(o, list)", {"b": 1, "a": 2}),
        ("merge(o, pick(rows[0], parse_json('[\"id\"]')))", {"b": 1, "a": 2, "10": 3, "9": 4, "id": 1}),
        ("list.includes('c') && list.length === 4", True),
    ],
)
def test_lists_and_objects(text: str, result: object) -> None:
    assert value(text) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("if(n > 2, 'many', 'few')", "many"),
        ("if(n > 5, gone.deep, 'few')", "few"),
        ("if(n, n, gone)", 3),
        ("if(if(n, 0, 1), 1, if(1, 2, gone))", 2),
        ("if(n > 2, list, rows).length", 4),
        ("if(gone_too || n, 1, 2) + 1", None),
        ("default(nil, 'x')", "x"),
        ("default(n, gone)", 3),
        ("default(zero, 5)", 0),
        ("default(gone, 5)", 5),
        ("default(gone.deep[0].er, 5)", 5),
        ("default(rows[9].name, 'none')", "none"),
        ("default(rows[0].user['city'], 'none').length", 5),
        ("default(default(gone, nil), 'x') + '!'", "x!"),
        ("default('{{gone}}', 1)", ""),
    ],
)
def test_if_and_default_evaluate_only_what_they_give(text: str, result: object) -> None:
    if result is None:
        assert "gone_too" in fails(text)
    else:
        assert value(text) == result


def test_default_forgives_a_missing_path_but_no_other_error() -> None:
    assert "`gone`" in fails("default(gone + 1, 2)")
    assert "`gone`" in fails("default(1 + gone, 2)")


def test_reads_of_functions_are_known() -> None:
    expression = compile_expression(
        "default(a.b[0], 1) + pluck(rows, 'x').length + if(c, d.e, '{{f}}')", functions=True
    )
    assert expression.reads == (
        Read("a", ("b", 0), "name"),
        Read("rows", (), "name"),
        Read("c", (), "name"),
        Read("d", ("e",), "name"),
        Read("f", (), "placeholder"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "nope(1)",
        "s.nope()",
        "s.trim(1)",
        "if(1, 2)",
        "if(1, 2, 3, 4)",
        "if()",
        "default(1)",
        "default(1, 2, 3)",
        "round()",
        "round(1, 2, 3)",
        "round",
        "eval('1')",
        "s.constructor('x')",
        "pluck(rows, 'a', 'b')",
        "hash(constructor)",
        "(round)(1)",
        "round (1)(2)",
        "s.map(x)",
    ],
)
def test_what_is_not_in_the_list_is_refused(text: str) -> None:
    if text == "round":
        assert "`round`" in fails(text)
        return
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text, functions=True)
    assert caught.value.code == "expression_invalid"
    assert "date_add" in caught.value.message


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("number('abc')", "NaN"),
        ("n.trim()", "no method `trim`"),
        ("s.join('-')", "no method `join`"),
        ("list.toFixed(1)", "no method `toFixed`"),
        ("f.toFixed(101)", "from 0 to 100"),
        ("f.toFixed(-1)", "from 0 to 100"),
        ("sum(list)", "item 0 is a text"),
        ("sum(rows)", "item 0 is an object"),
        ("sum(n)", "takes a list"),
        ("round(nil)", "takes a number"),
        ("round(1, 1.5)", "whole number"),
        ("keys(list)", "takes an object"),
        ("merge(o, list)", "takes an object"),
        ("sort(rows)", "cannot order an object"),
        ("sort(list, '', 'down')", "'asc' or 'desc'"),
        ("pluck(rows, 'a..b')", "is no path"),
        ("pluck(rows, 'constructor')", "not allowed"),
        ("pick(o, parse_json('[\"__proto__\"]'))", "not allowed"),
        ("chunk(list, 0)", "from 1"),
        ("range(-1)", "whole number"),
        ("range(100001)", "whole number"),
        ("parse_json('{')", "Broken JSON"),
        ("parse_json('NaN')", "NaN"),
        ("s.split(nil)", "takes a text"),
        ("s.replace('a', o)", "takes a text"),
        ("hash(nil)", "takes a text"),
    ],
)
def test_wrong_values_are_refused_with_a_reason(text: str, part: str) -> None:
    assert part in fails(text)


def test_results_are_bounded() -> None:
    names: dict[str, object] = {"t": "x" * 1_000_000, "l": list(range(90_000)), "e": "€" * 1_000_000}
    for text in (
        "t.replaceAll('x', t)",
        "t.replaceAll('x', 'a$&' + t)",
        "t.replaceAll('', '$`')",
        "t.split('')",
        "'a'.padStart(16777217, 'x')",
        "l.concat(l)",
        "l.join(t)",
        "t.replace('x', '" + "$&" * 100 + "' + t + t + t + t + t + t + t + t + t + t + t + t + t + t + t + t + t + t)",
        "chunk(l, 1).concat(chunk(l, 1))",
        " + ".join(["unique(l).length"] * 20),
        " + ".join(["sort(l).length"] * 20),
        " + ".join(["e.length"] * 1000),
        " + ".join(["e.slice(1).length"] * 1000),
        " + ".join(["hash(t)"] * 1000),
        " + ".join(["range(100000).length"] * 50),
        " + ".join(["url_encode(e).length"] * 1000),
        " + ".join(["parse_json(json(l)).length"] * 1000),
        " + ".join(["e.replaceAll('€','€').length"] * 1000),
    ):
        with pytest.raises(ExpressionError, match=r"longer than|bound of work|takes a whole number"):
            compile_expression(text, functions=True).evaluate(names)


def test_a_list_of_the_largest_size_is_still_handled() -> None:
    names: dict[str, object] = {"rows": [{"n": -number} for number in range(100_000)]}
    for text, result in (
        ("sort(rows, 'n').at(0).n", -99_999),
        ("unique(pluck(rows, 'n')).length", 100_000),
        ("sum(pluck(rows, 'n'))", -4_999_950_000),
        ("where(rows, 'n', -7).length", 1),
    ):
        assert compile_expression(text, functions=True).value(names) == result


def test_the_supported_forms_name_everything_that_may_be_called() -> None:
    for name in (*VALUE.functions, *VALUE.methods):
        assert f"{name}(" in SUPPORTED_FORMS + VALUE_FORMS


PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["a", "$&", "2024-01-31", "days", "[0]"])
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
CALLS = [
    *(
        f"{name}({', '.join('abc'[:count])})"
        for name, callee in VALUE.functions.items()
        for count in range(callee.least, callee.most + 1)
    ),
    *(
        f"x.{name}({', '.join('abc'[:count])})"
        for name, callee in VALUE.methods.items()
        for count in range(callee.least, callee.most + 1)
    ),
]


@given(st.sampled_from(CALLS), st.fixed_dictionaries(dict.fromkeys("xabc", VALUES)))
@settings(max_examples=300, deadline=None)
def test_any_values_give_a_value_or_an_expression_error(call: str, names: dict[str, object]) -> None:
    try:
        result = compile_expression(call, functions=True).evaluate(names)
    except ExpressionError as error:
        assert error.code == "expression_error"
        return
    try:
        to_json(result)
    except ExpressionError as error:
        assert "cannot be stored" in error.problem
