"""What a tool's signature says: its JSON Schema, descriptions and defaults, and what cannot be a tool."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from editor.language.state_schema import ArgumentSchema
from runner.engine.errors import RunError
from runner.tools import DefinitionError, ToolContext, ToolError, ToolRegistry, tool
from runner.tools.calling import call_tool
from runner.tools.signature import read_docstring, read_signature


class Guest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    age: int | None = None


def book(
    room: Annotated[str, Field(min_length=1, description="Number on the door.")],
    nights: Annotated[int, Field(ge=1)] = 1,
    *,
    guests: list[Guest],
    kind: Literal["single", "double"] = "single",
    arrival: date | None = None,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Book a room
    for guests.

    Args:
        room: ignored, since Annotated says it.
        nights (int): How many nights,
            at least one.
        guests: Who comes.

    Returns:
        kind: not an argument.
    """
    return {
        "room": room,
        "guests": [guest.model_dump() for guest in guests],
        "arrival": arrival and arrival.isoformat(),
        "try": ctx.attempt,
    }


def test_the_schema_says_types_defaults_and_descriptions_and_allows_nothing_else() -> None:
    signature = read_signature(book, "book")
    schema = signature.schema
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["room", "guests"]
    assert list(schema["properties"]) == ["room", "nights", "guests", "kind", "arrival"]
    assert schema["properties"]["room"] == {
        "description": "Number on the door.",
        "minLength": 1,
        "type": "string",
    }
    assert schema["properties"]["nights"] == {
        "description": "How many nights, at least one.",
        "type": "integer",
        "minimum": 1,
        "default": 1,
    }
    assert schema["properties"]["kind"]["enum"] == ["single", "double"]
    assert "title" not in schema and "title" not in schema["properties"]["kind"]
    assert signature.description == "Book a room for guests."
    assert signature.context_parameter == "ctx"


def test_json_arguments_become_typed_ones_and_the_context_is_handed_over() -> None:
    registry = ToolRegistry()
    tool(registry=registry)(book)
    found = registry.get("book")
    assert found is not None
    checked, problems = ArgumentSchema(found.spec.schema).apply(
        {"room": "7", "guests": [{"name": "Ada"}], "arrival": "2030-01-31"}
    )
    assert problems == []
    assert call_tool(found, checked, ToolContext(attempt=3)) == {
        "room": "7",
        "guests": [{"name": "Ada", "age": None}],
        "arrival": "2030-01-31",
        "try": 3,
    }


@pytest.mark.parametrize(
    "arguments",
    [
        {"guests": []},
        {"room": "7", "guests": [], "nigths": 2},
        {"room": "", "guests": []},
        {"room": "7", "guests": [], "nights": 0},
        {"room": "7", "guests": [{"name": "Ada", "shoe": 40}]},
        {"room": "7", "guests": [], "kind": "triple"},
        {"room": "7", "guests": [], "ctx": {}},
    ],
)
def test_what_the_schema_refuses_the_model_refuses_too(arguments: dict[str, Any]) -> None:
    signature = read_signature(book, "book")
    assert ArgumentSchema(signature.schema).apply(arguments)[1]
    registry = ToolRegistry()
    tool(registry=registry)(book)
    found = registry.get("book")
    assert found is not None
    with pytest.raises(RunError) as caught:
        call_tool(found, arguments, ToolContext())
    assert caught.value.code == "tool_args_invalid"
    assert caught.value.details and caught.value.details["problems"]


def test_a_parameter_may_have_any_name() -> None:
    def odd(model_config: str, schema: int, json: bool = False) -> list[Any]:
        return [model_config, schema, json]

    signature = read_signature(odd, "odd")
    assert signature.read({"model_config": "a", "schema": 1}) == {
        "model_config": "a",
        "schema": 1,
        "json": False,
    }


def _untyped(a) -> None:  # type: ignore[no-untyped-def]
    ...


def _positional(a: int, /) -> None: ...


def _starred(*names: str) -> None: ...


def _double_starred(**names: str) -> None: ...


class Opaque:
    pass


def _opaque(thing: Opaque) -> None: ...


@pytest.mark.parametrize("function", [_untyped, _positional, _starred, _double_starred, _opaque])
def test_what_json_cannot_pass_is_no_tool(function: Any) -> None:
    with pytest.raises(DefinitionError, match="odd"):
        tool(name="odd", registry=ToolRegistry())(function)


@pytest.mark.parametrize(
    "options",
    [{"name": "two words"}, {"name": ""}, {"timeout_ms": 0}, {"read_only": True, "effect": "at_most_once"}],
)
def test_contradictory_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError):
        tool(registry=ToolRegistry(), **({"name": "t"} | options))(_plain)


def _plain() -> None: ...


def _other() -> None: ...


def test_two_functions_cannot_share_a_name_but_a_reloaded_one_may_come_again() -> None:
    registry = ToolRegistry()
    tool(name="t", registry=registry)(_plain)
    tool(name="t", registry=registry, cost_usd=0.5)(_plain)
    assert [one.spec.cost_micros for one in registry.all()] == [500_000]
    with pytest.raises(DefinitionError, match="defined twice"):
        tool(name="t", registry=registry)(_other)


def test_a_docstring_without_sections_is_all_description() -> None:
    assert read_docstring("Sends\na letter.") == ("Sends a letter.", {})


@pytest.mark.parametrize("code", ["tool_denied", "canceled", "operation_timeout", "budget_exhausted", "No Slug", ""])
def test_a_tool_cannot_claim_an_error_code_that_means_something_else(code: str) -> None:
    with pytest.raises(ValueError):
        ToolError("x", code)
