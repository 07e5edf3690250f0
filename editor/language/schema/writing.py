"""Definition to JSON: keys as the author gave them, in one form. Reading is reading.py's."""

from __future__ import annotations

from typing import Any, cast

from editor.language.canonical import canonical_text, canonical_value
from editor.language.definition import Definition


def to_json(definition: Definition) -> dict[str, Any]:
    """Write a definition as the JSON object of its document: only the keys that were given, `x-` keys too."""
    written = definition.model_dump(mode="python", by_alias=True, exclude_unset=True)
    return cast(dict[str, Any], canonical_value(written))


def document_text(definition: Definition) -> str:
    """Write a definition as the canonical text that a version freezes."""
    return canonical_text(to_json(definition))
