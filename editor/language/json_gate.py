"""The one gate that JSON passes before it is stored or run. What the values mean is not looked at here."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from editor.language.canonical import one_number_form
from editor.language.errors import LanguageError

MIB = 1024 * 1024
REPLACEMENT = "\ufffd"
Path = tuple[str | int, ...]
"""A place in a value: keys and indexes from the top."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class JsonLimits:
    """How much one value may hold: bytes of its JSON text in UTF-8, and levels of nesting."""

    max_bytes: int = 16 * MIB
    max_depth: int = 64


VALUE_LIMITS = JsonLimits()
DOCUMENT_LIMITS = JsonLimits(max_bytes=2 * MIB)


def load_json(
    source: str | bytes,
    limits: JsonLimits = VALUE_LIMITS,
    *,
    what: str = "the JSON text",
    replace: bool = False,
) -> object:
    """Read one JSON value from outside and pass it through the gate.

    `what` names the text in messages. Raises LanguageError: `value_too_large` over the byte limit,
    `limit_exceeded` over the depth limit, `validation_failed` for broken JSON, doubled keys, NaN,
    Infinity, NUL and lone surrogates (replaced instead if `replace`).
    """
    text = _as_text(source, limits, what)
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)
    except RecursionError:
        raise _too_deep(limits) from None
    except json.JSONDecodeError as error:
        place = {"line": error.lineno, "column": error.colno}
        message = f"Broken JSON in {what} at line {error.lineno}, column {error.colno}: {error.msg}. Mend it there."
        raise LanguageError("validation_failed", message, place) from None
    except ValueError as error:
        # int() refuses digit strings beyond the interpreter's own limit.
        raise LanguageError("validation_failed", f"A number in {what} is too long: {error}.") from None
    return clean_json(value, replace=replace, limits=limits)


def clean_json(
    value: object,
    *,
    replace: bool = False,
    limits: JsonLimits = VALUE_LIMITS,
    replaced: list[str] | None = None,
) -> object:
    """Copy a value into plain JSON with numbers in their one form, or refuse it.

    With `replace` (for what tools and models give) NUL and lone surrogates become U+FFFD, and the place of
    each such text, a JSON pointer, is added to `replaced`. Everything else that is no JSON is refused.
    Raises LanguageError: `value_too_large`, `limit_exceeded` (depth), `validation_failed`.
    """
    gate = _Gate(replace, limits, replaced)
    cleaned = gate.clean(value, (), 0)
    if gate.size > limits.max_bytes:
        raise _too_large(limits, "The value")
    return cleaned


def pointer(path: Path) -> str:
    """Write a place as a JSON pointer (RFC 6901); the empty text is the whole."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


class _Gate:
    """One pass over one value: copies, counts, refuses."""

    def __init__(self, replace: bool, limits: JsonLimits, replaced: list[str] | None) -> None:
        self.replace = replace
        self.limits = limits
        self.replaced = replaced
        self.size = 0

    def clean(self, value: object, path: Path, depth: int) -> object:
        if value is None or isinstance(value, bool):
            self.size += 5
            return value
        if isinstance(value, str):
            return self.text(value, path)
        if isinstance(value, int):
            return self.whole(value, path)
        if isinstance(value, float):
            return self.number(value, path)
        if depth >= self.limits.max_depth:
            raise _too_deep(self.limits)
        if isinstance(value, dict):
            return self.object(value, path, depth)
        if isinstance(value, (list, tuple)):
            self.grow(2 + len(value))
            return [self.clean(item, (*path, place), depth + 1) for place, item in enumerate(value)]
        raise _refused(path, f"a {type(value).__name__} is no JSON value. Give texts, numbers, lists, objects.")

    def object(self, value: dict[Any, Any], path: Path, depth: int) -> dict[str, object]:
        self.grow(2 + 2 * len(value))
        cleaned: dict[str, object] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise _refused(path, f"the key {key!r} is no text. Use texts as keys.")
            name = self.text(key, path)
            if name in cleaned:
                raise _refused(path, f"the key {name!r} occurs twice.")
            cleaned[name] = self.clean(item, (*path, name), depth + 1)
        return cleaned

    def text(self, value: str, path: Path) -> str:
        plain = value if type(value) is str else str.__str__(value)
        if plain.isascii():
            self.grow(len(plain) + 2)
            if "\x00" not in plain:
                return plain
        elif not _UNSTORABLE.search(plain):
            self.grow(len(plain.encode()) + 2)
            return plain
        if not self.replace:
            raise _refused(path, "the text holds NUL or half of a surrogate pair. Remove it: it cannot be stored.")
        if self.replaced is not None:
            self.replaced.append(pointer(path))
        self.grow(3 * len(plain))
        # A high and a low half side by side are one character that was cut in two; put it together.
        joined = plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return joined.replace("\x00", REPLACEMENT)

    def whole(self, value: int, path: Path) -> int:
        if value.bit_length() > 14_000:
            raise _refused(path, "the number has more than 4,200 digits.")
        self.size += value.bit_length() // 3 + 2
        return value if type(value) is int else int(value)

    def number(self, value: float, path: Path) -> int | float:
        if not math.isfinite(value):
            raise _refused(path, f"{value} is no JSON number. Give a finite number.")
        self.size += 20
        return one_number_form(float(value))

    def grow(self, size: int) -> None:
        self.size += size
        if self.size > self.limits.max_bytes:
            raise _too_large(self.limits, "The value")


def _as_text(source: str | bytes, limits: JsonLimits, what: str) -> str:
    if len(source) > limits.max_bytes:
        raise _too_large(limits, what.capitalize())
    if isinstance(source, str):
        if not source.isascii() and len(source.encode("utf-8", "surrogatepass")) > limits.max_bytes:
            raise _too_large(limits, what.capitalize())
        return source.removeprefix("\ufeff")
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LanguageError(
            "validation_failed", f"{what.capitalize()} is not UTF-8 at byte {error.start}. Save it as UTF-8."
        ) from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        doubled = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise LanguageError("validation_failed", f"The key {doubled!r} occurs twice in one object. Keep one.")
    return found


def _constant(name: str) -> object:
    raise LanguageError("validation_failed", f"{name} is not a JSON number. Give a finite number.")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise LanguageError("validation_failed", f"The number {text[:30]} is too large. Give a finite one.")
    return number


def _refused(path: Path, why: str) -> LanguageError:
    place = pointer(path)
    return LanguageError("validation_failed", f"At {place or 'the top'}: {why}", {"path": place})


def _too_deep(limits: JsonLimits) -> LanguageError:
    return LanguageError(
        "limit_exceeded",
        f"Lists and objects are nested deeper than {limits.max_depth} levels. Flatten the value.",
        {"max_depth": limits.max_depth},
    )


def _too_large(limits: JsonLimits, what: str) -> LanguageError:
    return LanguageError(
        "value_too_large",
        f"{what} is larger than {limits.max_bytes:,} bytes. Make it smaller, or store it as an artifact.",
        {"max_bytes": limits.max_bytes},
    )
