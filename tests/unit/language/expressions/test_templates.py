"""Templates: what is inserted and how, types that pass, `$expr`, problems with their places."""

from __future__ import annotations

import pytest

from editor.language.expressions import (
    ExpressionError,
    Read,
    TemplateError,
    compile_template,
    compile_text,
    template_problems,
)

NAMES: dict[str, object] = {
    "n": 5,
    "whole": 5.0,
    "ratio": 0.1,
    "huge": 1e21,
    "tiny": 1e-7,
    "big": 9007199254740993,
    "yes": True,
    "nil": None,
    "tags": ["a", 1, None, 2.0],
    "user": {"name": "Ada", "first-name": "A", "age": 36},
    "名": "ok",
    "code": "{{secret}}",
    "dollar": "$secret",
    "secret": "s3cret",
    "emoji": "😀x",
}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("plain", "plain"),
        ("n is {{n}}", "n is 5"),
        ("{{whole}}/{{ratio}}/{{huge}}/{{tiny}}/{{big}}", "5/0.1/1e+21/1e-7/9007199254740993"),
        ("{{yes}} {{nil}}.{{gone}}.", "true .."),
        ("{{tags}}!", '["a",1,null,2]!'),
        ("{{user}}!", '{"name":"Ada","first-name":"A","age":36}!'),
        ("Dear {{user.first-name}} {{user['name']}}, {{tags[0]}}", "Dear A Ada, a"),
        ("{{ 名 }}!", "ok!"),
        ("{{code}} {{dollar}}", "{{secret}} $secret"),
        ("{{'{{'}}n}}", "{{n}}"),
        ("{{'{{'}}", "{{"),
        ("costs $5 or $n", "costs $5 or $n"),
        ('{"a": {"b": {{n}}}}', '{"a": {"b": 5}}'),
        ("{{emoji[0]}}|", "\ufffd|"),
        ("}} alone", "}} alone"),
        ("", ""),
    ],
)
def test_placeholders_insert_the_text_of_values(text: str, result: str) -> None:
    assert compile_template(text).render(NAMES) == result
    assert compile_text(text).render(NAMES) == result


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{{n}}", 5),
        ("{{ user.age }}", 36),
        ("$n", 5),
        ("{{tags}}", ["a", 1, None, 2.0]),
        ("$user", NAMES["user"]),
        ("{{nil}}", None),
        ("$nil", None),
        ("{{gone}}", ""),
        ("{{user.gone.deep}}", ""),
        ("$gone", "$gone"),
        ("$USD", "$USD"),
        ("$n.x", "$n.x"),
        ("$ n", "$ n"),
        (" $n", " $n"),
        ("{{n}} ", "5 "),
        ("{{code}}", "{{secret}}"),
        ("$code", "{{secret}}"),
        ("$constructor", "$constructor"),
        ("{{big}}", 9007199254740993),
        ("{{yes}}", True),
    ],
)
def test_a_lone_placeholder_passes_the_value_with_its_type(text: str, value: object) -> None:
    rendered = compile_template(text).render({**NAMES, "constructor": "no"})
    assert rendered == value
    assert type(rendered) is type(value)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("{{n}}", "5"),
        ("$n", "5"),
        ("{{nil}}", ""),
        ("$gone", "$gone"),
        ("{{tags}}", '["a",1,null,2]'),
        ("$yes", "true"),
    ],
)
def test_a_text_template_always_gives_a_text(text: str, result: str) -> None:
    assert compile_text(text).render(NAMES) == result


def test_a_text_template_may_be_computed() -> None:
    assert compile_text({"$expr": "n * 2 + 1"}).render(NAMES) == "11"
    with pytest.raises(TemplateError):
        compile_text(["a"])


