"""What changed between two documents of one flow: part by part, with places and values. No words for people, no rows.

Documents are compared as JSON, so that a draft with problems can be compared too. What only moves boxes on the
canvas is kept apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from editor.language.json_gate import pointer

Kind = Literal["added", "removed", "changed"]
Object = Mapping[str, Any]

_IDENTITY = {"inputs": "name", "presets": "id", "artifacts": "id", "nodes": "id", "edges": "id"}
"""Lists of a document whose items have an identity, and the key that holds it."""
_LAYOUT = ("layout", "position")


@dataclass(frozen=True)
class Change:
    """One value that differs. `path` is a JSON pointer within the part; an absent side is None."""

    path: str
    kind: Kind
    before: Any = None
    after: Any = None

    def as_json(self) -> dict[str, Any]:
        """The change as the API shows it: only the sides that there are."""
        sides = {"before": self.before, "after": self.after}
        absent = {"added": "before", "removed": "after"}.get(self.kind)
        return {"path": self.path, "kind": self.kind} | {key: sides[key] for key in sides if key != absent}


@dataclass(frozen=True)
class PartChange:
    """One part (a node, an edge, an input …) that was added, removed or changed.

    `path` is its JSON pointer in the newer document, of a removed one in the older; `before_path` that in the
    older, where it stands in both. `part` is the whole of an added or removed one.
    """

    id: str
    kind: Kind
    path: str
    before_path: str | None = None
    part: Any = None
    changes: tuple[Change, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The part as the API shows it."""
        shown: dict[str, Any] = {"id": self.id, "kind": self.kind, "path": self.path}
        if self.kind == "changed":
            return shown | {"before_path": self.before_path, "changes": [one.as_json() for one in self.changes]}
        return shown | {"part": self.part}


@dataclass(frozen=True)
class Parts:
    """What changed in one list of parts: in the newer document's order, removed ones last.

    `order_changed`: those that stand in both stand in another order, which has a meaning for nodes and edges.
    """

    parts: tuple[PartChange, ...] = ()
    order_changed: bool = False

    def of(self, kind: Kind) -> tuple[PartChange, ...]:
        """The parts that were added, removed, or changed."""
        return tuple(part for part in self.parts if part.kind == kind)

    def as_json(self) -> dict[str, Any]:
        """The list as the API shows it."""
        kinds: tuple[Kind, ...] = ("added", "removed", "changed")
        found: dict[str, Any] = {kind: [part.as_json() for part in self.of(kind)] for kind in kinds}
        return found | {"order_changed": self.order_changed}


