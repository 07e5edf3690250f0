"""Places that texts of a document read, found where they are written, and other places put instead of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from editor.language.expressions import ExpressionError
from editor.language.expressions.errors import Refusal
from editor.language.expressions.lexer import Token, TokenKind, tokenize
from editor.language.expressions.paths import Path, PathKey, read_placeholder
from editor.language.nodes import node_type

_DOLLAR = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_CONSTANTS = frozenset({"true", "false", "null"})


@dataclass(frozen=True)
class Mention:
    """One place that is read. `is_strict`: where it stands, a missing value is told from null."""

    root: str
    keys: tuple[PathKey, ...]
    is_strict: bool


Change = Callable[[Mention], tuple[int, Path] | None]
"""Gives how many keys after the root are replaced, and by which path; None: the place stays as it is."""


def rewrite_expression(text: str, change: Change) -> str:
    """Write an expression with other places in it. One that cannot be read stays as it is."""
    try:
        return _Expression(text, change).written()
    except (Refusal, ExpressionError):
        return text


def rewrite_value(value: Any, change: Change) -> Any:
    """Write a config value, in which texts are templates, with other places in it."""
    if isinstance(value, str):
        return _rewrite_text(value, change)
    if isinstance(value, list | tuple):
        return [rewrite_value(item, change) for item in value]
    if isinstance(value, dict):
        if set(value) == {"$expr"} and isinstance(value["$expr"], str):
            return {"$expr": rewrite_expression(value["$expr"], change)}
        return {key: rewrite_value(item, change) for key, item in value.items()}
    return value


def rewrite_config(type_: str, config: dict[str, Any], change_in: Callable[[str], Change]) -> dict[str, Any]:
    """Write the config of a node of this type with other places in it; `change_in` gives the change for a field."""
    kind = node_type(type_)
    if kind is None:
        return config
    changed = dict(config)
    for name in kind.template_fields:
        if name in config:
            changed[name] = rewrite_value(config[name], change_in(name))
    for name in kind.expression_fields:
        if name in config:
            changed[name] = _rewrite_expressions(config[name], change_in(name))
    return changed


def _rewrite_expressions(value: Any, change: Change) -> Any:
    """A field of expressions holds one, or an object of named ones; a list there is a value like any other."""
    if isinstance(value, str):
        return rewrite_expression(value, change)
    if isinstance(value, dict) and "$expr" not in value:
        return {key: _rewrite_expressions(text, change) for key, text in value.items()}
    return rewrite_value(value, change)


def _rewrite_text(text: str, change: Change) -> str:
    dollar = _DOLLAR.fullmatch(text)
    if dollar is not None:
        changed = change(Mention(dollar.group(1), (), True))
        return text if changed is None else f"{{{{{changed[1]}}}}}"
    spans = _holes(text, 0, len(text))
    is_whole = len(spans) == 1 and spans[0][:2] == (0, len(text))
    return _spliced(text, [(start, end, _hole(text[start:end], path, change, is_whole)) for start, end, path in spans])


def _hole(written: str, path: Path, change: Change, is_strict: bool) -> str:
    changed = change(Mention(path.root, path.keys, is_strict))
    if changed is None:
        return written
    count, instead = changed
    return f"{{{{{Path(instead.root, (*instead.keys, *path.keys[count:]))}}}}}"


def _holes(text: str, start: int, end: int) -> list[tuple[int, int, Path]]:
    """Placeholders of a text with where they begin and end."""
    found: list[tuple[int, int, Path]] = []
    at = text.find("{{", start, end)
    while at >= 0:
        try:
            read = read_placeholder(text, at)
        except Refusal:
            return found
        if read is None:
            return found
        if isinstance(read[0], Path):
            found.append((at, read[1], read[0]))
        at = text.find("{{", read[1], end)
    return found


def _spliced(text: str, pieces: list[tuple[int, int, str]]) -> str:
    written, position = [], 0
    for start, end, piece in pieces:
        written += [text[position:start], piece]
        position = end
    return "".join([*written, text[position:]])


class _Expression:
    """One expression that is written anew."""

    def __init__(self, text: str, change: Change) -> None:
        self.text = text
        self.change = change
        self.tokens = tokenize(text)

    def written(self) -> str:
        pieces: list[tuple[int, int, str]] = []
        for place, token in enumerate(self.tokens):
            if token.kind is TokenKind.NAME and self._is_root(place):
                pieces += self._name(place)
            elif token.kind is TokenKind.HOLE and isinstance(token.value, Path):
                pieces += self._placeholders(token.position, token.position + 2)
            elif token.kind is TokenKind.TEXT and not self._is_key(place):
                pieces += self._placeholders(token.position + 1, self.tokens[place + 1].position)
        return _spliced(self.text, pieces)

    def _is(self, place: int, sign: str) -> bool:
        token = self.tokens[place] if 0 <= place < len(self.tokens) else None
        return token is not None and token.kind is TokenKind.OPERATOR and token.value == sign

    def _is_root(self, place: int) -> bool:
        is_member, is_call = self._is(place - 1, "."), self._is(place + 1, "(")
        return not is_member and not is_call and self.tokens[place].value not in _CONSTANTS

    def _is_key(self, place: int) -> bool:
        parts = self.tokens[place].value
        return self._is(place - 1, "[") and self._is(place + 1, "]") and isinstance(parts, tuple) and len(parts) == 1

    def _name(self, place: int) -> list[tuple[int, int, str]]:
        token = self.tokens[place]
        root = str(token.value)
        keys, ends = self._keys(place + 1)
        ends = [token.position + len(root), *ends]
        changed = self.change(Mention(root, tuple(keys), True))
        return [] if changed is None else [(token.position, ends[changed[0]], str(changed[1]))]

    def _keys(self, place: int) -> tuple[list[PathKey], list[int]]:
        """The fixed keys that follow, and where each of them ends."""
        keys: list[PathKey] = []
        ends: list[int] = []
        while place + 1 < len(self.tokens):
            token = self.tokens[place + 1]
            if self._is(place, ".") and token.kind is TokenKind.NAME and not self._is(place + 2, "("):
                keys.append(str(token.value))
                ends.append(token.position + len(str(token.value)))
                place += 2
            elif self._is(place, "[") and self._is(place + 2, "]") and (key := _fixed(token)) is not None:
                keys.append(key)
                ends.append(self.tokens[place + 2].position + 1)
                place += 3
            else:
                break
        return keys, ends

    def _placeholders(self, start: int, end: int) -> list[tuple[int, int, str]]:
        """Placeholders that begin in a part of the text: for them, missing and null are the same."""
        holes = _holes(self.text, start, end)
        return [(at, after, _hole(self.text[at:after], path, self.change, False)) for at, after, path in holes]


def _fixed(token: Token) -> PathKey | None:
    if token.kind is TokenKind.TEXT and isinstance(token.value, tuple) and len(token.value) == 1:
        return str(token.value[0])
    if token.kind is TokenKind.NUMBER and isinstance(token.value, int):
        return token.value
    return None
