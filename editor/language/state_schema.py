"""JSON Schemas of states and arguments, compiled once and asked often. What a refusal means is the caller's.

Schemas are JSON Schema 2020-12. References stay inside the schema: nothing is ever fetched.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from editor.language.errors import LanguageError
from editor.language.json_gate import pointer
from editor.language.patterns import SafeValidator, compile_pattern, pattern_faults

NOT_BLANK = r"\S"
"""The pattern of a text that has something besides blanks."""
SHOWN = 200
"""Characters of one message; a value in it may be large."""

_EMPTY: Registry[Any] = Registry()

WHOLE_STATE_KEYWORDS = frozenset({
    "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "const", "enum", "dependentRequired",
    "dependentSchemas", "maxProperties", "unevaluatedProperties",
})  # fmt: skip
"""Keywords at the root of a state schema that only the whole state can answer.

`required` and `minProperties` are not among them: they hold once the first state fits, as keys are never
deleted.
"""

_NAMED_PARTS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Keywords whose keys are names, each with a schema of its own."""

_TYPES: dict[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: (
        not isinstance(value, bool) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))
    ),
}
_SAYS_NOTHING = frozenset({"title", "description", "default", "examples", "$comment", "deprecated"})


def schema_faults(schema: object) -> list[str]:
    """List what makes a value no usable JSON Schema, one sentence each; empty if it is one."""
    if not isinstance(schema, (dict, bool)):
        return ['A JSON Schema is an object, such as {"type": "object"}.']
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return [f"{_place(error.absolute_path)}: {_short(error.message)}"]
    except RecursionError:
        return ["The schema is nested too deep to be read."]
    faults = [fault for reference in _references(schema) if (fault := _reference_fault(schema, reference))]
    faults.extend(pattern_faults(schema))
    if not faults and _refers_to_itself_at_once(schema):
        faults.append("The schema refers to itself without end. Let the reference stand inside a property.")
    return faults


def state_schema_faults(schema: object) -> list[str]:
    """List what makes a value no usable schema of a run's state, one sentence each."""
    faults = schema_faults(schema)
    if not faults and isinstance(schema, dict) and "object" not in _as_list(schema.get("type", "object")):
        faults.append('/type: a state is an object. Write "type": "object", or leave the type out.')
    return faults


class CompiledSchema:
    """A JSON Schema that is ready to judge values.

    Raises LanguageError (`state_schema_invalid`) when made of something that is no usable schema.
    """

    def __init__(self, schema: dict[str, Any] | bool | None) -> None:
        self.schema: dict[str, Any] | bool = {} if schema is None else schema
        faults = self.faults()
        if faults:
            raise LanguageError("state_schema_invalid", f"The JSON Schema cannot be used. {' '.join(faults)}")
        judged = self.schema
        if isinstance(judged, dict):
            judged = {word: part for word, part in judged.items() if word != "$schema"}
        self.validator = SafeValidator(judged, registry=_EMPTY)

    def faults(self) -> list[str]:
        """List what makes the schema unusable."""
        return schema_faults(self.schema)

    def problems(self, value: object) -> list[str]:
        """List what the schema refuses in a value, one sentence each, with the place as a JSON pointer."""
        return _problems(self.validator, value)


class StateSchema(CompiledSchema):
    """The schema of a run's state: judges first states, and deltas at the cost of the keys they change."""

    def __init__(self, schema: dict[str, Any] | None) -> None:
        super().__init__(schema)
        root = self.schema if isinstance(self.schema, dict) else {}
        self.whole_state_keywords: tuple[str, ...] = tuple(sorted(WHOLE_STATE_KEYWORDS & root.keys()))
        """Keywords that make every delta be judged with the whole state."""
        self._properties: dict[str, Any] = root.get("properties", {})
        self._patterns = [(compile_pattern(text), part) for text, part in root.get("patternProperties", {}).items()]
        self._others: Any = root.get("additionalProperties", True)
        self._names: Any = root.get("propertyNames", True)
        self._judges: dict[str, list[_Judge]] = {}

    def faults(self) -> list[str]:
        return state_schema_faults(self.schema)

    def check_whole(self, state: Mapping[str, object]) -> list[str]:
        """List what the schema refuses in a whole state."""
        return self.problems(dict(state))

    def check_delta(self, delta: Mapping[str, object], read_whole: Callable[[], Mapping[str, object]]) -> list[str]:
        """List what the schema refuses in a state after `delta`, where the state before it was fine.

        `read_whole` gives the state before; it is called only if the schema has whole-state keywords.
        """
        if self.whole_state_keywords:
            return self.check_whole({**read_whole(), **delta})
        found: list[str] = []
        for key, value in delta.items():
            for judge in self._judges_of(key):
                found.extend(judge(value))
        return found

    def declares(self, key: str) -> bool:
        """Whether the schema names this key, outright or by a pattern."""
        return key in self._properties or any(pattern.search(key) for pattern, _ in self._patterns)

    def allows(self, key: str) -> bool:
        """Whether a state may have this key at all."""
        if self._names is not True and _problems(self._part(self._names), key):
            return False
        parts = self._parts_for(key)
        return all(part is not False for part in parts)

    def _parts_for(self, key: str) -> list[Any]:
        parts = [self._properties[key]] if key in self._properties else []
        parts.extend(part for pattern, part in self._patterns if pattern.search(key))
        return parts or [self._others]

    def _judges_of(self, key: str) -> list[_Judge]:
        known = self._judges.get(key)
        if known is None:
            known = [_judge(key, part, self._part(part)) for part in self._parts_for(key) if part is not True]
            if self._names is not True and (faults := _problems(self._part(self._names), key)):
                known.append(lambda _value: [f"/{key}: the name of the key is refused: {faults[0]}"])
            if len(self._judges) < 10_000:
                self._judges[key] = known
        return known

    def _part(self, part: Any) -> Draft202012Validator:
        return cast(Draft202012Validator, self.validator.evolve(schema=part))


