"""Functions of objects. Keys come in JavaScript's order: whole numbers first, the rest as written."""

from __future__ import annotations

from collections.abc import Mapping

from editor.language.expressions.errors import Refusal
from editor.language.expressions.functions.arguments import list_of, object_of
from editor.language.expressions.json_text import object_keys
from editor.language.expressions.limits import Meter
from editor.language.expressions.members import refuse_forbidden
from editor.language.expressions.methods import Arguments, Callee
from editor.language.expressions.numbers import number_text
from editor.language.expressions.values import spoken


def _keys(values: Arguments, meter: Meter) -> list[object]:
    value = object_of(values[0], "keys")
    meter.spend_items(len(value))
    return list(object_keys(value))


def _values(values: Arguments, meter: Meter) -> list[object]:
    value = object_of(values[0], "values")
    meter.spend_items(len(value))
    return [value[key] for key in object_keys(value)]


def _pick(values: Arguments, meter: Meter) -> dict[str, object]:
    value, wanted = object_of(values[0], "pick"), list_of(values[1], "pick")
    meter.spend_items(len(wanted))
    names = [_name(key) for key in wanted]
    return {name: value[name] for name in names if name in value}


def _name(key: object) -> str:
    if isinstance(key, bool) or not isinstance(key, str | int | float):
        raise Refusal(f"`pick` takes a list of keys, but one is {spoken(key)}")
    name = key if isinstance(key, str) else number_text(key)
    refuse_forbidden(name)
    return name


def _merge(values: Arguments, meter: Meter) -> dict[str, object]:
    below, above = object_of(values[0], "merge"), object_of(values[1], "merge")
    meter.spend_items(len(below) + len(above))
    return {**below, **above}


FUNCTIONS: Mapping[str, Callee] = {
    "keys": Callee(1, 1, _keys),
    "values": Callee(1, 1, _values),
    "pick": Callee(2, 2, _pick),
    "merge": Callee(2, 2, _merge),
}
