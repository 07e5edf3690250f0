"""What a function's signature says to a flow: argument types, JSON Schema, descriptions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from runner.tools.context import ToolContext
from runner.tools.errors import DefinitionError

_SECTION = re.compile(r"^(Args|Arguments|Parameters|Returns|Raises|Yields|Example|Examples|Note|Notes):\s*$")
_ARGUMENT = re.compile(r"^(\s+)\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s+(.*)$")


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments of a function: the model that reads them, its JSON Schema, and who gets the context."""

    description: str
    schema: dict[str, Any]
    model: type[BaseModel]
    fields: dict[str, str]
    """Parameter by field of the model; fields have names of their own, since some names are taken."""
    context_parameter: str | None

    def read(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Turn JSON arguments into Python ones, defaults filled in. Raises pydantic.ValidationError."""
        values = self.model.model_validate(arguments)
        return {parameter: getattr(values, name) for name, parameter in self.fields.items()}


class _Untitled(GenerateJsonSchema):
    """JSON Schema without the titles that pydantic makes out of field names."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def read_signature(function: Callable[..., Any], name: str) -> Signature:
    """Derive what a flow may pass to a function. Raises DefinitionError for what JSON cannot pass."""
    try:
        hints = get_type_hints(function, include_extras=True)
    except NameError as error:
        raise DefinitionError(f"{name}: {error}; import the type at the top of its module.") from None
    description, told = read_docstring(inspect.getdoc(function) or "")
    context_parameter = None
    fields: dict[str, str] = {}
    model_fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if hints.get(parameter.name) is ToolContext:
            context_parameter = parameter.name
            continue
        field = f"argument_{len(fields)}"
        fields[field] = parameter.name
        model_fields[field] = _field(parameter, hints, told, name)
    model, schema = _model(name, model_fields)
    return Signature(description, schema, model, fields, context_parameter)


def _field(
    parameter: inspect.Parameter, hints: dict[str, Any], told: dict[str, str], name: str
) -> tuple[Any, FieldInfo]:
    if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
        raise DefinitionError(f"{name}: arguments are passed by name, so {parameter} cannot be one.")
    if parameter.name not in hints:
        raise DefinitionError(f"{name}: give the argument {parameter.name!r} a type.")
    annotation = hints[parameter.name]
    default = ... if parameter.default is parameter.empty else parameter.default
    about = told.get(parameter.name)
    described = any(isinstance(part, FieldInfo) and part.description for part in _extras(annotation))
    if about and not described:
        annotation = Annotated[annotation, Field(description=about)]
    info: FieldInfo = Field(default, alias=parameter.name)
    return annotation, info


def _extras(annotation: Any) -> tuple[Any, ...]:
    return getattr(annotation, "__metadata__", ())


def _model(name: str, fields: dict[str, Any]) -> tuple[type[BaseModel], dict[str, Any]]:
    config = ConfigDict(extra="forbid", allow_inf_nan=False)
    try:
        model: type[BaseModel] = create_model(f"Arguments of {name}", __config__=config, **fields)
        schema: JsonSchemaValue = model.model_json_schema(by_alias=True, schema_generator=_Untitled)
    except PydanticUserError as error:
        reason = str(error).splitlines()[0]
        raise DefinitionError(f"{name}: an argument has a type that JSON cannot pass: {reason}") from None
    schema.pop("title", None)
    schema.setdefault("properties", {})
    return model, schema


def read_docstring(text: str) -> tuple[str, dict[str, str]]:
    """Split a docstring into its description and what it says about each argument (its `Args:` section)."""
    lines = text.splitlines()
    start = next((place for place, line in enumerate(lines) if _SECTION.match(line)), len(lines))
    description = " ".join(" ".join(lines[:start]).split())
    told: dict[str, str] = {}
    section, current, indent = "", "", 0
    for line in lines[start:]:
        if heading := _SECTION.match(line):
            section, current = heading[1], ""
        elif section in ("Args", "Arguments", "Parameters"):
            begun = _ARGUMENT.match(line)
            if begun and (not current or len(begun[1]) <= indent):
                current, indent = begun[2], len(begun[1])
                told[current] = begun[3].strip()
            elif current and line.strip():
                told[current] += " " + line.strip()
    return description, told
