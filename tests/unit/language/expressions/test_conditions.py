"""Conditions through the public API: what is compiled, refused, reported. The values are the conformance cases'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from editor.language.expressions import UNDEFINED, ExpressionError, compile_expression, evaluate


def refused(text: str, *, functions: bool = False) -> ExpressionError:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text, functions=functions)
    assert caught.value.code == "expression_invalid"
    return caught.value


def fails(text: str, **names: object) -> ExpressionError:
    expression = compile_expression(text)
    with pytest.raises(ExpressionError) as caught:
        expression.evaluate(names)
    assert caught.value.code == "expression_error"
    return caught.value


def test_a_compiled_expression_is_evaluated_again_and_again() -> None:
    expression = compile_expression("score >= 90 && tier === 'gold'")
    assert expression.evaluate({"score": 95, "tier": "gold"}) is True
    assert expression.evaluate({"score": 95, "tier": "silver"}) is False
    assert expression.evaluate({"score": 9}) is False


def test_compiling_the_same_text_twice_gives_the_same_object() -> None:
    assert compile_expression("a + 1") is compile_expression("a + 1")


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("a = 1", 2),
        ("a ? 1 : 2", 2),
        ("`t`", 0),
        ("[1, 2]", 0),
        ("a == ", 5),
        ("(a", 0),
        ("a)", 1),
        ("a b", 2),
        ("a.1", 2),
        ("a ++", 2),
        ("1e3", 1),
        ("007", 0),
        ("'open", 0),
        ("x + 'a\\u0041'", 6),
        ("", 0),
        ("  ", 0),
        ("a and b", 2),
        ("f(1)", 0),
        ("a, b", 1),
        ("a.includes(1, 2)", 1),
        ("a[0", 1),
    ],
)
def test_what_is_not_in_the_language_is_refused_with_its_position(text: str, position: int) -> None:
    error = refused(text)
    assert error.position == position
    assert error.expression == text
    assert error.details is not None
    assert error.details["position"] == position


def test_every_refusal_names_the_expression_and_the_supported_forms() -> None:
    error = refused("a = 1")
    assert "`a = 1`" in error.message
    assert "character 2" in error.message
    assert "startsWith" in error.message
    assert "{{path}}" in error.message


@pytest.mark.parametrize("name", ["constructor", "__proto__", "prototype"])
@pytest.mark.parametrize(
    "form",
    ["{}", "a.{}", "a['{}']", "a.{}.b", "{}()", "a.{}('x')", "true || a.{}", "'{{{{a.{}}}}}'", "{{{{{}}}}}"],
)
def test_forbidden_names_are_refused_when_compiled(name: str, form: str) -> None:
    refused(form.format(name))


@pytest.mark.parametrize("name", ["constructor", "__proto__", "prototype"])
def test_forbidden_names_are_refused_when_computed(name: str) -> None:
    error = fails("a[key]", a={name: 1}, key=name)
    assert name in error.problem
    assert fails("a[x + y]", a={name: 1}, x=name[:3], y=name[3:])


def test_a_forbidden_name_that_is_never_reached_does_not_stop_a_direct_evaluation() -> None:
    assert evaluate("false && user.constructor", {"user": {}}) is False
    with pytest.raises(ExpressionError):
        evaluate("true && user.constructor", {"user": {}})


@pytest.mark.parametrize(
    "text", ["name.trim() === 'x'", "round(x) > 1", "x.toFixed(2) == '1'", "if(a, b, c)", "list.join('')"]
)
def test_functions_in_conditions_are_refused_with_advice(text: str) -> None:
    assert "compute first" in refused(text).problem
    assert "then compare" in refused(text).problem


def test_an_unknown_variable_is_an_error_only_when_it_is_reached() -> None:
    error = fails("a && missing", a=1)
    assert "`missing`" in error.problem
    assert error.position == 5
    assert compile_expression("a && missing").evaluate({"a": 0}) == 0


def test_names_may_be_any_mapping_that_raises_key_error() -> None:
    class Lazy(Mapping[str, object]):
        asked: list[str] = []

        def __getitem__(self, key: str) -> object:
            self.asked.append(key)
            return {"a": 1, "b": Inner()}[key]

        def __iter__(self) -> Iterator[str]:
            return iter(("a", "b"))

        def __len__(self) -> int:
            return 2

    class Inner(Lazy):
        def __getitem__(self, key: str) -> object:
            return {"x": 5}[key]

        def __iter__(self) -> Iterator[str]:
            return iter(("x",))

        def __len__(self) -> int:
            return 1

    names = Lazy()
    assert compile_expression("a === 2 && b.x === 5").evaluate(names) is False
    assert names.asked == ["a"]
    assert compile_expression("b.x + a").evaluate(names) == 6
    assert compile_expression("b.y").evaluate(names) is UNDEFINED
    assert compile_expression("b === c").evaluate({"b": Inner(), "c": {"x": 5}}) is True


def test_a_condition_that_fails_is_false_with_a_reason() -> None:
    condition = compile_expression("a.b.c > 1")
    assert condition.evaluate_condition({"a": {"b": {"c": 2}}}) == (True, None)
    assert condition.evaluate_condition({"a": {"b": {}}}) == (False, None)
    holds, reason = condition.evaluate_condition({"a": {}})
    assert holds is False
    assert reason is not None
    assert "`c`" in reason
    assert "a.b.c > 1" in reason


@pytest.mark.parametrize(("value", "holds"), [([], True), ({}, True), ("", False), ("0", True), (0, False)])
def test_a_condition_takes_javascripts_truth(value: object, holds: bool) -> None:
    assert compile_expression("x").evaluate_condition({"x": value}) == (holds, None)
    assert compile_expression("x / 0").evaluate_condition({"x": 0}) == (False, None)


def test_explain_gives_the_values_that_were_seen() -> None:
    condition = compile_expression("score >= 90 && user['first-name'] === list[0] && '{{big}}' != gone")
    seen = condition.explain(
        {"score": 5, "user": {"first-name": "x" * 500}, "list": [{"a": 1}], "big": list(range(1000))}
    )
    assert list(seen) == ["score", "user['first-name']", "list[0]", "big", "gone"]
    assert seen["score"] == 5
    assert seen["list[0]"] == '{"a":1}'
    assert seen["gone"] is None
    for cut in (seen["user['first-name']"], seen["big"]):
        assert isinstance(cut, str)
        assert len(cut) == 200
        assert cut.endswith("…")


def test_the_value_for_storing_has_one_number_form_and_no_undefined() -> None:
    assert compile_expression("a + 1").value({"a": 1}) == 2
    assert type(compile_expression("a + 1").value({"a": 1})) is int
    assert str(compile_expression("-a").value({"a": 0})) == "0"
    assert compile_expression("a.b").value({"a": {}}) is None
    for text in ("a / 0", "0 / a"):
        with pytest.raises(ExpressionError, match="cannot be stored"):
            compile_expression(text).value({"a": 1} if text == "a / 0" else {"a": 0})


def test_a_stored_integer_passes_untouched_and_compares_exactly() -> None:
    order, other = 9007199254740993, 9007199254740992
    assert compile_expression("id").value({"id": order}) == order
    assert compile_expression("a === b").evaluate({"a": order, "b": other}) is False
    assert compile_expression("a == b").evaluate({"a": order, "b": order}) is True
    assert compile_expression("a > b").evaluate({"a": order, "b": other}) is True
    assert compile_expression("list.includes(b)").evaluate({"list": [order], "b": other}) is False
    assert compile_expression("'{{id}}'").evaluate({"id": order}) == str(order)
    assert compile_expression("id + 0").evaluate({"id": order}) == float(other)


def test_values_of_foreign_types_are_refused_not_looked_into() -> None:
    class Thing:
        secret = 1

    for text in ("x.secret", "x + 1", "'{{x}}'", "x == 1", "x.includes('a')"):
        assert "Thing" in fails(text, x=Thing()).problem


def test_methods_only_take_what_they_are_for() -> None:
    for text in ("t.includes(1)", "t.startsWith(null)", "n.includes('1')", "l.endsWith('x')", "o.includes('a')"):
        fails(text, t="a1", n=1, l=["x"], o={"a": 1})
    refused("t.includes()")
    assert compile_expression("t['includes']('1')").evaluate({"t": "a1"}) is True
    assert compile_expression("t[m]('1')").evaluate({"t": "a1", "m": "endsWith"}) is True
    with pytest.raises(ExpressionError):
        compile_expression("t[m]('1')").evaluate({"t": "a1", "m": "split"})