@dataclass(frozen=True)
class Difference:
    """All that differs between two documents. `layout` lists the nodes whose box moved, and how."""

    lists: Mapping[str, Parts] = field(default_factory=dict)
    top: tuple[Change, ...] = ()
    layout: tuple[PartChange, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs but the layout."""
        return not self.top and all(not found.parts and not found.order_changed for found in self.lists.values())

    def as_json(self) -> dict[str, Any]:
        """The difference as the API shows it."""
        return {
            "same": self.is_empty,
            "top": [change.as_json() for change in self.top],
            **{name: found.as_json() for name, found in self.lists.items()},
            "layout": [part.as_json() for part in self.layout],
        }


def compare_documents(before: Object, after: Object) -> Difference:
    """Say what changed from one document to another. Both are JSON objects that have passed the gate."""
    listed = {name: _items(before, after, name) for name in _IDENTITY}
    pairs = {name: _paired(name, *sides) for name, sides in listed.items() if sides is not None}
    lists = {name: _changed_parts(name, pairs.get(name, [])) for name in _IDENTITY}
    left_out = frozenset(pairs)
    top = _changes((), _without(before, left_out), _without(after, left_out))
    return Difference(lists, tuple(top), tuple(_moved(pairs.get("nodes", []))))


@dataclass
class _Pair:
    """One part on its sides: its place and content in the older and in the newer document."""

    id: str
    before: tuple[int, Any] | None = None
    after: tuple[int, Any] | None = None


def _items(before: Object, after: Object, name: str) -> tuple[list[Any], list[Any]] | None:
    """The two lists of that name; None where one is no list, so that they are compared as plain values."""
    sides = before.get(name, []), after.get(name, [])
    return sides if isinstance(sides[0], list) and isinstance(sides[1], list) else None


def _paired(name: str, before: list[Any], after: list[Any]) -> list[_Pair]:
    """Pair what is the same part, in the newer document's order, removed ones last."""
    key_of = _edge_key if name == "edges" else _key_by(_IDENTITY[name])
    older, newer = _keyed(before, key_of), _keyed(after, key_of)
    pairs = {key: _Pair(key, None, placed) for key, placed in newer.items()}
    gone = [_Pair(key, placed) for key, placed in older.items() if key not in pairs]
    for key, placed in older.items():
        if key in pairs:
            pairs[key].before = placed
    if name == "edges":
        gone = _pair_edges(gone, [pair for pair in pairs.values() if pair.before is None])
    return [*pairs.values(), *gone]


def _pair_edges(gone: list[_Pair], fresh: list[_Pair]) -> list[_Pair]:
    """Pair edges of which one has no id yet by their ends and outcome; gives what is gone for good."""
    waiting: dict[str, list[_Pair]] = {}
    for pair in fresh:
        assert pair.after is not None
        waiting.setdefault(_ends(pair.after[1]), []).append(pair)
    left = []
    for pair in gone:
        assert pair.before is not None
        found = next((one for one in waiting.get(_ends(pair.before[1]), []) if _one_has_no_id(pair, one)), None)
        if found is None:
            left.append(pair)
            continue
        found.before = pair.before
        waiting[_ends(pair.before[1])].remove(found)
    return left


def _one_has_no_id(older: _Pair, newer: _Pair) -> bool:
    assert older.before is not None and newer.after is not None
    return not (_has_id(older.before[1]) and _has_id(newer.after[1]))


def _has_id(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("id"), str)


def _keyed(items: Iterable[Any], key_of: Callable[[Any], str]) -> dict[str, tuple[int, Any]]:
    """Parts by identity; one whose identity is taken gets a number behind it."""
    found: dict[str, tuple[int, Any]] = {}
    numbers: dict[str, int] = {}
    for place, item in enumerate(items):
        key = name = key_of(item)
        while name in found:
            numbers[key] = numbers.get(key, 1) + 1
            name = f"{key}#{numbers[key]}"
        found[name] = (place, item)
    return found


def _key_by(identity: str) -> Callable[[Any], str]:
    def key(item: Any) -> str:
        value = item.get(identity) if isinstance(item, dict) else None
        return value if isinstance(value, str) else "?"

    return key


def _edge_key(item: Any) -> str:
    return str(item["id"]) if _has_id(item) else _ends(item)


def _ends(item: Any) -> str:
    if not isinstance(item, dict):
        return "?"
    return f"{item.get('source')}>{item.get('target')}:{item.get('on', 'success')}"


def _changed_parts(name: str, pairs: list[_Pair]) -> Parts:
    # An id that was filled in on one side only is no change; another id is another part.
    apart = frozenset(_LAYOUT) if name == "nodes" else frozenset({"id"}) if name == "edges" else frozenset[str]()
    found = [part for pair in pairs if (part := _changed_part(name, pair, apart)) is not None]
    places = [pair.before[0] for pair in pairs if pair.before is not None and pair.after is not None]
    return Parts(tuple(found), places != sorted(places))


def _changed_part(name: str, pair: _Pair, apart: frozenset[str]) -> PartChange | None:
    if pair.before is None:
        assert pair.after is not None
        return PartChange(pair.id, "added", pointer((name, pair.after[0])), part=pair.after[1])
    if pair.after is None:
        return PartChange(pair.id, "removed", pointer((name, pair.before[0])), part=pair.before[1])
    changes = tuple(_changes((), _without(pair.before[1], apart), _without(pair.after[1], apart)))
    return _in_both(name, pair, changes)


def _in_both(name: str, pair: _Pair, changes: tuple[Change, ...]) -> PartChange | None:
    assert pair.before is not None and pair.after is not None
    if not changes:
        return None
    paths = pointer((name, pair.after[0])), pointer((name, pair.before[0]))
    return PartChange(pair.id, "changed", paths[0], paths[1], changes=changes)


def _moved(pairs: list[_Pair]) -> Iterable[PartChange]:
    for pair in pairs:
        if pair.before is None or pair.after is None:
            continue
        changes = tuple(_changes((), _layout_of(pair.before[1]), _layout_of(pair.after[1])))
        moved = _in_both("nodes", pair, changes)
        if moved is not None:
            yield moved


def _layout_of(node: Any) -> Any:
    if not isinstance(node, dict):
        return {}
    return next((node[key] for key in _LAYOUT if key in node), {})


def _without(value: Any, keys: frozenset[str]) -> Any:
    return {key: item for key, item in value.items() if key not in keys} if isinstance(value, Mapping) else value


def compare_values(before: Any, after: Any) -> tuple[Change, ...]:
    """Every value that differs between two JSON values, with its JSON pointer in them."""
    return tuple(_changes((), before, after))


def _changes(path: tuple[str | int, ...], before: Any, after: Any) -> Iterable[Change]:
    """Every value that differs, as deep as both sides are alike. Lists of other lengths differ as a whole."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys([*before, *after]):
            if key not in before:
                yield Change(pointer((*path, key)), "added", after=after[key])
            elif key not in after:
                yield Change(pointer((*path, key)), "removed", before=before[key])
            else:
                yield from _changes((*path, key), before[key], after[key])
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _changes((*path, place), one, other)
    elif isinstance(before, bool) is not isinstance(after, bool) or before != after:
        yield Change(pointer(path), "changed", before, after)
