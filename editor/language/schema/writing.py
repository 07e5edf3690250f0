"""Definition to JSON: keys as the author gave them, in one form. Reading is reading.py's."""

from __future__ import annotations

from typing import Any, cast

from editor.language.canonical import canonical_value, text_of_canonical
from editor.language.definition import Definition


def to_json(definition: Definition) -> dict[str, Any]:
    """Write a definition as the JSON object of its document: only the keys that were given, `x-` keys too."""
    written = definition.model_dump(mode="python", by_alias=True, exclude_unset=True)
    return cast(dict[str, Any], canonical_value(written))


def document_text(definition: Definition) -> str:
    """Write a definition as the text that a version freezes: values keep the order of their keys, as in a run."""
    return text_of_canonical(to_json(definition), sort_keys=False)
