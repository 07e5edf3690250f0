"""Reads the arguments of functions and methods: the right kind, or a sentence that names the function."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from editor.language.expressions.errors import Refusal
from editor.language.expressions.values import is_nil, is_structure, plain_text, spoken, to_number

Items = Sequence[object]


def text_of(value: object, name: str) -> str:
    """Return a text as it is."""
    if not isinstance(value, str):
        raise Refusal(f"`{name}` takes a text, not {spoken(value)}")
    return value


def words_of(value: object, name: str) -> str:
    """Return a text, or the text of a number or of true and false."""
    if is_nil(value) or is_structure(value):
        raise Refusal(f"`{name}` takes a text, not {spoken(value)}")
    return plain_text(value)


def number_of(value: object, name: str) -> int | float:
    """Return a number, or the number that a text (or true and false) stands for; NaN when it stands for none."""
    if is_nil(value) or is_structure(value):
        raise Refusal(f"`{name}` takes a number, not {spoken(value)}")
    return to_number(value)


def whole_of(value: object, name: str, least: int, most: int) -> int:
    """Return a whole number between `least` and `most`."""
    number = number_of(value, name)
    if number != number or math.isinf(number) or number != int(number) or not least <= number <= most:
        raise Refusal(f"`{name}` takes a whole number from {least} to {most}")
    return int(number)


def offset_of(value: object, name: str, length: int) -> int:
    """Return a place in a text or list of `length` as JavaScript's slice counts it: negative from the end."""
    number = number_of(value, name)
    if number != number:
        return 0
    place = length if number > length else -length if number < -length else int(number)
    return max(place + length, 0) if place < 0 else place


def list_of(value: object, name: str) -> Items:
    """Return a list as it is."""
    if not isinstance(value, list | tuple):
        raise Refusal(f"`{name}` takes a list, not {spoken(value)}")
    return value


def object_of(value: object, name: str) -> Mapping[str, object]:
    """Return an object as it is."""
    if not isinstance(value, Mapping):
        raise Refusal(f"`{name}` takes an object, not {spoken(value)}")
    return value


def receiver_text(value: object, name: str) -> str:
    """Return the text that a method of texts was called on."""
    if not isinstance(value, str):
        raise Refusal(f"{spoken(value)} has no method `{name}`")
    return value


def receiver_list(value: object, name: str) -> Items:
    """Return the list that a method of lists was called on."""
    if not isinstance(value, list | tuple):
        raise Refusal(f"{spoken(value)} has no method `{name}`")
    return value
