"""Members of values: own keys of objects, items of lists, characters of texts; never Python attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from editor.language.expressions import utf16
from editor.language.expressions.errors import Refusal
from editor.language.expressions.limits import Meter
from editor.language.expressions.numbers import number_text
from editor.language.expressions.values import UNDEFINED, is_nil, spoken

FORBIDDEN = frozenset({"constructor", "__proto__", "prototype"})

_INDEX = re.compile("0|[1-9][0-9]{0,15}")


def refuse_forbidden(name: object) -> None:
    """Raise Refusal when `name` is one that no expression may use."""
    if name in FORBIDDEN:
        raise Refusal(f"the name `{name}` is not allowed in expressions")


def member(value: object, key: object, meter: Meter) -> object:
    """Return `value[key]`, UNDEFINED when there is none; raise Refusal where a value has no such members."""
    if isinstance(key, bool) or not isinstance(key, str | int | float):
        raise Refusal(f"{spoken(key)} cannot be a key: use a text or a number")
    name = key if isinstance(key, str) else number_text(key)
    refuse_forbidden(name)
    if is_nil(value):
        raise Refusal(f"{spoken(value)} has no member `{name}`: the value before it is missing")
    if isinstance(value, str) and name != "length" and isinstance(key, str) and not _INDEX.fullmatch(name):
        raise Refusal(f"a text has no member `{name}`, only .length and its characters")
    if not isinstance(value, str | list | tuple | Mapping):
        raise Refusal(f"{spoken(value)} has no members such as `{name}`")
    return own_member(value, name, meter)


def own_member(value: object, name: str, meter: Meter) -> object:
    """Return the member `name` of `value`, UNDEFINED for everything that is not there."""
    if isinstance(value, Mapping):
        try:
            return value[name]
        except KeyError:
            return UNDEFINED
    if isinstance(value, str):
        return _text_member(value, name, meter)
    if not isinstance(value, list | tuple):
        return UNDEFINED
    if name == "length":
        return len(value)
    if not _INDEX.fullmatch(name):
        return UNDEFINED
    index = int(name)
    return value[index] if index < len(value) else UNDEFINED


def _text_member(text: str, name: str, meter: Meter) -> object:
    if not text.isascii():
        meter.spend_text(len(text))  # counting UTF-16 units walks the text
    if name == "length":
        return utf16.length(text)
    unit = utf16.unit_at(text, int(name)) if _INDEX.fullmatch(name) else None
    return UNDEFINED if unit is None else unit
