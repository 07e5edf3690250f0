"""Rows of a run to JSON data and back, driven by their field types. Where the data is kept is memory.py's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from runner.engine.rows import Stored, Usage

T = TypeVar("T")

#: Values of more bytes than this lie in the run's blobs; a row then holds only their digest.
INLINE_BYTES = 32 * 1024

Coder = Callable[[Any], Any]


def encode_row(row: Any) -> dict[str, Any]:
    """Give a row as JSON data. Stored values become their text, or a reference into the blobs."""
    data: dict[str, Any] = {}
    for name, to_json, _ in _plan(type(row)):
        value = getattr(row, name)
        data[name] = None if value is None else to_json(value)
    return data


def decode_row(kind: type[T], data: dict[str, Any]) -> T:
    """Make a row of this class from what `encode_row` gave."""
    given = {name: None if data[name] is None else of_json(data[name]) for name, _, of_json in _plan(kind)}
    return kind(**given)


def copy_row(row: T) -> T:
    """Give a copy of a row that shares nothing with it; its stored values have to be parsed again."""
    return decode_row(type(row), encode_row(row))


_PLANS: dict[type[Any], tuple[tuple[str, Coder, Coder], ...]] = {}


def _plan(kind: type[Any]) -> tuple[tuple[str, Coder, Coder], ...]:
    plan = _PLANS.get(kind)
    if plan is None:
        hints = get_type_hints(kind)
        plan = _PLANS[kind] = tuple((field.name, *_coders(hints[field.name])) for field in fields(kind))
    return plan


def _coders(hint: Any) -> tuple[Coder, Coder]:
    if get_origin(hint) in (Union, UnionType):
        hint = next(part for part in get_args(hint) if part is not NoneType)
    if hint is Stored:
        return _stored_to_json, _stored_of_json
    if hint is Usage:
        return Usage.as_json, Usage.from_json
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return str, hint
    if get_origin(hint) is tuple:
        return list, tuple
    if hint in (int, str, bool, float):
        return _same, _same
    return _copy_json, _copy_json


def _same(value: Any) -> Any:
    return value


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


def moved_to_blobs(row: T, blobs: dict[str, str]) -> T:
    """Put a row's large values into the run's blobs and leave their digests in a copy of the row."""
    data = encode_row(row)
    for name, to_json, _ in _plan(type(row)):
        stored = getattr(row, name)
        if to_json is _stored_to_json and stored is not None and stored.ref is None and stored.size > INLINE_BYTES:
            digest = stored.content_digest()
            blobs[digest] = stored.text
            data[name] = {"ref": digest, "size": stored.size}
    return decode_row(type(row), data)
