"""Values as expressions see them: kinds, truth, numbers and text. Operators live in `operators`."""

from __future__ import annotations

import math
from collections.abc import Mapping

from editor.language.expressions import utf16
from editor.language.expressions.errors import ExpressionError, Refusal
from editor.language.expressions.json_text import json_pieces
from editor.language.expressions.limits import MAX_LEVELS, Meter, check_text
from editor.language.expressions.numbers import number_text, text_number, tidy


class Undefined:
    """What a missing property gives: not null, equal to null under ==, the empty text in texts."""

    _instance: Undefined | None = None

    def __new__(cls) -> Undefined:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "undefined"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "UNDEFINED"


UNDEFINED = Undefined()

_KINDS: dict[type, str] = {
    Undefined: "undefined",
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "text",
    list: "list",
    tuple: "list",
    dict: "object",
}
_SPOKEN = {
    "undefined": "nothing",
    "null": "null",
    "boolean": "true or false",
    "number": "a number",
    "text": "a text",
    "list": "a list",
    "object": "an object",
}


def kind(value: object) -> str:
    """Return undefined, null, boolean, number, text, list or object; raise Refusal for anything else."""
    known = _KINDS.get(type(value))
    if known is not None:
        return known
    if isinstance(value, Mapping):
        return "object"
    for base in (bool, int, float, str, list):
        if isinstance(value, base):
            return _KINDS[base]
    raise Refusal(f"a value of the type {type(value).__name__} is no JSON value")


def spoken(value: object) -> str:
    """Return the kind of `value` in the words of an error message."""
    return _SPOKEN[kind(value)]


def is_nil(value: object) -> bool:
    """Return whether `value` is null or undefined."""
    return value is None or value is UNDEFINED


def is_structure(value: object) -> bool:
    """Return whether `value` is a list or an object."""
    return kind(value) in ("list", "object")


def truthy(value: object) -> bool:
    """Return whether a condition takes `value` for true: empty lists and objects are, NaN and '' not."""
    if isinstance(value, bool):
        return value
    if is_nil(value):
        return False
    if isinstance(value, int | float):
        return value == value and value != 0
    if isinstance(value, str):
        return value != ""
    return True


def to_number(value: object) -> int | float:
    """Return the number JavaScript makes of a value that is neither a list nor an object (then Refusal)."""
    if isinstance(value, int | float):
        return int(value) if isinstance(value, bool) else value
    if isinstance(value, str):
        return text_number(value)
    if value is None:
        return 0
    if value is UNDEFINED:
        return math.nan
    raise Refusal(f"{spoken(value)} cannot be used as a number: compare one of its values, or its .length")


def plain_text(value: object) -> str:
    """Return the text that `+` makes of a value that is neither a list nor an object: null gives 'null'."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if value is UNDEFINED:
        return "undefined"
    return scalar_text(value)


def scalar_text(value: object) -> str:
    """Return the text of a boolean or a number; raise Refusal for anything else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    raise Refusal(f"{spoken(value)} cannot be used as a text")


def inserted_text(value: object, meter: Meter | None = None) -> str:
    """Return the text of `value` inside a text (null and undefined: ''); raise Refusal when there is none.

    With a meter, writing a list or object is paid for.
    """
    if isinstance(value, str):
        return value
    if is_nil(value):
        return ""
    if not is_structure(value):
        return scalar_text(value)
    return bounded_json(value, meter)


def bounded_json(value: object, meter: Meter | None) -> str:
    """Return the compact JSON text of `value`; raise Refusal when it is too long or a foreign value."""
    pieces: list[str] = []
    size = 0
    for piece in json_pieces(value):
        size += len(piece)
        check_text(size)
        if meter is not None:
            meter.spend(1)
        pieces.append(piece)
    return "".join(pieces)


def to_text(value: object) -> str:
    """Return the text of `value` inside a text: lists and objects as compact JSON, null and undefined as ''.

    Raises ExpressionError for what is no JSON value or gives a text that is too long.
    """
    try:
        return inserted_text(value)
    except Refusal as refusal:
        raise ExpressionError(refusal.problem) from None


def to_json(value: object) -> object:
    """Return `value` as it may be stored: undefined becomes null, 5.0 becomes 5, -0 becomes 0.

    Half characters become U+FFFD. Raises ExpressionError for NaN, Infinity, foreign values, nesting over 64.
    """
    try:
        return storable(value, None)
    except Refusal as refusal:
        raise ExpressionError(refusal.problem) from None


def storable(value: object, meter: Meter | None, level: int = 0) -> object:
    """Do the work of `to_json`, raising Refusal; recursion is bounded by MAX_LEVELS, a meter pays for copies."""
    if value is None or value is UNDEFINED or isinstance(value, bool):
        return value if isinstance(value, bool) else None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Refusal(f"the result is {number_text(value)}, which cannot be stored: mind division by zero")
        return tidy(value)
    if isinstance(value, str):
        return utf16.well_formed(value)
    if level >= MAX_LEVELS:
        raise Refusal(f"the value is nested deeper than {MAX_LEVELS} levels")
    if meter is not None and isinstance(value, Mapping | list | tuple):
        meter.spend(1 + len(value))
    if isinstance(value, Mapping):
        return {utf16.well_formed(str(key)): storable(item, meter, level + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item, meter, level + 1) for item in value]
    raise Refusal(f"a value of the type {type(value).__name__} is no JSON value")
