"""Members of values: own keys of objects, items of lists, characters of texts; never Python attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from editor.language.expressions import utf16
from editor.language.expressions.errors import Refusal
from editor.language.expressions.numbers import number_text
from editor.language.expressions.values import UNDEFINED, is_nil, spoken

FORBIDDEN = frozenset({"constructor", "__proto__", "prototype"})

_INDEX = re.compile("0|[1-9][0-9]{0,15}")


def refuse_forbidden(name: object) -> None:
    """Raise Refusal when `name` is one that no expression may use."""
    if name in FORBIDDEN:
        raise Refusal(f"the name `{name}` is not allowed in expressions")


def member(value: object, key: object) -> object:
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
    return own_member(value, name)


def own_member(value: object, name: str) -> object:
    """Return the member `name` of `value`, UNDEFINED for everything that is not there; never raises."""
    if isinstance(value, Mapping):
        try:
            return value[name]
        except KeyError:
            return UNDEFINED
    if not isinstance(value, str | list | tuple):
        return UNDEFINED
    if name == "length":
        return utf16.length(value) if isinstance(value, str) else len(value)
    if not _INDEX.fullmatch(name):
        return UNDEFINED
    items = utf16.units(value) if isinstance(value, str) else value
    index = int(name)
    return items[index] if index < len(items) else UNDEFINED
