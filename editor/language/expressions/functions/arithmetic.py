"""Functions and methods of numbers. Rounding is a spreadsheet's: halves away from zero, on the digits one sees."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Context, Decimal

from editor.language.expressions.errors import Refusal
from editor.language.expressions.functions.arguments import list_of, number_of, whole_of
from editor.language.expressions.limits import Meter
from editor.language.expressions.methods import Arguments, Callee
from editor.language.expressions.numbers import double, number_text
from editor.language.expressions.values import UNDEFINED, spoken, to_number

_EXACT_DIGITS = Context(prec=1200, rounding=ROUND_HALF_UP)  # the longest double has 1,074 digits after the point
_LARGEST_FIXED = 1e21  # from here on JavaScript's toFixed writes the number as usual
_MOST_DECIMALS = 100
_ROUNDED_PLACES = 15


def _to_fixed(values: Arguments, meter: Meter) -> str:
    number = values[0]
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise Refusal(f"{spoken(number)} has no method `toFixed`")
    places = whole_of(values[1], "toFixed", 0, _MOST_DECIMALS)
    number = double(number)
    if not abs(number) < _LARGEST_FIXED:
        return number_text(number)
    fixed = _EXACT_DIGITS.quantize(abs(Decimal(number)), Decimal(1).scaleb(-places))
    return ("-" if number < 0 else "") + f"{fixed:f}"


def _number(values: Arguments, meter: Meter) -> int | float:
    return to_number(values[0])


def _round(values: Arguments, meter: Meter) -> int | float:
    number = number_of(values[0], "round")
    places = whole_of(values[1], "round", -_ROUNDED_PLACES, _ROUNDED_PLACES) if len(values) > 1 else 0
    if isinstance(number, float) and not math.isfinite(number):
        return number
    if isinstance(number, int) and (places >= 0 or number.bit_length() > 1000):
        return number
    # The shortest digits of a double are what people see: 1.005 is 1.01 with two places, as in a spreadsheet.
    rounded = _EXACT_DIGITS.quantize(Decimal(repr(number)), Decimal(1).scaleb(-places))
    return int(rounded) if isinstance(number, int) else float(rounded)


def _whole(name: str, compute: Callable[[float], int]) -> Callable[[Arguments, Meter], int | float]:
    def apply(values: Arguments, meter: Meter) -> int | float:
        number = number_of(values[0], name)
        if isinstance(number, int) or not math.isfinite(number):
            return number
        return float(compute(number))

    return apply


def _abs(values: Arguments, meter: Meter) -> int | float:
    return abs(number_of(values[0], "abs"))


def _numbers(values: Arguments, name: str, meter: Meter) -> list[int | float]:
    """Return the numbers of a list; anything else in it is refused by its place."""
    items = list_of(values[0], name)
    meter.spend(1 + len(items))
    numbers: list[int | float] = []
    for index, item in enumerate(items):
        if isinstance(item, bool) or not isinstance(item, int | float):
            raise Refusal(f"`{name}` takes a list of numbers, but item {index} is {spoken(item)}")
        numbers.append(item)
    return numbers


def _min(values: Arguments, meter: Meter) -> object:
    return min(_numbers(values, "min", meter), default=UNDEFINED)


def _max(values: Arguments, meter: Meter) -> object:
    return max(_numbers(values, "max", meter), default=UNDEFINED)


def _total(numbers: list[int | float]) -> float:
    """Return the sum, rounded once at the end, so that it does not depend on the order."""
    try:
        return math.fsum(map(double, numbers))
    except (OverflowError, ValueError):
        return sum(map(double, numbers))


def _sum(values: Arguments, meter: Meter) -> float:
    return _total(_numbers(values, "sum", meter))


def _average(values: Arguments, meter: Meter) -> object:
    numbers = _numbers(values, "average", meter)
    return _total(numbers) / len(numbers) if numbers else UNDEFINED


METHODS: Mapping[str, Callee] = {"toFixed": Callee(1, 1, _to_fixed)}

FUNCTIONS: Mapping[str, Callee] = {
    "number": Callee(1, 1, _number),
    "round": Callee(1, 2, _round),
    "floor": Callee(1, 1, _whole("floor", math.floor)),
    "ceil": Callee(1, 1, _whole("ceil", math.ceil)),
    "abs": Callee(1, 1, _abs),
    "min": Callee(1, 1, _min),
    "max": Callee(1, 1, _max),
    "sum": Callee(1, 1, _sum),
    "average": Callee(1, 1, _average),
}
