"""Methods and functions of lists. Items are found, kept apart and ordered by their content, never by identity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from editor.language.expressions import utf16
from editor.language.expressions.errors import Refusal
from editor.language.expressions.functions.arguments import (
    list_of,
    number_of,
    offset_of,
    receiver_list,
    text_of,
    whole_of,
    words_of,
)
from editor.language.expressions.functions.identity import identity
from editor.language.expressions.functions.texts import slice_text
from editor.language.expressions.limits import MAX_ITEMS, Meter, check_text
from editor.language.expressions.members import own_member
from editor.language.expressions.methods import Arguments, Callee, find_item
from editor.language.expressions.operators import strictly_equal
from editor.language.expressions.paths import PathKey, read_keys
from editor.language.expressions.values import UNDEFINED, inserted_text, is_nil, spoken

_DIRECTIONS = ("asc", "desc")


def _join(values: Arguments, meter: Meter) -> str:
    items = receiver_list(values[0], "join")
    between = words_of(values[1], "join")
    pieces: list[str] = []
    size = 0
    for item in items:
        piece = inserted_text(item, meter)
        size += len(piece) + len(between)
        check_text(size)
        meter.spend(1)
        pieces.append(piece)
    meter.spend_text(size)
    return utf16.whole(between.join(pieces))


def _slice(values: Arguments, meter: Meter) -> object:
    if isinstance(values[0], str):
        return slice_text(values, meter)
    items = receiver_list(values[0], "slice")
    start = offset_of(values[1], "slice", len(items))
    end = len(items)
    if len(values) > 2 and values[2] is not UNDEFINED:
        end = offset_of(values[2], "slice", len(items))
    meter.spend_items(max(end - start, 0))
    return list(items[start:end])


def _concat(values: Arguments, meter: Meter) -> list[object]:
    items = receiver_list(values[0], "concat")
    more = values[1] if isinstance(values[1], list | tuple) else [values[1]]
    meter.spend_items(len(items) + len(more))
    return [*items, *more]


def _index_of(values: Arguments, meter: Meter) -> int:
    items, wanted = receiver_list(values[0], "indexOf"), values[1]
    return -1 if wanted != wanted else find_item(items, wanted, meter)  # NaN is never found here


def _at(values: Arguments, meter: Meter) -> object:
    items = receiver_list(values[0], "at")
    number = number_of(values[1], "at")
    if number != number:
        number = 0
    if not -len(items) - 1 < number < len(items):
        return UNDEFINED
    return items[int(number)] if items else UNDEFINED


def _keys(path: object, name: str) -> tuple[PathKey, ...]:
    """Return the keys of a path argument; none, or an empty text, is the item itself."""
    if is_nil(path) or path == "":
        return ()
    return read_keys(text_of(path, name))


def _value_at(item: object, keys: Sequence[PathKey], meter: Meter) -> object:
    for key in keys:
        item = own_member(item, str(key), meter)
    return item


def _pluck(values: Arguments, meter: Meter) -> list[object]:
    items, keys = list_of(values[0], "pluck"), _keys(values[1], "pluck")
    meter.spend_items(len(items))
    meter.spend(len(items) * len(keys))
    return [_or_null(_value_at(item, keys, meter)) for item in items]


def _or_null(value: object) -> object:
    return None if value is UNDEFINED else value


def _where(values: Arguments, meter: Meter) -> list[object]:
    items, keys, wanted = list_of(values[0], "where"), _keys(values[1], "where"), values[2]
    meter.spend(1 + len(items) * (1 + len(keys)))
    return [item for item in items if strictly_equal(_or_null(_value_at(item, keys, meter)), wanted, meter)]


def _sort(values: Arguments, meter: Meter) -> list[object]:
    items = list_of(values[0], "sort")
    path, direction = _sort_arguments(items, values[1:])
    keys = _keys(path, "sort")
    meter.spend_items(len(items))
    meter.spend(len(items) * (2 + len(keys)))
    found = [(_value_at(item, keys, meter), item) for item in items]
    present = [pair for pair in found if not is_nil(pair[0])]
    missing = [item for value, item in found if is_nil(value)]
    # Reversing before and after keeps items of equal value in their order when they are sorted downwards.
    if direction == "desc":
        present.reverse()
    present.sort(key=lambda pair: _order(pair[0]))
    if direction == "desc":
        present.reverse()
    return [item for _, item in present] + missing


def _sort_arguments(items: Sequence[object], rest: Sequence[object]) -> tuple[object, object]:
    """Return path and direction; a lone 'desc' is the direction unless the items are objects."""
    path, direction = (*rest, None, None)[:2]
    if len(rest) == 1 and path in _DIRECTIONS and not (items and isinstance(items[0], Mapping)):
        path, direction = None, path
    if not is_nil(direction) and direction not in _DIRECTIONS:
        raise Refusal("the direction of `sort` is 'asc' or 'desc'")
    return path, direction


def _order(value: object) -> tuple[int, int | float | bytes]:
    """Return what a value is ordered by: false and true, then numbers, then texts by UTF-16 units."""
    if isinstance(value, bool):
        return 0, int(value)
    if isinstance(value, int | float):
        return 1, value
    if isinstance(value, str):
        return 2, utf16.order_key(value)
    raise Refusal(f"`sort` cannot order {spoken(value)}: give the path of a text or number in it")


def _unique(values: Arguments, meter: Meter) -> list[object]:
    items = list_of(values[0], "unique")
    keys = _keys(values[1], "unique") if len(values) > 1 else ()
    meter.spend_items(len(items))
    first: dict[object, object] = {}
    for item in items:
        first.setdefault(identity(_value_at(item, keys, meter), meter), item)
    return list(first.values())


def _chunk(values: Arguments, meter: Meter) -> list[object]:
    items, size = list_of(values[0], "chunk"), whole_of(values[1], "chunk", 1, MAX_ITEMS)
    meter.spend(1 + len(items))
    return [list(items[start : start + size]) for start in range(0, len(items), size)]


def _range(values: Arguments, meter: Meter) -> list[object]:
    count = whole_of(values[0], "range", 0, MAX_ITEMS)
    meter.spend_items(count)
    return list(range(count))


METHODS: Mapping[str, Callee] = {
    "join": Callee(1, 1, _join),
    "slice": Callee(1, 2, _slice),
    "concat": Callee(1, 1, _concat),
    "indexOf": Callee(1, 1, _index_of),
    "at": Callee(1, 1, _at),
}

FUNCTIONS: Mapping[str, Callee] = {
    "pluck": Callee(2, 2, _pluck),
    "where": Callee(3, 3, _where),
    "sort": Callee(1, 3, _sort),
    "unique": Callee(1, 2, _unique),
    "chunk": Callee(2, 2, _chunk),
    "range": Callee(1, 1, _range),
}
