"""Reading one part of a document into its class, and turning what the class refuses into Problems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from editor.language.document import NODE_ID_PATTERN, SLUG_PATTERN
from editor.language.json_gate import pointer
from editor.language.problems import Problem, problem

T = TypeVar("T", bound=BaseModel)
_PATTERNS = {
    SLUG_PATTERN: "is made of small letters, digits, - and _, begins with a letter, at most 63 characters",
    NODE_ID_PATTERN: "is made of letters, digits and _, begins with no digit, at most 63 characters",
}
"""What a pattern means in words."""

_KINDS = {
    "string_type": "must be a text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
}
"""What a refused type means in words."""

_NO_CODES: Mapping[str, str] = {}
_NO_SUBSTITUTES: Mapping[str, object] = {}


class Faults:
    """Problems found while reading, with the node or edge they belong to."""

    def __init__(self, found: list[Problem] | None = None, node: str | None = None, edge: str | None = None) -> None:
        self.found: list[Problem] = [] if found is None else found
        self.node = node
        self.edge = edge

    def of_node(self, node: str | None) -> Faults:
        """Give a view that marks what it adds with this node."""
        return Faults(self.found, node=node)

    def of_edge(self, edge: str | None) -> Faults:
        """Give a view that marks what it adds with this edge."""
        return Faults(self.found, edge=edge)

    def add(self, code: str, path: str, message: str, *, node: str | None = None, edge: str | None = None) -> None:
        """Report one fault."""
        self.found.append(problem(code, path, message, node=node or self.node, edge=edge or self.edge))


def read_part(
    cls: type[T],
    raw: object,
    path: str,
    faults: Faults,
    *,
    codes: Mapping[str, str] = _NO_CODES,
    substitutes: Mapping[str, object] = _NO_SUBSTITUTES,
    all_or_nothing: bool = False,
) -> T | None:
    """Read one part; report every fault at its place, and give the part without its faulty keys.

    None where a key that is needed is faulty and has no substitute, or (`all_or_nothing`) any key is.
    `codes` gives problem codes by key, for keys with one of their own; the rest is `config_invalid`.
    """
    try:
        return cls.model_validate(raw)
    except ValidationError as error:
        refusals = _refusals(error, raw)
    for place, why in refusals.items():
        code = codes.get(str(place[0]), "config_invalid") if place else "config_invalid"
        faults.add(code, path + pointer(place), _sentence(place, why))
    if all_or_nothing or not isinstance(raw, dict):
        return None
    faulty = {place[0] for place in refusals if place}
    kept = {key: value for key, value in raw.items() if key not in faulty}
    kept |= {key: value for key, value in substitutes.items() if key in faulty}
    try:
        return cls.model_validate(kept)
    except ValidationError:
        return None


def _refusals(error: ValidationError, raw: object) -> dict[tuple[str | int, ...], list[str]]:
    """Group what was refused by its place in the raw value; alternatives of one place come together."""
    found: dict[tuple[str | int, ...], list[str]] = {}
    for entry in error.errors(include_url=False, include_input=False):
        place = _place(raw, entry["loc"], entry["type"])
        why = _why(entry["type"], entry["msg"])
        reasons = found.setdefault(place, [])
        if why not in reasons:
            reasons.append(why)
    return found


def _place(raw: Any, loc: tuple[str | int, ...], kind: str) -> tuple[str | int, ...]:
    """Follow a location through the raw value, leaving out the names of alternatives that pydantic adds."""
    place: list[str | int] = []
    here = raw
    for part in loc:
        key = "position" if part == "layout" and isinstance(here, dict) and "layout" not in here else part
        if _holds(here, key):
            here = here[key]
        elif not (kind == "missing" and key == loc[-1]):
            continue
        place.append(key)
    return tuple(place)


def _holds(here: Any, key: str | int) -> bool:
    if isinstance(here, dict):
        return key in here
    return isinstance(here, (list, tuple)) and isinstance(key, int) and key < len(here)


def _why(kind: str, message: str) -> str:
    told = message.removeprefix("Value error, ").removeprefix("Input ").removeprefix("String ")
    told = told[:1].lower() + told[1:]
    if kind == "missing":
        return "is missing"
    if kind in _KINDS:
        return _KINDS[kind]
    if kind == "extra_forbidden":
        return "is not a key of this part; keys of your own begin with x-"
    if kind == "string_pattern_mismatch":
        return _PATTERNS.get(message.partition("pattern ")[2].strip("'"), told)
    return told


def _sentence(place: tuple[str | int, ...], reasons: list[str]) -> str:
    what = f"{pointer(place)[1:].replace('/', '.')}" if place else "This part"
    return f"{what}: {', or '.join(reasons)}."
