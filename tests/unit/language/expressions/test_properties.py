"""Properties over random texts and values: nothing but ExpressionError or TemplateError ever leaves the language."""

from __future__ import annotations

import json
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from editor.language.expressions import (
    UNDEFINED,
    ExpressionError,
    TemplateError,
    compile_expression,
    compile_template,
    compile_text,
    evaluate,
    to_json,
    to_text,
    truthy,
)

PIECES = [
    *("a", "b", "list", "user", "name", "missing", "true", "false", "null", "constructor", "__proto__", "__class__"),
    *("0", "1", "42", "1.5", "''", "'x'", '"y"', "'{{a}}'", "{{a}}", "{{missing}}", "{{user.name}}", "{{", "}}"),
    *("==", "===", "!=", "!==", "<", "<=", ">", ">=", "&&", "||", "!", "+", "-", "*", "/", "%", "++", "**", "="),
    *("(", ")", "[", "]", ".", ",", ".length", ".includes(", ".startsWith(", ".trim()", "round(", "if(", "default("),
    *(" ", "\n", "\\", "'", '"', "`", "$", "#", "\u2028", "😀", "\ud83d", "名"),
]
TOKENS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
TEXTS = st.text(max_size=60) | TOKENS | TOKENS.map(lambda text: f"'{text}'")
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
PLAIN = st.none() | st.booleans() | NUMBERS | st.text(max_size=10)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
NAMES = st.fixed_dictionaries(dict.fromkeys(("a", "b", "list", "user", "name"), VALUES))


def floated(value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, list):
        return [floated(item) for item in value]
    return {key: floated(item) for key, item in value.items()} if isinstance(value, dict) else value


@given(TEXTS, NAMES, st.booleans())
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused_with_a_place(text: str, names: dict[str, object], functions: bool) -> None:
    try:
        expression = compile_expression(text, functions=functions)
    except ExpressionError as error:
        assert error.code == "expression_invalid"
        assert 0 <= error.position <= len(text)
        return
    try:
        value = expression.evaluate(names)
    except ExpressionError as error:
        assert error.code == "expression_error"
        assert 0 <= error.position <= len(text)
        assert expression.evaluate_condition(names) == (False, error.brief)
        return
    assert expression.evaluate_condition(names) == (truthy(value), None)
    json.dumps(expression.explain(names))


@given(TEXTS, NAMES)
@settings(max_examples=150, deadline=None)
def test_a_direct_evaluation_agrees_with_the_compiled_one(text: str, names: dict[str, object]) -> None:
    try:
        compiled: object = compile_expression(text).evaluate(names)
    except ExpressionError:
        compiled = ExpressionError
    try:
        direct: object = evaluate(text, names)
    except ExpressionError:
        direct = ExpressionError
    if compiled is not ExpressionError:
        assert type(direct) is type(compiled)
        assert direct == compiled or (direct != direct and compiled != compiled)


@given(TEXTS, NAMES)
@settings(max_examples=150, deadline=None)
def test_any_text_is_a_template_or_refused(text: str, names: dict[str, object]) -> None:
    try:
        template = compile_template({"text": text, "list": [text]})
    except TemplateError as error:
        assert error.code == "template_invalid"
        assert 0 <= error.position <= len(text)
        return
    rendered = template.render(names)
    assert isinstance(rendered, dict)
    assert isinstance(compile_text(text).render(names), str)
    if "{{" not in text and not text.startswith("$"):
        assert rendered == {"text": text, "list": [text]}


@given(VALUES)
@settings(max_examples=100, deadline=None)
def test_a_template_without_placeholders_renders_to_itself(value: object) -> None:
    if "{{" in json.dumps(value) or "$" in json.dumps(value):
        return
    assert compile_template(value).render({}) == value


@given(VALUES)
@settings(max_examples=150, deadline=None)
def test_values_pass_untouched_and_their_text_is_json(value: object) -> None:
    names = {"x": value}
    assert compile_expression("x").evaluate(names) is value
    assert compile_template("{{x}}").render(names) == value
    assert compile_template("$x").render(names) == value
    assert compile_template("<{{x}}>").render(names) == f"<{to_text(value)}>"
    assert evaluate("'<{{x}}>'", names) == f"<{to_text(value)}>"
    if isinstance(value, list | dict):
        assert json.loads(to_text(value), parse_int=float) == floated(value)
    stored = to_json(value)
    assert stored == value
    assert to_json(stored) == stored


@given(st.floats())
@settings(max_examples=150, deadline=None)
def test_the_text_of_a_number_reads_back_as_the_number(number: float) -> None:
    back = evaluate("+t", {"t": to_text(number)})
    assert isinstance(back, float)
    assert back == number or math.isnan(number)


@given(VALUES, VALUES)
@settings(max_examples=150, deadline=None)
def test_equality_is_symmetric_and_strict_equality_implies_loose(left: object, right: object) -> None:
    names = {"a": left, "b": right}
    strict = evaluate("a === b", names)
    assert strict is evaluate("b === a", names)
    assert strict is not evaluate("a !== b", names)
    assert evaluate("a === a", names) is True
    if strict:
        assert evaluate("a == b", names) is True


@given(VALUES, st.text(max_size=8))
@settings(max_examples=200, deadline=None)
def test_a_missing_member_is_undefined_and_never_pythons(value: object, key: str) -> None:
    if not isinstance(value, dict | list):
        return
    try:
        got = evaluate("a[k]", {"a": value, "k": key})
    except ExpressionError:
        assert key in ("constructor", "__proto__", "prototype")
        return
    if isinstance(value, dict):
        assert got is value.get(key, UNDEFINED)
    elif key != "length" and not (key.isascii() and key.isdigit()):
        assert got is UNDEFINED
