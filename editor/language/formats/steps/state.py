"""Which state keys of a steps-form flow a run is started with: they become inputs. The schema itself is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editor.language.formats.base import Part, shown

_TYPES = {
    "string": "short_text",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "array": "list",
    "object": "object",
}


def first_inputs(head: Part, read_first: object) -> list[dict[str, Any]]:
    """Give an input for every key that the schema requires, and one that may be left out for every other key that
    the first step reads: nobody can have set it before.
    """
    schema = head.get("stateSchema")
    parts = schema if isinstance(schema, dict) else {}
    required = _texts(parts.get("required"))
    wanted = dict.fromkeys([*required, *_texts(read_first)])
    properties = parts.get("properties")
    known = properties if isinstance(properties, dict) else {}
    return [_input(head, name, known.get(name), name in required) for name in wanted]


def _texts(given: object) -> list[str]:
    return [name for name in given if isinstance(name, str)] if isinstance(given, list) else []


def _input(head: Part, name: str, schema: object, required: bool) -> dict[str, Any]:
    parts = schema if isinstance(schema, dict) else {}
    found: dict[str, Any] = {"name": name, **_type(head, name, parts)}
    if required:
        found["required"] = True
    if isinstance(parts.get("description"), str):
        found["description"] = parts["description"]
    return found


def _type(head: Part, name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    given = schema.get("type")
    kinds = given if isinstance(given, list) else [given]
    kind = next((kind for kind in kinds if isinstance(kind, str) and kind in _TYPES), None)
    options = schema.get("enum")
    if isinstance(options, list) and options and all(isinstance(option, str) for option in options):
        return {"type": "choice", "options": options}
    if kind == "string" and schema.get("format") == "date":
        return {"type": "date"}
    if kind is None or len([one for one in kinds if one != "null"]) > 1:
        told = f"The input is of the type {_TYPES.get(kind or '', 'short_text')}; choose another if you like."
        place = head.at("stateSchema", "properties", name)
        head.losses.add(place, f"The schema does not give {shown(name)} one type.", told)
    return {"type": _TYPES.get(kind or "", "short_text")}
