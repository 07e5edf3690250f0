"""Text of an expression -> tokens. The grammar lives in `parser`."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from editor.language.expressions.errors import Refusal
from editor.language.expressions.limits import MAX_SOURCE
from editor.language.expressions.numbers import JS_SPACE, tidy
from editor.language.expressions.paths import ESCAPES, Path, read_placeholder

_TOKEN = re.compile(
    rf"(?P<space>[{JS_SPACE}]+)"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<name>[A-Za-z_$][A-Za-z0-9_$]*)"
    r"|(?P<quote>['\"])"
    r"|(?P<hole>\{\{)"
    r"|(?P<operator>===|!==|==|!=|<=|>=|&&|\|\||\+\+|--|\*\*|[<>!()\[\].,+\-*/%])"
)
_PLAIN_TEXT = re.compile(r"""[^'"\\\n\r{]+""")
_NUMBER_TAIL = re.compile("[A-Za-z0-9_$.]")
_UNSUPPORTED = frozenset({"++", "--", "**"})
_HINTS = {
    "=": "assignment (=) is not supported; equality is == or ===",
    "?": "the ternary (? :) is not supported: branch on two edges",
    "`": "template texts are not supported: write '{{name}}'",
    "{": "object literals are not supported",
    ";": "only one expression is allowed",
    "&": "a single & is not supported; and is &&",
    "|": "a single | is not supported; or is ||",
}


class TokenKind(Enum):
    """What a token is."""

    NUMBER = "number"
    TEXT = "text"
    NAME = "name"
    HOLE = "placeholder"
    OPERATOR = "operator"
    END = "end"


class Token(NamedTuple):
    """One word of an expression.

    `value` is the number, the parts of a text (texts and Paths), the name, the Path of a bare placeholder, or
    the operator; `position` the 0-based character where it begins.
    """

    kind: TokenKind
    value: object
    position: int


def tokenize(source: str) -> list[Token]:
    """Return the tokens of `source`, END last; raise Refusal with a position for what is no token."""
    if len(source) > MAX_SOURCE:
        raise Refusal(f"the expression is longer than {MAX_SOURCE} characters", MAX_SOURCE)
    tokens: list[Token] = []
    position = 0
    last_close = source.rfind("}}")  # after it no placeholder closes, so that none is looked for
    while position < len(source):
        match = _TOKEN.match(source, position)
        if match is None:
            character = source[position]
            raise Refusal(_HINTS.get(character, f"unexpected character {character!r}"), position)
        group, word = str(match.lastgroup), match.group()
        after = match.end()
        if group == "number":
            tokens.append(_number(source, word, position, after))
        elif group == "quote":
            token, after = _text(source, position, last_close)
            tokens.append(token)
        elif group == "hole":
            token, after = _hole(source, position)
            tokens.append(token)
        elif group != "space":
            tokens.append(_word(group, word, position))
        position = after
    tokens.append(Token(TokenKind.END, "", len(source)))
    return tokens


def _word(group: str, word: str, position: int) -> Token:
    if word in _UNSUPPORTED:
        raise Refusal(f"the operator {word} is not supported", position)
    return Token(TokenKind.NAME if group == "name" else TokenKind.OPERATOR, word, position)


def _number(source: str, word: str, position: int, after: int) -> Token:
    if len(word) > 1 and word[0] == "0" and word[1] != ".":
        raise Refusal("a number has no leading zero", position)
    if _NUMBER_TAIL.match(source, after):
        raise Refusal("numbers are written 42 or 1.5", after)
    return Token(TokenKind.NUMBER, tidy(float(word)), position)


def _hole(source: str, position: int) -> tuple[Token, int]:
    found = read_placeholder(source, position)
    if found is None:
        raise Refusal("the placeholder {{ is never closed by }}", position)
    value, after = found
    if not isinstance(value, Path):
        raise Refusal("a placeholder holding a text stands only inside a text", position)
    return Token(TokenKind.HOLE, value, position), after


def _text(source: str, start: int, last_close: int) -> tuple[Token, int]:
    """Read a quoted text; its placeholders become Paths that are filled in when it is evaluated."""
    quote, parts, current, position = source[start], list[str | Path](), list[str](), start + 1
    while position < len(source):
        plain = _PLAIN_TEXT.match(source, position)
        if plain is not None:
            current.append(plain.group())
            position = plain.end()
            continue
        character = source[position]
        if character == quote:
            parts.append("".join(current))
            return Token(TokenKind.TEXT, tuple(parts), start), position + 1
        found = None
        if position < last_close and source.startswith("{{", position):
            found = read_placeholder(source, position)
        if found is None:
            piece, position = _character(source, position)
            current.append(piece)
        elif isinstance(found[0], str):
            current.append(found[0])
            position = found[1]
        else:
            parts += ("".join(current), found[0])
            current, position = [], found[1]
    raise Refusal(f"the text that begins here is never closed by {quote}", start)


def _character(source: str, position: int) -> tuple[str, int]:
    """Read one character of a text, or one escape."""
    character = source[position]
    if character in "\n\r":
        raise Refusal("a text ends on its own line: write \\n for a line break", position)
    if character != "\\":
        return character, position + 1
    escaped = ESCAPES.get(source[position + 1 : position + 2])
    if escaped is None:
        raise Refusal("only the escapes \\n \\t \\r \\\\ \\' \\\" are known", position)
    return escaped, position + 2