def test_lists_and_objects_are_filled_in_and_made_anew() -> None:
    template = compile_template(
        {"n": "{{n}}", "list": ["$tags", {"t": "{{n}}!"}], "fixed": [1, None, True], "sum": {"$expr": "n + 1"}}
    )
    first, second = template.render(NAMES), template.render(NAMES)
    assert first == {"n": 5, "list": [NAMES["tags"], {"t": "5!"}], "fixed": [1, None, True], "sum": 6}
    assert isinstance(first, dict)
    first["fixed"].append("changed")
    first["more"] = 1
    assert template.render(NAMES) == second


def test_the_keys_of_objects_are_fixed_texts() -> None:
    assert compile_template({"{{n}}": 1, "$n": 2}).render(NAMES) == {"{{n}}": 1, "$n": 2}


def test_an_expression_object_gives_the_value_with_its_type() -> None:
    assert compile_template({"$expr": "n > 3"}).render(NAMES) is True
    assert compile_template({"$expr": "user.gone"}).render(NAMES) is None
    assert compile_template({"$expr": "user"}).render(NAMES) == NAMES["user"]
    assert compile_template({"$expr": "n", "other": 1}).render(NAMES) == {"$expr": "n", "other": 1}
    for text in ("n / 0", "gone + 1"):
        with pytest.raises(ExpressionError) as caught:
            compile_template({"$expr": text}).render(NAMES)
        assert caught.value.code == "expression_error"


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("ab {{n", 3),
        ("{{a + b}}", 0),
        ("x {{f(1)}}", 5),
        ("{{}}", 2),
        ("{{n}} {{a..b}}", 10),
        ("{{a.constructor}}", 0),
        ("{{__proto__}}", 0),
        ("{{a['b}}", 3),
        ("{{'\\x'}}", 3),
        ("{{#if x == y}}", 2),
    ],
)
def test_a_text_that_cannot_be_read_is_refused_with_its_position(text: str, position: int) -> None:
    with pytest.raises(TemplateError) as caught:
        compile_template(text)
    error = caught.value
    assert error.code == "template_invalid"
    assert text in error.message
    if text not in ("{{a + b}}", "{{#if x == y}}", "x {{f(1)}}"):
        assert error.position == position


def test_all_problems_of_a_value_are_found_with_their_places() -> None:
    value = {"a": ["ok", "{{"], "b": {"$expr": "1 +"}, "c": {"$expr": 5}, "d": "{{n}}", "e": object()}
    found = [(problem.code, problem.at) for problem in template_problems(value)]
    assert found == [
        ("template_invalid", ("a", 1)),
        ("expression_invalid", ("b", "$expr")),
        ("template_invalid", ("c", "$expr")),
        ("template_invalid", ("e",)),
    ]
    with pytest.raises(TemplateError) as caught:
        compile_template(value)
    assert caught.value.details is not None
    assert caught.value.details["at"] == ["a", 1]
    assert template_problems({"a": "{{n}}"}) == ()


def test_reads_tell_what_is_read_and_how() -> None:
    template = compile_template(
        {"a": "{{user.name}} {{n}}", "b": "$tags", "c": {"$expr": "n + user['first-name'].length + '{{x[0].y}}'"}}
    )
    assert template.reads == (
        Read("user", ("name",), "placeholder"),
        Read("n", (), "placeholder"),
        Read("tags", (), "dollar"),
        Read("n", (), "name"),
        Read("user", ("first-name", "length"), "name"),
        Read("x", (0, "y"), "placeholder"),
    )


def test_nesting_is_bounded_with_a_clear_error() -> None:
    value: object = "x"
    for _ in range(64):
        value = [value]
    assert compile_template(value).render({}) == value
    for _ in range(100_000):
        value = [value]
    with pytest.raises(TemplateError, match="64 levels"):
        compile_template(value)


def test_what_a_rendering_inserts_is_bounded_in_all() -> None:
    names = {"x": "a" * 1_000_000}
    assert compile_template(["{{x}}!"] * 10).render(names)
    for text in ("{{x}}!", "{{x}}", "{{x.length}}{{x}}"):
        with pytest.raises(ExpressionError, match="longer than"):
            compile_template([text] * 100).render(names)
