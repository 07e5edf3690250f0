"""State in scopes: reading through overlays, writing with a mode, merging parallel paths in declaration order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runner.engine.errors import RunError
from runner.engine.rows import ScopeRow, Stored, ValueRow
from runner.engine.slice import Slice
from runner.engine.statuses import ScopeKind

#: Kinds of values that move into the scope around when paths join.
MERGED_KINDS = ("a", "s", "v")

_EMPTY: dict[str, Any] = {"append": [], "extend": [], "merge": {}, "add": 0}


def overlay_of(slice_: Slice, scope: ScopeRow) -> int:
    """Number of the innermost scope around (or equal to) this one that has value rows of its own."""
    while not scope.overlay:
        assert scope.parent is not None
        scope = slice_.scope(scope.parent)
    return scope.n


def chain(slice_: Slice, scope: ScopeRow) -> list[int]:
    """Numbers of the overlays that a path in this scope sees, innermost first."""
    seen: list[int] = []
    here: ScopeRow | None = scope
    while here is not None:
        if here.overlay:
            seen.append(here.n)
        here = slice_.scope(here.parent) if here.parent is not None else None
    return seen


def read(slice_: Slice, overlays: Sequence[int], kind: str, key: str) -> ValueRow | None:
    """The row that a path sees: the innermost that has the key."""
    slice_.want(overlays, [(kind, key)])
    for n in overlays:
        row = slice_.value_row(n, kind, key)
        if row is not None:
            return row
    return None


def apply_mode(mode: str, key: str, current: Any, missing: bool, operand: Any) -> Any:
    """The new value of a variable. Raises RunError `state_invalid` where the types do not go together."""
    if mode == "set":
        return operand
    if missing:
        current = _EMPTY[mode]
    if mode == "append" and isinstance(current, list):
        return [*current, operand]
    if mode == "extend" and isinstance(current, list) and isinstance(operand, list):
        return [*current, *operand]
    if mode == "merge" and isinstance(current, dict) and isinstance(operand, dict):
        return {**current, **operand}
    if mode == "add" and _is_number(current) and _is_number(operand):
        return current + operand
    raise RunError("state_invalid", _mode_problem(mode, key, current, operand))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _mode_problem(mode: str, key: str, current: Any, operand: Any) -> str:
    wanted = {"append": "a list", "extend": "a list", "merge": "an object", "add": "a number"}[mode]
    if mode == "append" or type(current) is not type(_EMPTY[mode]):
        return f"'{key}' cannot take an output with mode {mode}: it holds {_kind(current)}, not {wanted}."
    return f"'{key}' cannot take an output with mode {mode}: the output is {_kind(operand)}, not {wanted}."


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names = {int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return names[type(value)]


def new_value(
    slice_: Slice, overlays: Sequence[int], key: str, operand: Any, mode: str, known: Mapping[str, Any]
) -> Any:
    """What a variable becomes for a path when this is written with this mode; `known` values count before stored."""
    if mode == "set":
        return operand
    if key in known:
        return apply_mode(mode, key, known[key], False, operand)
    before = read(slice_, overlays, "v", key)
    current = slice_.load(before.stored) if before else None
    return apply_mode(mode, key, current, before is None, operand)


def write(slice_: Slice, n: int, key: str, value: Stored, mode: str, operand: Any) -> None:
    """Set a variable in an overlay; anything but `set` is noted, to be carried out again when paths join."""
    own = slice_.value_row(n, "v", key)
    own_ops = own.ops if own is not None and not own.inherited else []
    if own is None or own.inherited:
        ops = None if mode == "set" else [[mode, operand]]
    else:
        ops = None if mode == "set" or own_ops is None else [*own_ops, [mode, operand]]
    slice_.put_value(ValueRow(n, "v", key, value, ops))


def path_order(branch: ScopeRow) -> tuple[int, int, int]:
    """Where a path stands in the order of merging: by its first node, joined paths after what joined into them."""
    return (branch.rank, branch.order, branch.n)


def with_joined(slice_: Slice, branch: ScopeRow) -> list[ScopeRow]:
    """A path and all paths that joined into it, in the order in which their writes count."""
    found: dict[int, ScopeRow] = {}
    for n in branch.joined:
        found.update((one.n, one) for one in with_joined(slice_, slice_.scope(n)))
    found[branch.n] = branch
    return list(found.values())


def merge_rows(slice_: Slice, branches: Sequence[ScopeRow], into: Sequence[int]) -> list[ValueRow]:
    """Rows that result in overlay `into[0]` when these paths join, in the order given; nothing is written yet.

    The last plain write of a key wins; `append`, `extend`, `merge` and `add` are carried out again.
    """
    merged: dict[tuple[str, str], ValueRow] = {}
    for branch in branches:
        for row in slice_.scope_values(branch.n, MERGED_KINDS):
            if not row.inherited:
                place = (row.kind, row.key)
                merged[place] = _carry_out(slice_, merged.get(place), row, into)
    return [merged[place] for place in sorted(merged)]


def _carry_out(slice_: Slice, before: ValueRow | None, row: ValueRow, into: Sequence[int]) -> ValueRow:
    if row.ops is None:
        return row.moved_to(into[0])
    if before is None:
        found = read(slice_, into, "v", row.key)
        current, missing = (slice_.load(found.stored), False) if found else (None, True)
        is_own = found is not None and found.scope == into[0] and not found.inherited
        ops: list[list[Any]] | None = found.ops if found is not None and is_own else []
    else:
        current, missing, ops = slice_.load(before.stored), False, before.ops
    for mode, operand in row.ops:
        current = apply_mode(mode, row.key, current, missing, operand)
        missing = False
        ops = None if ops is None else [*ops, [mode, operand]]
    return ValueRow(into[0], "v", row.key, Stored.of(current), ops)


def visible_state(slice_: Slice, overlays: Sequence[int], laid_over: Sequence[ValueRow] = ()) -> dict[str, Any]:
    """The whole state as a path sees it, with some rows laid over it. Reads every value: only where all is asked."""
    state: dict[str, Any] = {}
    for n in reversed(overlays):
        for row in slice_.scope_values(n, ("v",)):
            state[row.key] = slice_.load(row.stored)
    for row in laid_over:
        if row.kind == "v":
            state[row.key] = slice_.load(row.stored)
    return state


def branches_of(slice_: Slice, region: ScopeRow) -> list[ScopeRow]:
    """The paths of a region that have overlays of their own: branches, or iterations that ran at once."""
    kinds = (ScopeKind.BRANCH, ScopeKind.ITERATION)
    return [child for child in slice_.child_scopes(region.n) if child.kind in kinds and child.overlay]
