"""Texts of imported documents as templates of ours: nothing becomes a placeholder that was none."""

from __future__ import annotations

import re
from typing import Any

from editor.language.expressions import ExpressionError, TemplateError, compile_template
from editor.language.formats.base import Losses, Part, Place

_PLACEHOLDER = re.compile(r"\{\{\s*[^\s{}]+\s*\}\}")


def template(part: Part, key: str) -> Any:
    """Give a key's value as a template of ours: `{{` that opens no placeholder is written so that it stays."""
    return _template(part.get(key), part.at(key), part.losses)


def _template(value: Any, place: Place, losses: Losses) -> Any:
    if isinstance(value, str):
        return literal_braces(value)
    if isinstance(value, list):
        return [_template(item, (*place, number), losses) for number, item in enumerate(value)]
    if isinstance(value, dict):
        if set(value) == {"$expr"}:
            told = "An object with the one key $expr is computed here."
            losses.add(place, told, "It is taken as it is: its text is a value expression now.")
            return value
        return {name: _template(item, (*place, name), losses) for name, item in value.items()}
    return value


def literal_braces(text: str) -> str:
    """Write every `{{` that does not open a placeholder as the placeholder of a literal one."""
    pieces: list[str] = []
    position = 0
    while (start := text.find("{{", position)) >= 0:
        end = _placeholder_end(text, start)
        if end is not None:
            pieces += (text[position:start], text[start:end])
        elif _placeholder_end(text, start + 1) is not None:
            end = start + 1
            pieces += (text[position:start], "{{'{'}}")
        else:
            end = start + 2
            pieces += (text[position:start], "{{'{{'}}")
        position = end
    return "".join([*pieces, text[position:]])


def _placeholder_end(text: str, start: int) -> int | None:
    match = _PLACEHOLDER.match(text, start)
    return match.end() if match is not None and _compiles(match.group()) else None


def _compiles(text: str) -> bool:
    try:
        compile_template(text)
    except (ExpressionError, TemplateError):
        return False
    return True
