"""The inputs of a run against what the flow declares."""

from __future__ import annotations

from typing import Any

import pytest

from editor.language.inputs import check_inputs
from editor.language.policy import Policy, effective, usd_to_micros
from editor.language.schema import parse_document
from tests.unit.language.documents import flow, node


def checked(declared: list[dict[str, Any]], given: dict[str, Any], preset: str | None = None, **top: Any) -> Any:
    definition = parse_document(flow([node("a")], inputs=declared, **top)).definition
    assert definition is not None
    return check_inputs(definition, preset, given)


@pytest.mark.parametrize(
    ("type_", "good", "bad"),
    [
        ("short_text", ["", "x"], [1, None, True, []]),
        ("long_text", ["a\nb"], [1, None]),
        ("number", [1, 1.5, -3], ["1", True, None]),
        ("integer", [1, 10**30, 5.0], [1.5, "1", True, None]),
        ("boolean", [True, False], [0, 1, "true", None]),
        ("choice", ["red"], ["green", 1, None]),
        ("date", ["2030-01-31"], ["2030-02-30", "31.01.2030", "20300131", "2030-01-31T00:00", 5, None]),
        ("object", [{}, {"a": 1}], [[], "x", None]),
        ("list", [[], [1]], [{}, "x", None]),
    ],
)
def test_a_value_must_be_of_its_inputs_type(type_: str, good: list[Any], bad: list[Any]):
    declared = {"name": "v", "type": type_, **({"options": ["red"]} if type_ == "choice" else {})}
    for value in good:
        assert checked([declared], {"v": value}) == ({"v": value}, [])
    for value in bad:
        _, problems = checked([declared], {"v": value})
        assert len(problems) == 1, value
        assert "'v'" in problems[0]


def test_every_problem_is_listed():
    declared = [
        {"name": "id", "type": "short_text", "required": True},
        {"name": "n", "type": "integer", "required": True},
    ]
    _, problems = checked(declared, {"n": "seven", "extra": 1}, preset="fast")
    assert len(problems) == 4


def test_defaults_fill_in_and_what_is_left_out_is_no_key():
    declared = [
        {"name": "a", "type": "integer", "default": 0},
        {"name": "b", "type": "boolean", "default": False, "required": True},
        {"name": "c", "type": "short_text"},
    ]
    assert checked(declared, {}) == ({"a": 0, "b": False}, [])


def test_the_first_state_must_fit_the_schema():
    state = {"properties": {"n": {"minimum": 5}}, "required": ["n"]}
    declared = [{"name": "n", "type": "integer"}]
    assert checked(declared, {"n": 7}, state=state) == ({"n": 7}, [])
    assert len(checked(declared, {"n": 3}, state=state)[1]) == 1
    assert len(checked(declared, {}, state=state)[1]) == 1


def test_a_preset_must_be_one_of_the_flows():
    presets = [{"id": "deep", "policy": {"max_steps": 5}}]
    assert checked([], {}, "deep", presets=presets) == ({}, [])
    assert len(checked([], {}, "quick", presets=presets)[1]) == 1


def test_a_sensitive_value_is_not_repeated():
    declared = [{"name": "pin", "type": "integer", "sensitive": True}]
    assert "4711x" not in checked(declared, {"pin": "4711x"})[1][0]


def test_the_first_state_is_a_copy():
    given = {"xs": [1]}
    state, _ = checked([{"name": "xs", "type": "list"}], given)
    state["xs"].append(2)
    assert given == {"xs": [1]}


# --- policy ---------------------------------------------------------------------------------------------


def policy(**keys: Any) -> Policy:
    return Policy.model_validate(keys)


def test_a_preset_overrides_the_policy_key_by_key():
    both = effective(policy(max_steps=5, max_tokens=7, tone="dry"), policy(max_tokens=9, mood="x"))
    assert both.values == {"max_steps": 5, "max_tokens": 9, "tone": "dry", "mood": "x"}
    assert effective(policy(max_steps=5), None).max_steps == 5


@pytest.mark.parametrize(
    ("usd", "micros"), [(0.5, 500_000), (0.1, 100_000), (1, 1_000_000), (0.000001, 1), (19.99, 19_990_000), (0, 0)]
)
def test_dollars_are_counted_exactly(usd: float, micros: int):
    assert usd_to_micros(usd) == micros
    assert policy(max_cost_usd=usd).max_cost_micros == micros


def test_no_limit_is_none():
    assert policy().max_cost_micros is None
