"""Rows of a run to JSON data and back, driven by their field types. Where the data is kept is others' to say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from runner.engine.rows import Stored, Usage

T = TypeVar("T")

#: Values of more bytes than this lie in the run's blobs; a row then holds only their digest.
INLINE_BYTES = 32 * 1024

Coder = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Field:
    """How the values of one field are written, read back and copied; None: they are JSON, and never change."""

    name: str
    to_json: Coder | None = None
    of_json: Coder | None = None
    copied: Coder | None = None


def encode_row(row: Any) -> dict[str, Any]:
    """Give a row as JSON data. Stored values become their text, or a reference into the blobs."""
    data: dict[str, Any] = {}
    for field in _fields(type(row)):
        value = getattr(row, field.name)
        data[field.name] = value if value is None or field.to_json is None else field.to_json(value)
    return data


def decode_row(kind: type[T], data: dict[str, Any]) -> T:
    """Make a row of this class from what `encode_row` gave; what was written before a field was there lacks it."""
    given: dict[str, Any] = {}
    for field in _fields(kind):
        if field.name not in data:
            continue
        value = data[field.name]
        given[field.name] = value if value is None or field.of_json is None else field.of_json(value)
    return kind(**given)


def copy_row(row: T) -> T:
    """Give a copy of a row that shares nothing with it; its stored values have to be parsed again."""
    given: dict[str, Any] = {}
    for field in _fields(type(row)):
        value = getattr(row, field.name)
        given[field.name] = value if value is None or field.copied is None else field.copied(value)
    return type(row)(**given)


def moved_to_blobs(row: T, blobs: dict[str, str]) -> T:
    """Put a row's large values into the run's blobs and leave their digests in a copy of the row."""
    moved = copy_row(row)
    for field in _fields(type(row)):
        stored = getattr(moved, field.name)
        if isinstance(stored, Stored) and stored.ref is None and stored.size > INLINE_BYTES:
            digest = stored.content_digest()
            blobs[digest] = stored.text or ""
            setattr(moved, field.name, Stored(size=stored.size, ref=digest))
    return moved


_FIELDS: dict[type[Any], tuple[Field, ...]] = {}


def _fields(kind: type[Any]) -> tuple[Field, ...]:
    found = _FIELDS.get(kind)
    if found is None:
        hints = get_type_hints(kind)
        found = _FIELDS[kind] = tuple(_field(field.name, hints[field.name]) for field in fields(kind))
    return found


def _field(name: str, hint: Any) -> Field:
    if get_origin(hint) in (Union, UnionType):
        hint = next(part for part in get_args(hint) if part is not NoneType)
    if hint is Stored:
        return Field(name, _stored_to_json, _stored_of_json, _copy_stored)
    if hint is Usage:
        return Field(name, Usage.as_json, Usage.from_json, _copy_usage)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return Field(name, str, hint)
    if get_origin(hint) is tuple:
        return Field(name, list, tuple)
    if hint in (int, str, bool, float):
        return Field(name)
    return Field(name, _copy_json, _copy_json, _copy_json)


def _copy_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy_json(item) for item in value]
    return value


def _stored_to_json(stored: Stored) -> dict[str, Any]:
    if stored.ref is not None:
        return {"ref": stored.ref, "size": stored.size}
    return {"text": stored.text, "size": stored.size}


def _stored_of_json(data: dict[str, Any]) -> Stored:
    return Stored(text=data.get("text"), size=data["size"], ref=data.get("ref"))


def _copy_usage(usage: Usage) -> Usage:
    return Usage(usage.input_tokens, usage.output_tokens, usage.cost_micros, usage.units)


def _copy_stored(stored: Stored) -> Stored:
    return Stored(text=stored.text, size=stored.size, ref=stored.ref)
