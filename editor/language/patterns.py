"""Regular expressions of JSON Schemas, matched in linear time: no pattern from outside can stop a process.

RE2 has no look-around and no back references; a schema that uses them is refused when it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Protocol

import re2
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from editor.language.errors import LanguageError

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


class Pattern(Protocol):
    """A compiled pattern."""

    def search(self, text: str) -> object: ...


@lru_cache(maxsize=1024)
def compile_pattern(text: str) -> Pattern:
    """Compile a pattern. Raises LanguageError `state_schema_invalid` for one that RE2 does not know."""
    try:
        compiled: Pattern = re2.compile(text, options=_OPTIONS)
    except re2.error as error:
        why = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
        raise LanguageError(
            "state_schema_invalid",
            f"The pattern {text!r} cannot be used: {why}. Look-around and back references are not supported.",
        ) from None
    return compiled


def _finds(text: str, value: str) -> bool:
    try:
        return bool(compile_pattern(text).search(value))
    except UnicodeEncodeError:  # half of a surrogate pair is no text
        return False


def _pattern(validator: Any, text: str, value: Any, schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "string") and not _finds(text, value):
        yield ValidationError(f"{value!r} does not match {text!r}")


def _pattern_properties(validator: Any, parts: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if not validator.is_type(value, "object"):
        return
    for text, part in parts.items():
        for key, item in value.items():
            if _finds(text, key):
                yield from validator.descend(item, part, path=key, schema_path=text)


def _additional_properties(validator: Any, part: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if not validator.is_type(value, "object"):
        return
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [key for key in value if key not in named and not any(_finds(text, key) for text in patterns)]
    if validator.is_type(part, "object"):
        for key in extra:
            yield from validator.descend(value[key], part, path=key)
    elif not part and extra:
        listed = ", ".join(repr(key) for key in extra)
        verb = "was" if len(extra) == 1 else "were"
        yield ValidationError(f"Additional properties are not allowed ({listed} {verb} unexpected)")


#: JSON Schema 2020-12 with every pattern matched by RE2.
SafeValidator: type[Draft202012Validator] = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    },
)


def pattern_faults(schema: object) -> list[str]:
    """List what makes the patterns of a schema unusable, one sentence each.

    A nested `$schema` would hand its part to another judge, and `unevaluatedProperties` matches the names of
    `patternProperties` by itself: both are refused.
    """
    faults: list[str] = []
    waiting: list[tuple[object, bool]] = [(schema, True)]
    while waiting:
        part, is_root = waiting.pop()
        if isinstance(part, list):
            waiting.extend((inner, False) for inner in part)
        elif isinstance(part, dict):
            faults.extend(_faults_of(part, is_root=is_root))
            waiting.extend((inner, False) for word, inner in part.items() if word not in ("const", "enum", "default"))
    return faults


def _faults_of(part: dict[str, Any], *, is_root: bool) -> Iterator[str]:
    if "$schema" in part and isinstance(part["$schema"], str) and not is_root:
        yield "Write $schema only at the top of a schema."
    patterns = part.get("patternProperties")
    if isinstance(patterns, dict) and "unevaluatedProperties" in part:
        yield "unevaluatedProperties does not go together with patternProperties. Use additionalProperties."
    texts = list(patterns) if isinstance(patterns, dict) else []
    if isinstance(part.get("pattern"), str):
        texts.append(part["pattern"])
    for text in texts:
        try:
            compile_pattern(text)
        except LanguageError as error:
            yield error.message
