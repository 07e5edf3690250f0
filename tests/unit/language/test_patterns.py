"""Patterns of schemas: matched in linear time, refused where that cannot be."""

from __future__ import annotations

import time
from typing import Any

import pytest

from editor.language.errors import LanguageError
from editor.language.state_schema import ArgumentSchema, StateSchema, schema_faults

EVIL, VICTIM = "^(a+)+$", "a" * 60 + "!"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "string", "pattern": EVIL}}},
        {"type": "object", "patternProperties": {EVIL: {"type": "integer"}}, "additionalProperties": False},
        {"$defs": {"t": {"pattern": EVIL}}, "properties": {"a": {"$ref": "#/$defs/t"}}},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"a": {"pattern": EVIL}}},
    ],
)
def test_no_pattern_takes_long(schema: dict[str, Any]) -> None:
    value = {"a": VICTIM, VICTIM: 1}
    began = time.process_time()
    assert ArgumentSchema(schema).problems(value)
    StateSchema(schema).check_delta(value, dict)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"pattern": "(?=a)b"}, "Look-around"),
        ({"properties": {"a": {"pattern": r"(a)\1"}}}, "back references"),
        ({"patternProperties": {"(": {}}}, "regex"),
        ({"properties": {"a": {"$schema": "https://json-schema.org/draft-07/schema"}}}, "at the top"),
        ({"patternProperties": {"a": {}}, "unevaluatedProperties": False}, "additionalProperties"),
    ],
)
def test_what_cannot_be_matched_in_linear_time_is_refused(schema: dict[str, Any], says: str) -> None:
    assert any(says in fault for fault in schema_faults(schema))
    with pytest.raises(LanguageError, match="cannot be used"):
        StateSchema(schema)


def test_keys_called_like_keywords_are_no_patterns() -> None:
    schema = {"properties": {"pattern": {"type": "string"}, "$schema": {"type": "string"}}, "default": {"pattern": "("}}
    assert schema_faults(schema) == []
    assert ArgumentSchema(schema).problems({"pattern": "(", "$schema": "x"}) == []


def test_what_patterns_allow_and_refuse_is_said() -> None:
    schema = {
        "type": "object",
        "properties": {"code": {"type": "string", "pattern": "^[A-Z]{2}[0-9]+$"}},
        "patternProperties": {"^n_": {"type": "number"}},
        "additionalProperties": False,
    }
    judge = ArgumentSchema(schema)
    assert judge.problems({"code": "DE12", "n_x": 1}) == []
    refused = judge.problems({"code": "de", "n_x": "1", "other": 1})
    assert len(refused) == 3
    assert any("does not match" in one for one in refused) and any("'other' was unexpected" in one for one in refused)
