"""Lists and objects as compact JSON text, as JavaScript's JSON.stringify writes it. Nothing is read here."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping

from editor.language.expressions import utf16
from editor.language.expressions.errors import Refusal
from editor.language.expressions.numbers import number_text

_HALF = re.compile("[\ud800-\udfff]")
_INDEX_KEY = re.compile("(?:0|[1-9][0-9]{0,9})")
_LARGEST_INDEX = 2**32 - 2


def object_keys(value: Mapping[str, object]) -> list[str]:
    """Return the keys in JavaScript's order: whole-number keys first, ascending, then the rest as written."""
    keys = list(value)
    numeric = [key for key in keys if _INDEX_KEY.fullmatch(key) and int(key) <= _LARGEST_INDEX]
    if not numeric:
        return keys
    return sorted(numeric, key=int) + [key for key in keys if key not in set(numeric)]


def json_pieces(value: object) -> Iterator[str]:
    """Yield the compact JSON text of a value in pieces, without recursion; Refusal on foreign values."""
    work: list[tuple[bool, object]] = [(False, value)]
    while work:
        is_text, item = work.pop()
        if is_text:
            yield str(item)
        elif isinstance(item, list | tuple):
            work.extend(_list_work(item))
        elif isinstance(item, Mapping):
            work.extend(_object_work(item))
        else:
            yield _scalar(item)


def _list_work(items: list[object] | tuple[object, ...]) -> list[tuple[bool, object]]:
    work: list[tuple[bool, object]] = [(True, "]")]
    for item in reversed(items):
        work += ((False, item), (True, ","))
    if items:
        work.pop()
    work.append((True, "["))
    return work


def _object_work(value: Mapping[str, object]) -> list[tuple[bool, object]]:
    work: list[tuple[bool, object]] = [(True, "}")]
    keys = object_keys(value)
    for key in reversed(keys):
        work += ((False, value[key]), (True, quoted(key) + ":"), (True, ","))
    if keys:
        work.pop()
    work.append((True, "{"))
    return work


def quoted(text: str) -> str:
    """Return `text` as a JSON text literal; half characters are escaped."""
    literal = json.dumps(utf16.whole(text), ensure_ascii=False)
    return literal if literal.isascii() else _HALF.sub(lambda half: f"\\u{ord(half.group()):04x}", literal)


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value) if isinstance(value, int) or math.isfinite(value) else "null"
    if isinstance(value, str):
        return quoted(value)
    raise Refusal(f"a value of the type {type(value).__name__} is no JSON value")