class ArgumentSchema(CompiledSchema):
    """The schema of a tool's arguments: fills defaults in, then judges."""

    def apply(self, arguments: object) -> tuple[Any, list[str]]:
        """Give the arguments with defaults filled in at every depth, and what is refused in them.

        The arguments given are not changed.
        """
        if not isinstance(arguments, dict):
            return arguments, ["The arguments are no object. Give an object with a value for each argument."]
        filled = self._filled(arguments, self.schema, 0)
        return filled, self.problems(filled)

    def _filled(self, value: Any, schema: Any, hops: int) -> Any:
        if not isinstance(schema, dict) or hops > 64:
            return value
        if isinstance(value, dict):
            value = self._filled_object(value, schema, hops)
        elif isinstance(value, list):
            value = self._filled_list(value, schema, hops)
        for part in schema.get("allOf", []):
            value = self._filled(value, part, hops + 1)
        if "$ref" in schema:
            value = self._filled(value, _resolve(self.validator, schema["$ref"]), hops + 1)
        return value

    def _filled_object(self, value: dict[str, Any], schema: dict[str, Any], hops: int) -> dict[str, Any]:
        filled = dict(value)
        for key, part in schema.get("properties", {}).items():
            if key not in filled and isinstance(part, dict) and "default" in part:
                filled[key] = copy.deepcopy(part["default"])
            if key in filled:
                filled[key] = self._filled(filled[key], part, hops + 1)
        return filled

    def _filled_list(self, value: list[Any], schema: dict[str, Any], hops: int) -> list[Any]:
        first = schema.get("prefixItems", [])
        rest = schema.get("items", True)
        return [
            self._filled(item, first[place] if place < len(first) else rest, hops + 1)
            for place, item in enumerate(value)
        ]


_Judge = Callable[[object], list[str]]


def _judge(key: str, part: Any, validator: Draft202012Validator) -> _Judge:
    """Make the quickest judge of one key: a type test where the schema says no more than a type."""
    if part is False:
        return lambda _value: [f"/{key}: the state may not have this key."]
    wanted = part.get("type") if isinstance(part, dict) else None
    says_more = isinstance(part, dict) and any(
        word not in _SAYS_NOTHING and not word.startswith("x-") for word in part if word != "type"
    )
    if isinstance(wanted, str) and not says_more:
        fits = _TYPES[wanted]
        return lambda value: [] if fits(value) else _problems(validator, value, (key,))
    return lambda value: _problems(validator, value, (key,))


def _problems(validator: Draft202012Validator, value: object, at: tuple[str | int, ...] = ()) -> list[str]:
    try:
        return [_sentence(error, at) for error in validator.iter_errors(value)]
    except RecursionError:
        return [f"{_place(at)}: the value is nested too deep for its schema."]
    except Unresolvable as error:
        return [f"{_place(at)}: the schema refers to {_short(str(error.ref))!r}, which is not part of it."]


def _sentence(error: ValidationError, at: tuple[str | int, ...]) -> str:
    blank = error.validator == "pattern" and error.validator_value == NOT_BLANK
    told = "a text of blanks only says nothing; write something" if blank else _short(error.message)
    return f"{_place((*at, *error.absolute_path))}: {told}"


def _place(path: Iterable[str | int]) -> str:
    return pointer(tuple(path)) or "the value"


def _short(message: str) -> str:
    return message if len(message) <= SHOWN else message[: SHOWN - 1] + "…"


def _references(schema: object) -> list[str]:
    """List every reference of a schema. Enumerated values and defaults are data, no schema."""
    found: list[str] = []
    waiting = [(schema, False)]
    while waiting:
        part, is_named = waiting.pop()
        if isinstance(part, list):
            waiting.extend((inner, False) for inner in part)
        elif isinstance(part, dict):
            if not is_named:
                found.extend(part[word] for word in ("$ref", "$dynamicRef") if isinstance(part.get(word), str))
            waiting.extend(
                (inner, word in _NAMED_PARTS and not is_named)
                for word, inner in part.items()
                if is_named or word not in ("const", "enum", "default", "examples")
            )
    return found


def _reference_fault(schema: Any, reference: str) -> str | None:
    if not reference.startswith("#"):
        return f"The reference {_short(reference)!r} leads outside the schema. Copy what it names into $defs."
    try:
        _resolve(Draft202012Validator(schema, registry=_EMPTY), reference)
    except (Unresolvable, ValueError, LookupError):
        return f"The reference {_short(reference)!r} names nothing in the schema. Add it to $defs."
    return None


def _resolve(validator: Draft202012Validator, reference: str) -> Any:
    return validator._resolver.lookup(reference).contents  # type: ignore[attr-defined]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _refers_to_itself_at_once(schema: Any) -> bool:
    """Whether judging a value would follow references in a circle without going into the value."""
    try:
        samples: list[Any] = [{}, [], "", 0, None]
        for value in samples:
            for _ in Draft202012Validator(schema, registry=_EMPTY).iter_errors(value):
                pass
    except RecursionError:
        return True
    return False
