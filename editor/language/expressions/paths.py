"""Placeholders `{{path}}`: finding their end, reading the path, looking it up. Not what they stand in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from editor.language.expressions.errors import Refusal
from editor.language.expressions.limits import MAX_LEVELS, Meter
from editor.language.expressions.members import FORBIDDEN, own_member
from editor.language.expressions.numbers import JS_SPACE
from editor.language.expressions.values import UNDEFINED

PathKey = str | int
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}

_QUOTED = r"""'(?:[^'\\\n\r]|\\.)*'|"(?:[^"\\\n\r]|\\.)*\""""
_SPACE = re.compile(f"[{JS_SPACE}]*")
_SIMPLE = re.compile(rf"\{{\{{[{JS_SPACE}]*([A-Za-z_$][A-Za-z0-9_$]*)[{JS_SPACE}]*\}}\}}")
_LITERAL = re.compile(rf"\{{\{{[{JS_SPACE}]*({_QUOTED})[{JS_SPACE}]*\}}\}}")
_QUOTED_KEY = re.compile(rf"\[[{JS_SPACE}]*({_QUOTED})[{JS_SPACE}]*\]")
_INDEX_KEY = re.compile(rf"\[[{JS_SPACE}]*(0|[1-9][0-9]{{0,15}})[{JS_SPACE}]*\]")
_NAME = re.compile(r"""[^.\[\](){}'"`\\<>=!&|+*?,;\x00-\x08\x0e-\x1f\x7f]+""")
_SPACED_OPERATOR = re.compile(r"\s[-/%]\s|\s(?:and|or|not|is|in|if)\s")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_IDENTIFIER = re.compile("[A-Za-z_$][A-Za-z0-9_$]*")


@dataclass(frozen=True, slots=True)
class Path:
    """A root name and fixed keys after it; whole-number keys written `[0]` are ints."""

    root: str
    keys: tuple[PathKey, ...] = ()

    @property
    def forbidden(self) -> str | None:
        """The first part that no expression may use, or None."""
        return next((str(part) for part in (self.root, *self.keys) if part in FORBIDDEN), None)

    def look_up(self, names: Mapping[str, object], meter: Meter) -> object:
        """Return the value at the path, UNDEFINED when any part of it is missing."""
        if self.forbidden is not None:
            return UNDEFINED
        try:
            value = names[self.root]
        except KeyError:
            return UNDEFINED
        for key in self.keys:
            value = own_member(value, str(key), meter)
        return value

    def __str__(self) -> str:
        """Write the path as an expression or placeholder would."""
        parts = [self.root if _IDENTIFIER.fullmatch(self.root) else _bracketed(self.root)]
        for key in self.keys:
            is_name = isinstance(key, str) and _IDENTIFIER.fullmatch(key)
            parts.append(f".{key}" if is_name else _bracketed(key))
        return "".join(parts)


def _bracketed(key: PathKey) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    return "['" + key.replace("\\", "\\\\").replace("'", "\\'") + "']"


def unescaped(text: str, position: int) -> str:
    """Return the text inside quotes with its escapes resolved; `position` is where it begins, for errors."""

    def replace(match: re.Match[str]) -> str:
        plain = ESCAPES.get(match.group(1))
        if plain is None:
            raise Refusal("only the escapes \\n \\t \\r \\\\ \\' \\\" are known", position + match.start())
        return plain

    return _ESCAPE.sub(replace, text)


def placeholder_end(source: str, start: int) -> int:
    """Return where the `}}` of the placeholder that opens at `start` stands, -1 when it never closes.

    A `}}` inside a quoted key does not close it.
    """
    end = source.find("}}", start + 2)
    bracket = source.find("[", start + 2, end) if end >= 0 else -1
    while bracket >= 0:
        quoted = _QUOTED_KEY.match(source, bracket)
        after = quoted.end() if quoted else bracket + 1
        if after > end:
            end = source.find("}}", after)
        bracket = source.find("[", after, end) if end >= 0 else -1
    return end


def read_placeholder(source: str, start: int) -> tuple[Path | str, int] | None:
    """Read the placeholder that opens at `start`: its path, or the text of `{{'text'}}`, and where it ends.

    Returns None when it never closes; raises Refusal with the position when what it holds is no path.
    """
    simple = _SIMPLE.match(source, start)
    if simple is not None:
        return Path(simple.group(1)), simple.end()
    literal = _LITERAL.match(source, start)
    if literal is not None:
        return unescaped(literal.group(1)[1:-1], literal.start(1) + 1), literal.end()
    end = placeholder_end(source, start)
    if end < 0:
        return None
    return _read_path(source, start + 2, end), end + 2


@lru_cache(maxsize=256)
def read_keys(text: str) -> tuple[PathKey, ...]:
    """Read a path that begins at an item, such as `user.name` or `lines[0].id`; raise Refusal when it is none."""
    try:
        path = _read_path(text + "}}", 0, len(text))
    except Refusal as refusal:
        raise Refusal(f"`{text[:80]}` is no path such as user.name or lines[0].id") from refusal
    if path.forbidden is not None:
        raise Refusal(f"the name `{path.forbidden}` is not allowed in expressions")
    return (path.root, *path.keys)


def _read_path(source: str, start: int, end: int) -> Path:
    """Read `name.key['key'][0]` between `start` and `end`; the first part may stand in brackets too."""
    parts: list[PathKey] = []
    position = _skip(source, start, end)
    while position < end or not parts:
        if source[position] == "[":
            key, position = _read_bracket(source, position)
        else:
            if parts:
                position = _read_dot(source, position, end)
            key, position = _read_name(source, position, end)
        parts.append(key)
        if len(parts) > MAX_LEVELS + 1:
            raise Refusal(f"the path is longer than {MAX_LEVELS} parts", position)
        position = _skip(source, position, end)
    return Path(str(parts[0]), tuple(parts[1:]))


def _skip(source: str, position: int, end: int) -> int:
    match = _SPACE.match(source, position, end)
    return match.end() if match else position


def _read_dot(source: str, position: int, end: int) -> int:
    if source[position] != ".":
        raise Refusal(_NOT_A_PATH, position)
    return _skip(source, position + 1, end)


def _read_bracket(source: str, position: int) -> tuple[PathKey, int]:
    quoted = _QUOTED_KEY.match(source, position)
    if quoted is not None:
        return unescaped(quoted.group(1)[1:-1], quoted.start(1) + 1), quoted.end()
    index = _INDEX_KEY.match(source, position)
    if index is not None:
        return int(index.group(1)), index.end()
    raise Refusal("between [ and ] of a placeholder stands a quoted key or a whole number", position)


def _read_name(source: str, position: int, end: int) -> tuple[str, int]:
    match = _NAME.match(source, position, end)
    name = match.group().strip(" \t\r\n\v\f\u00a0\ufeff") if match else ""
    if match is None or not name:
        raise Refusal(_NOT_A_PATH if position < end else "a name is missing in the placeholder", position)
    if _SPACED_OPERATOR.search(name):
        raise Refusal(_NOT_A_PATH, position)
    return name, match.end()


_NOT_A_PATH = (
    "a placeholder holds a path such as {{name}}, {{user.name}}, {{list[0]}} or {{user['first-name']}}, "
    "not an expression"
)
