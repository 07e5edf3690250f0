"""Placeholders inside expressions: paths, missing values, and values that look like code."""

from __future__ import annotations

import pytest

from editor.language.expressions import ExpressionError, compile_expression, evaluate

NAMES: dict[str, object] = {
    "user": {"name": "Ada", "first-name": "A", "list": [{"id": 7}], "}}": "braces"},
    "名": "value",
    "first name": "spaced",
    "e-mail": "a@b",
    "nil": None,
    "n": 5,
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{{user.name}} === 'Ada'", True),
        ("{{ user . name }}", "Ada"),
        ("{{user['first-name']}}", "A"),
        ("{{user.first-name}}", "A"),
        ("{{user.list[0].id}} + 1", 8),
        ("{{user['list'][0]['id']}}", 7),
        ("{{user.list}}[0].id", 7),
        ("'{{user[\"}}\"]}}'", "braces"),
        ("{{名}}", "value"),
        ("{{first name}}", "spaced"),
        ("{{e-mail}}", "a@b"),
        ("{{['first name']}}", "spaced"),
        ("'{{user.list}}'", '[{"id":7}]'),
        ("'{{user.name.length}}'", "3"),
        ("'{{user.gone.deep}}{{nil}}{{gone}}{{n.x}}'", ""),
        ("'a {{b'", "a {{b"),
        ("'{{'{{'}}'", "{{"),
        ("'it\\'s {{n}}'", "it's 5"),
    ],
)
def test_a_placeholder_holds_a_path(text: str, value: object) -> None:
    assert compile_expression(text).evaluate(NAMES) == value


@pytest.mark.parametrize(
    "text", ["{{a + b}}", "{{f(x)}}", "{{}}", "{{a.}}", "{{.a}}", "{{a[-1]}}", "{{a b", "{{a - b}}"]
)
def test_what_is_no_path_is_refused(text: str) -> None:
    for form in (text, f"'{text}'"):
        if form == "'{{a b'":
            continue
        with pytest.raises(ExpressionError) as caught:
            compile_expression(form)
        assert caught.value.code == "expression_invalid"


def test_a_missing_or_null_bare_placeholder_contributes_nothing() -> None:
    condition = compile_expression("{{x}} >= 90")
    assert condition.evaluate({"x": 95}) is True
    for names in ({}, {"x": None}):
        holds, reason = condition.evaluate_condition(names)
        assert holds is False
        assert reason is not None
        assert "{{x}}" in reason
    assert compile_expression("{{x}} - 5").evaluate({}) == -5
    assert str(compile_expression("{{x}}").evaluate({})) == "undefined"


def test_each_set_of_present_placeholders_has_its_own_reading() -> None:
    expression = compile_expression("{{a}} - {{b}} - {{c}}")
    assert expression.evaluate({"a": 9, "b": 2, "c": 1}) == 6
    assert expression.evaluate({"b": 2, "c": 1}) == -3
    assert expression.evaluate({"a": 9, "c": 1}) == 10
    with pytest.raises(ExpressionError):
        expression.evaluate({"a": 9, "b": 2})
    assert expression.evaluate({"a": 9, "b": 2, "c": 1}) == 6


def test_two_placeholders_in_a_row_are_refused_before_they_meet_values() -> None:
    with pytest.raises(ExpressionError):
        compile_expression("{{a}}{{b}}")
    assert evaluate("{{a}}{{b}}", {"a": 1}) == 1


HOSTILE = [
    "x' === 'x' || 'a",
    "' || true || '",
    '" || true || "',
    "\\' || true || \\'",
    "\\",
    "{{secret}}",
    "{{'{{'}}",
    "$secret",
    "process.exit(1)",
    "constructor.constructor('return 1')()",
    "true",
    "1 || 1",
    ") || (true",
    "\n|| true",
    "\u2028true",
    "<script>alert(1)</script>",
    "__import__('os').system('true')",
    "a}}' || true || '{{a",
]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_value_is_never_read_as_code(value: str) -> None:
    names = {"x": value, "secret": "s3cret", "a": "a"}
    for text in ("'{{x}}' === 'admin'", '"{{x}}" === "admin"', "x === 'admin'", "{{x}} === 'admin'"):
        assert compile_expression(text).evaluate(names) is False
    assert compile_expression("'{{x}}'").evaluate(names) == value
    assert compile_expression("{{x}}").evaluate(names) == value
    assert compile_expression("'{{x}}' === x && {{x}} === '{{x}}'").evaluate(names) is True
