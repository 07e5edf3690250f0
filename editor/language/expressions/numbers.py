"""Numbers by JavaScript's rules: their text, the number a text stands for, doubles. No operators here."""

from __future__ import annotations

import math
import re

from editor.language.expressions.errors import Refusal

EXACT = 2**53  # below it every whole double is exact; from here on only stored integers are

# What JavaScript takes for white space; Python's own idea of it differs.
JS_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
MAX_NUMBER_TEXT = 100_000  # characters; reading digits takes time
_NUMBER_STARTS = frozenset(JS_SPACE + "+-.0123456789I")
_DECIMAL = re.compile(r"[+-]?(?:Infinity|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_RADIX = re.compile(r"0(?:[xX]([0-9a-fA-F]+)|[oO]([0-7]+)|[bB]([01]+))")
_BASES = (16, 8, 2)
_POSITIONAL = 21  # JavaScript writes numbers below 1e21 without an exponent


def double(number: int | float) -> float:
    """Return the double nearest to `number`; an integer beyond the largest double is Infinity."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def tidy(number: int | float) -> int | float:
    """Return the stored form of a finite number: whole ones below 2^53 as int, zero without a sign."""
    if isinstance(number, float) and number.is_integer() and abs(number) < EXACT:
        return int(number)
    return number


def text_number(text: str) -> float:
    """Return the number JavaScript takes `text` for: '' is 0, '0x10' is 16, 'abc' and '1_000' are NaN."""
    if len(text) > MAX_NUMBER_TEXT:
        if text[0] not in _NUMBER_STARTS:
            return math.nan
        raise Refusal(f"a text of more than {MAX_NUMBER_TEXT} characters is not read as a number")
    bare = text.strip(JS_SPACE)
    if not bare:
        return 0.0
    if _DECIMAL.fullmatch(bare):
        return float(bare)
    radix = _RADIX.fullmatch(bare)
    if radix is None:
        return math.nan
    digits, base = next((group, base) for group, base in zip(radix.groups(), _BASES, strict=True) if group)
    return double(int(digits, base))


def number_text(number: int | float) -> str:
    """Return the text of a number: stored integers exactly, doubles as JavaScript writes them."""
    if isinstance(number, int):
        try:
            return str(number)
        except ValueError:
            raise Refusal("an integer of so many digits cannot be written as text") from None
    if not math.isfinite(number):
        return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"
    if number.is_integer() and abs(number) < EXACT:
        return str(int(number))
    return ("-" if number < 0 else "") + _shortest(abs(number))


def _shortest(number: float) -> str:
    """Write a positive finite double: Python and JavaScript agree on the digits, not on their layout."""
    mantissa, _, exponent = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= _POSITIONAL:
        return digits + "0" * (point - count)
    if 0 < point <= _POSITIONAL:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    power = point - 1
    tail = "." + digits[1:] if count > 1 else ""
    return f"{digits[0]}{tail}e{'+' if power > 0 else '-'}{abs(power)}"
