"""The operators of expressions: equality, order and arithmetic as in JavaScript, lists and objects apart.

The decided exceptions: lists and objects are equal when their content is, never equal to anything else, and
no other operator takes them; two stored integers compare exactly. What a value is, `values` knows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from editor.language.expressions import utf16
from editor.language.expressions.errors import Refusal
from editor.language.expressions.limits import Meter
from editor.language.expressions.numbers import double
from editor.language.expressions.values import (
    is_nil,
    is_structure,
    kind,
    plain_text,
    spoken,
    to_number,
    truthy,
)

Binary = Callable[[object, object, Meter], object]
Unary = Callable[[object], object]


def numbers_equal(left: int | float, right: int | float) -> bool:
    """Compare two integers exactly, everything else as doubles."""
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    return double(left) == double(right)


def strictly_equal(left: object, right: object, meter: Meter) -> bool:
    """`===`: same kind and same value; lists and objects by content."""
    left_kind = kind(left)
    if left_kind != kind(right):
        return False
    if left_kind in ("list", "object"):
        return _same_content(left, right, meter)
    return _same_plain(left, right)


def _same_plain(left: object, right: object) -> bool:
    """Compare two values of one kind, neither a list nor an object."""
    if isinstance(left, bool) or not isinstance(left, int | float):
        return left == right
    return isinstance(right, int | float) and numbers_equal(left, right)


def _same_content(left: object, right: object, meter: Meter) -> bool:
    """Compare two lists or two objects without recursion; every pair of values costs a unit of work."""
    pairs = [(left, right)]
    while pairs:
        a, b = pairs.pop()
        meter.spend(1)
        a_kind = kind(a)
        if a_kind != kind(b):
            return False
        if isinstance(a, list | tuple) and isinstance(b, list | tuple):
            if len(a) != len(b):
                return False
            pairs.extend(zip(a, b, strict=True))
        elif isinstance(a, Mapping) and isinstance(b, Mapping):
            if len(a) != len(b) or any(key not in b for key in a):
                return False
            pairs.extend((a[key], b[key]) for key in a)
        elif not _same_plain(a, b):
            return False
    return True


def loosely_equal(left: object, right: object, meter: Meter) -> bool:
    """`==`: as `===`, but null equals undefined and unlike plain values are compared as numbers."""
    if kind(left) == kind(right):
        return strictly_equal(left, right, meter)
    if is_nil(left) or is_nil(right):
        return is_nil(left) and is_nil(right)
    if is_structure(left) and is_structure(right):
        return False
    if is_structure(left) or is_structure(right):
        raise Refusal(f"{spoken(left)} cannot be compared with {spoken(right)}: use one of its values")
    return numbers_equal(to_number(left), to_number(right))


def same_value(left: object, right: object, meter: Meter) -> bool:
    """How `includes` and `indexOf` find an item: as `===`, and NaN is found too."""
    both_nan = isinstance(left, float) and isinstance(right, float) and left != left and right != right
    return both_nan or strictly_equal(left, right, meter)


Ordered = tuple[float, float] | tuple[int, int] | tuple[str, str] | tuple[bytes, bytes]


def _ordered(left: object, right: object, meter: Meter) -> Ordered:
    """Return two values that Python orders as JavaScript orders the operands."""
    _refuse_structures(left, right, "put in order")
    if isinstance(left, str) and isinstance(right, str):
        if left.isascii() and right.isascii():
            return left, right
        meter.spend_text(len(left) + len(right))
        return utf16.order_key(left), utf16.order_key(right)
    a, b = to_number(left), to_number(right)
    if isinstance(a, int) and isinstance(b, int):
        return a, b
    return double(a), double(b)


def _refuse_structures(left: object, right: object, what: str) -> None:
    for value in (left, right):
        if is_structure(value):
            raise Refusal(f"{spoken(value)} cannot be {what}: use one of its values, or its .length")


def _less(left: object, right: object, meter: Meter) -> bool:
    a, b = _ordered(left, right, meter)
    return a < b  # type: ignore[operator]


def _at_most(left: object, right: object, meter: Meter) -> bool:
    a, b = _ordered(left, right, meter)
    return a <= b  # type: ignore[operator]


def _add(left: object, right: object, meter: Meter) -> object:
    _refuse_structures(left, right, "added or joined")
    if isinstance(left, str) or isinstance(right, str):
        a, b = plain_text(left), plain_text(right)
        meter.spend_text(len(a) + len(b))
        return utf16.whole(a + b)
    return double(to_number(left)) + double(to_number(right))


def _divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _remainder(a: float, b: float) -> float:
    if math.isinf(a) or b == 0:
        return math.nan
    return math.fmod(a, b)


def _arithmetic(compute: Callable[[float, float], float]) -> Binary:
    def apply(left: object, right: object, meter: Meter) -> object:
        _refuse_structures(left, right, "calculated with")
        return compute(double(to_number(left)), double(to_number(right)))

    return apply


BINARY: dict[str, Binary] = {
    "===": strictly_equal,
    "!==": lambda left, right, meter: not strictly_equal(left, right, meter),
    "==": loosely_equal,
    "!=": lambda left, right, meter: not loosely_equal(left, right, meter),
    "<": _less,
    "<=": _at_most,
    ">": lambda left, right, meter: _less(right, left, meter),
    ">=": lambda left, right, meter: _at_most(right, left, meter),
    "+": _add,
    "-": _arithmetic(lambda a, b: a - b),
    "*": _arithmetic(lambda a, b: a * b),
    "/": _arithmetic(_divide),
    "%": _arithmetic(_remainder),
}

UNARY: dict[str, Unary] = {
    "!": lambda value: not truthy(value),
    "-": lambda value: -double(to_number(value)),
    "+": lambda value: double(to_number(value)),
}
