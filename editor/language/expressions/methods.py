"""The three methods of conditions, and the table that says which methods an expression may call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from editor.language.expressions import utf16
from editor.language.expressions.errors import Refusal
from editor.language.expressions.limits import ASTRAL_PER_UNIT, SEARCHED_PER_UNIT, Meter
from editor.language.expressions.operators import same_value
from editor.language.expressions.values import is_nil, spoken

Arguments = Sequence[object]
CHEAP_ITEMS_PER_UNIT = 8  # looking for a plain value in a list is that much cheaper than for a list or object


@dataclass(frozen=True, slots=True)
class Callee:
    """A method or function: how many arguments it takes (receiver apart) and what it does."""

    least: int
    most: int
    apply: Callable[[Arguments, Meter], object]
    receiver: bool = True  # the first value handed to `apply` is the receiver of a method

    def wrong_count(self, name: str, count: int) -> str | None:
        """Return the sentence about a wrong number of arguments, None when it is right."""
        if self.least <= count <= self.most:
            return None
        wanted = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
        noun = "argument" if self.most == 1 else "arguments"
        return f"`{name}` takes {wanted} {noun}, not {count}"


def units_of(text: str, meter: Meter) -> str:
    """Return the UTF-16 units of a text, and pay for searching them."""
    meter.spend(1 + len(text) // (ASTRAL_PER_UNIT if utf16.has_astral(text) else SEARCHED_PER_UNIT))
    return utf16.units(text)


def _two_texts(name: str, values: Arguments, meter: Meter) -> tuple[str, str]:
    receiver, argument = values
    if not isinstance(receiver, str):
        raise Refusal(f"{spoken(receiver)} has no method `{name}`")
    if not isinstance(argument, str):
        raise Refusal(f"`{name}` takes a text, not {spoken(argument)}")
    return units_of(receiver, meter), units_of(argument, meter)


def find_item(items: Sequence[object], wanted: object, meter: Meter) -> int:
    """Return the index of the first item that is `wanted` (as `===`, and NaN is found), -1 without one."""
    if isinstance(wanted, bool) or is_nil(wanted):
        meter.spend(1 + len(items) // CHEAP_ITEMS_PER_UNIT)
        return next((index for index, item in enumerate(items) if item is wanted), -1)
    if isinstance(wanted, str):  # a text equals nothing but a text, in Python as in JavaScript
        meter.spend(1 + len(items) // CHEAP_ITEMS_PER_UNIT)
        return next((index for index, item in enumerate(items) if item == wanted), -1)
    meter.spend(1 + len(items))
    return next((index for index, item in enumerate(items) if same_value(item, wanted, meter)), -1)


def _includes(values: Arguments, meter: Meter) -> bool:
    receiver, argument = values
    if isinstance(receiver, list | tuple):
        return find_item(receiver, argument, meter) >= 0
    text, part = _two_texts("includes", values, meter)
    return part in text


def _starts_with(values: Arguments, meter: Meter) -> bool:
    text, part = _two_texts("startsWith", values, meter)
    return text.startswith(part)


def _ends_with(values: Arguments, meter: Meter) -> bool:
    text, part = _two_texts("endsWith", values, meter)
    return text.endswith(part)


CONDITION_METHODS: Mapping[str, Callee] = {
    "includes": Callee(1, 1, _includes),
    "startsWith": Callee(1, 1, _starts_with),
    "endsWith": Callee(1, 1, _ends_with),
}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What may be called: a condition has three methods, a value expression methods and functions."""

    methods: Mapping[str, Callee]
    functions: Mapping[str, Callee]

    def unknown_method(self, name: str) -> str:
        """Return the sentence about a method that is not in the vocabulary."""
        if self.functions:
            return f"there is no method `.{name}(…)`"
        return (
            f"`.{name}(…)` cannot be called in a condition: compute first (a value expression of a "
            "transform or set_variable may call it), then compare"
        )


CONDITION = Vocabulary(CONDITION_METHODS, {})
