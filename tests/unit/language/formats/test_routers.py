"""Routers of the steps form as rows of condition and target."""

from __future__ import annotations

from typing import Any

import pytest

from editor.language.expressions import compile_expression
from editor.language.formats.steps.routers import Row, UnreadableRouterError, read_router

STEPS = ("a", "b", "last one")
STATE = ("count", "next", "tier", "ok")


def rows(router: Any) -> list[tuple[str | None, str | None]]:
    return [(row.when, row.target) for row in read_router(router, STEPS, STATE)]


@pytest.mark.parametrize(
    "router",
    ["TERMINAL", None, False, "", "() => TERMINAL", "(state) => null", "'TERMINAL'", {"expression": "TERMINAL"}],
)
def test_what_ends_the_flow(router: Any) -> None:
    assert rows(router) == [(None, None)]


@pytest.mark.parametrize("router", ["a", "() => 'a'", '"a"', "('a')", "(state, ctx) => a", ["a"], [{"to": "a"}]])
def test_the_name_of_a_step(router: Any) -> None:
    assert rows(router) == [(None, "a")]


@pytest.mark.parametrize("router", [["a", "b"], "() => ['a', 'b']", "[a, b]", [["a"], {"to": "b"}]])
def test_several_steps_at_once(router: Any) -> None:
    assert rows(router) == [(None, "a"), (None, "b")]


@pytest.mark.parametrize(
    ("router", "expected"),
    [
        ("state.count < 5 ? 'a' : TERMINAL", [("count < 5", "a"), (None, None)]),
        ("(s) => (s.count < 5 ? a : s.ok ? 'b' : 'last one')", [("count < 5", "a"), ("ok", "b"), (None, "last one")]),
        ("s => s.ok ? (s.count > 1 ? 'a' : 'b') : null", [("(ok) && (count > 1)", "a"), ("ok", "b"), (None, None)]),
        ("ok ? ['a', 'b'] : 'a'", [("ok", "a"), ("ok", "b"), (None, "a")]),
        ("tier === 'a ? b : c' ? 'a' : 'b'", [("tier === 'a ? b : c'", "a"), (None, "b")]),
        ("tier === 'state.x' && state . ok ? 'a' : 'b'", [("tier === 'state.x' && ok", "a"), (None, "b")]),
    ],
)
def test_javascripts_choice_is_taken_apart(router: str, expected: list[tuple[str | None, str | None]]) -> None:
    assert rows(router) == expected
    for when, _ in expected:
        assert when is None or compile_expression(when)


@pytest.mark.parametrize(
    ("router", "expected"),
    [
        ({"count < 5": "a", "default": "b"}, [("count < 5", "a"), (None, "b")]),
        ({"otherwise": "TERMINAL", "state.ok": "a"}, [("ok", "a"), (None, None)]),
        ({"a": "count < 5", "TERMINAL": True}, [("count < 5", "a"), (None, None)]),
        ({"ok": ["a", "b"]}, [("ok", "a"), ("ok", "b")]),
        (
            {"on": "state.tier", "cases": {"gold": "a", "3": "b", "true": None}, "default": "last one"},
            [
                ("(tier) === 'gold'", "a"),
                ("(tier) == '3'", "b"),
                ("(tier) === true", None),
                (None, "last one"),
            ],
        ),
        (
            [{"when": "ok", "to": "a"}, {"if": "count > 3", "then": None}, "b"],
            [("ok", "a"), ("count > 3", None), (None, "b")],
        ),
        ([{"when": False, "to": "a"}], [("false", "a")]),
        ([{"when": "ok", "to": "count > 1 ? 'a' : 'b'"}], [("(ok) && (count > 1)", "a"), ("ok", "b")]),
    ],
)
def test_tables(router: Any, expected: list[tuple[str | None, str | None]]) -> None:
    assert rows(router) == expected


def test_an_expression_that_gives_a_name_leads_to_every_step_that_it_can_name() -> None:
    assert rows("next") == rows({"on": "next"}) == [(f"(next) === '{step}'", step) for step in STEPS]
    text = "ok && 'a' || 'b'"
    assert rows(text) == [(f"({text}) === 'a'", "a"), (f"({text}) === 'b'", "b")]
    odd = read_router("next", ["it's", "b\\n"], STATE)
    assert odd[0] == Row("(next) === 'it\\'s'", "it's")
    assert all(compile_expression(row.when or "") for row in odd)


def test_a_name_that_is_no_step_stays_for_the_checks_to_report() -> None:
    assert rows("ghost") == [(None, "ghost")]
    assert rows("'ghost'") == [(None, "ghost")]


@pytest.mark.parametrize(
    "router",
    [
        3,
        True,
        {},
        {"one": 1},
        {"ok": "ghost"},
        [{"when": 3, "to": "a"}],
        [{"when": "ok"}],
        [{"when": "ok", "to": "a", "unless": "x"}],
        "(state) => { return 'a' }",
        "state?.x",
        "count ?? 'a'",
        "x" * 1001,
        "ok ? 'a' : " * 60 + "'b'",
        "[" * 60 + "]" * 60,
    ],
)
def test_what_has_no_form_that_is_understood(router: Any) -> None:
    with pytest.raises(UnreadableRouterError) as caught:
        rows(router)
    assert str(caught.value)


def test_an_expression_over_too_many_steps_is_not_drawn() -> None:
    with pytest.raises(UnreadableRouterError):
        read_router("next", [f"s{number}" for number in range(101)], STATE)
