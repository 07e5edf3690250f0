"""Compiled schemas of states and arguments."""

from __future__ import annotations

from typing import Any

import pytest

from editor.language.errors import LanguageError
from editor.language.state_schema import ArgumentSchema, StateSchema, schema_faults


def never() -> dict[str, Any]:
    raise AssertionError("the whole state was asked for")


def test_a_delta_is_judged_by_the_keywords_of_its_keys_alone():
    schema = StateSchema(
        {
            "type": "object",
            "required": ["n"],
            "properties": {"n": {"type": "integer"}, "m": {"$ref": "#/$defs/short"}},
            "patternProperties": {"^s_": {"type": "string"}},
            "additionalProperties": False,
            "$defs": {"short": {"type": "string", "maxLength": 3}},
        }
    )
    assert schema.check_delta({"n": 1, "m": "abc", "s_x": "y"}, never) == []
    assert schema.check_delta({}, never) == []
    assert schema.check_delta({"n": "one"}, never) == ["/n: 'one' is not of type 'integer'"]
    assert len(schema.check_delta({"m": "long", "s_x": 1, "other": 1}, never)) == 3


def test_a_text_of_blanks_where_something_is_wanted_is_told_in_words():
    schema = StateSchema({"properties": {"topic": {"type": "string", "pattern": r"\S"}}})
    assert schema.check_delta({"topic": " x "}, never) == []
    told = "/topic: a text of blanks only says nothing; write something"
    assert schema.check_delta({"topic": " \n\t"}, never) == schema.check_whole({"topic": " \n\t"}) == [told]


@pytest.mark.parametrize(("value", "fits"), [(1, True), (1.0, True), (True, False), (1.5, False), ("1", False)])
def test_a_truth_value_is_no_number(value: Any, fits: bool):
    assert (StateSchema({"properties": {"n": {"type": "integer"}}}).check_delta({"n": value}, never) == []) is fits


def test_a_key_that_two_keywords_speak_of_must_fit_both():
    schema = StateSchema({"properties": {"ab": {"type": "string"}}, "patternProperties": {"b$": {"minLength": 2}}})
    assert schema.check_delta({"ab": "xx"}, never) == []
    assert len(schema.check_delta({"ab": "x"}, never)) == 1


def test_other_keys_are_judged_by_the_schema_for_the_rest():
    schema = StateSchema({"additionalProperties": {"type": "number"}, "propertyNames": {"maxLength": 3}})
    assert schema.check_delta({"abc": 1}, never) == []
    assert len(schema.check_delta({"abc": "x"}, never)) == 1
    assert len(schema.check_delta({"abcd": 1}, never)) == 1


@pytest.mark.parametrize(
    "schema",
    [{"dependentRequired": {"a": ["b"]}}, {"allOf": [{"properties": {"a": {}}}]}, {"maxProperties": 2}, {"not": {}}],
)
def test_a_keyword_about_the_whole_asks_for_the_whole(schema: dict[str, Any]):
    asked: list[int] = []

    def whole() -> dict[str, Any]:
        asked.append(1)
        return {"b": 1}

    StateSchema(schema).check_delta({"a": 1}, whole)
    assert asked == [1]


def test_a_delta_is_laid_over_the_state_before():
    schema = StateSchema({"dependentRequired": {"a": ["b"]}})
    assert schema.check_delta({"a": 1}, lambda: {"b": 1}) == []
    assert schema.check_delta({"a": 1}, lambda: {"c": 1}) != []


def test_without_a_schema_everything_fits():
    schema = StateSchema(None)
    assert schema.check_whole({"a": [1]}) == []
    assert schema.check_delta({"a": [1]}, never) == []
    assert schema.allows("anything") and not schema.declares("anything")


def test_which_keys_are_declared_and_allowed():
    schema = StateSchema(
        {"properties": {"a": {}, "no": False}, "patternProperties": {"^x": {}}, "additionalProperties": False}
    )
    assert [schema.declares(key) for key in ("a", "xy", "b")] == [True, True, False]
    assert [schema.allows(key) for key in ("a", "xy", "b", "no")] == [True, True, False, False]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "objekt"},
        {"properties": 5},
        {"properties": {"a": {"pattern": "("}}},
        {"$ref": "#"},
        {"$ref": "#/$defs/nothing"},
        {"properties": {"default": {"$ref": "https://example.org/schema"}}},
        {"allOf": [{"$ref": "#"}]},
        5,
    ],
)
def test_an_unusable_schema_is_told(schema: Any):
    assert schema_faults(schema)
    with pytest.raises(LanguageError) as caught:
        StateSchema(schema)
    assert caught.value.code == "state_schema_invalid"


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": {"next": {"$ref": "#"}}},
        {"properties": {"a": {"default": {"$ref": "https://example.org"}}}},
        {"properties": {"$ref": {"type": "string"}}},
    ],
)
def test_a_usable_schema_is_not(schema: Any):
    assert schema_faults(schema) == []


def test_a_schema_of_a_state_is_one_of_an_object():
    assert schema_faults({"type": "string"}) == []
    with pytest.raises(LanguageError):
        StateSchema({"type": "string"})


def test_a_value_too_deep_for_its_schema_is_a_problem_and_no_crash():
    schema = StateSchema(
        {"properties": {"tree": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": {"items": {"$ref": "#/$defs/tree"}}}}
    )
    value: list[Any] = []
    for _ in range(400):
        value = [value]
    assert "nested too deep" in schema.check_delta({"tree": value}, never)[0]


# --- arguments ------------------------------------------------------------------------------------------

TOOL = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "integer"},
        "limit": {"type": "integer", "default": 10},
        "nested": {"type": "object", "properties": {"deep": {"default": "d"}}},
        "filled": {"default": {}, "properties": {"in": {"default": [1]}}},
        "list": {"type": "array", "items": {"$ref": "#/$defs/item"}},
    },
    "allOf": [{"properties": {"all": {"default": True}}}],
    "$defs": {"item": {"type": "object", "properties": {"k": {"default": "v"}}}},
    "additionalProperties": True,
}


def test_defaults_are_filled_in_at_every_depth():
    given = {"id": 1, "nested": {}, "list": [{}, {"k": "own"}]}
    filled, problems = ArgumentSchema(TOOL).apply(given)
    assert problems == []
    assert filled == {
        "id": 1,
        "limit": 10,
        "nested": {"deep": "d"},
        "filled": {"in": [1]},
        "list": [{"k": "v"}, {"k": "own"}],
        "all": True,
    }
    assert given == {"id": 1, "nested": {}, "list": [{}, {"k": "own"}]}, "what was given is not changed"


def test_a_default_is_a_copy():
    schema = ArgumentSchema(TOOL)
    first, _ = schema.apply({"id": 1})
    first["filled"]["in"].append(2)
    assert schema.apply({"id": 1})[0]["filled"] == {"in": [1]}


def test_every_problem_is_listed():
    _, problems = ArgumentSchema({**TOOL, "additionalProperties": False}).apply({"limit": "x", "zzz": 1})
    assert len(problems) == 3


def test_arguments_are_an_object():
    assert ArgumentSchema({}).apply([1]) == (
        [1],
        ["The arguments are no object. Give an object with a value for each argument."],
    )


def test_a_schema_that_refers_to_itself_fills_in_what_is_there():
    schema = ArgumentSchema({"properties": {"next": {"$ref": "#"}, "n": {"default": 1}}})
    assert schema.apply({"next": {"next": {}}})[0] == {"n": 1, "next": {"n": 1, "next": {"n": 1}}}
