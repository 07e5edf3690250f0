"""Templates: texts with placeholders, and JSON values that hold such texts or computed values (`$expr`)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from editor.language.expressions import template_parts as parts
from editor.language.expressions.errors import ExpressionError, Refusal, TemplateError
from editor.language.expressions.expression import compile_expression
from editor.language.expressions.limits import MAX_LEVELS, Meter
from editor.language.expressions.members import FORBIDDEN
from editor.language.expressions.paths import Path, read_placeholder
from editor.language.expressions.static import Read

EXPRESSION_KEY = "$expr"

_DOLLAR = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
Names = Mapping[str, object]


class Template:
    """A compiled config value, safe to keep and share.

    `reads` lists every place it may read, in the order of the value, each once.
    """

    __slots__ = ("_part", "reads")

    def __init__(self, part: parts.Part) -> None:
        self._part = part
        self.reads: tuple[Read, ...] = tuple(dict.fromkeys(part.reads()))

    def render(self, names: Names) -> object:
        """Return the value with everything filled in; `names[...]` raises KeyError for a missing variable.

        Lists and objects of the template are made anew; a value inserted whole is the variable's own, not a
        copy, and is not to be changed. Raises ExpressionError for an `$expr` that fails, or a text too long.
        """
        try:
            return self._part.render(names, Meter())
        except Refusal as refusal:
            raise ExpressionError(refusal.problem) from None


Problem = ExpressionError | TemplateError
At = tuple[str | int, ...]


class _Compiler:
    """Compiles a config value and collects every problem; recursion is bounded by MAX_LEVELS."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def value(self, value: object, at: At = ()) -> parts.Part:
        try:
            if isinstance(value, str):
                return _compile_text(value)
            if value is None or isinstance(value, bool | int | float):
                return parts.Constant(value)
            if len(at) >= MAX_LEVELS:
                raise TemplateError(f"the value is nested deeper than {MAX_LEVELS} levels")
            if isinstance(value, list | tuple):
                return parts.List(tuple(self.value(item, (*at, index)) for index, item in enumerate(value)))
            if isinstance(value, Mapping):
                return self._mapping(value, at)
            raise TemplateError(f"a value of the type {type(value).__name__} is no JSON value")
        except (ExpressionError, TemplateError) as problem:
            problem.place((*at, *problem.at))
            self.problems.append(problem)
            return parts.Constant(None)

    def _mapping(self, value: Mapping[object, object], at: At) -> parts.Part:
        if is_computed(value):
            return _computed(value)
        items: dict[str, parts.Part] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise TemplateError(f"the key {key!r} of an object is no text")
            items[key] = self.value(item, (*at, key))
        return parts.Object(items)


def is_computed(value: object) -> bool:
    """Return whether `value` is an object with the one key `$expr`, which stands for a computed value."""
    return isinstance(value, Mapping) and len(value) == 1 and EXPRESSION_KEY in value


def _computed(value: Mapping[object, object]) -> parts.Part:
    text = value[EXPRESSION_KEY]
    if not isinstance(text, str):
        problem = TemplateError(f"the value of {EXPRESSION_KEY} is the text of an expression")
        problem.place((EXPRESSION_KEY,))
        raise problem
    try:
        return parts.Computed(compile_expression(text, functions=True))
    except ExpressionError as error:
        error.place((EXPRESSION_KEY,))
        raise


def _compile_text(text: str) -> parts.Part:
    dollar = _DOLLAR.fullmatch(text)
    if dollar is not None and dollar.group(1) not in FORBIDDEN:
        return parts.Dollar(dollar.group(1))
    pieces = _split(text)
    if len(pieces) == 1 and isinstance(pieces[0], Path):
        return parts.Whole(pieces[0])
    if all(isinstance(piece, str) for piece in pieces):
        return parts.Constant("".join(map(str, pieces)))
    return parts.Text(tuple(pieces))


def _split(text: str) -> list[str | Path]:
    """Return the pieces of a text: what stands as it is, and the paths of its placeholders."""
    pieces: list[str | Path] = []
    position = 0
    while (start := text.find("{{", position)) >= 0:
        try:
            found = read_placeholder(text, start)
        except Refusal as refusal:
            at = start if refusal.position is None else refusal.position
            raise TemplateError(refusal.problem, text, at) from None
        if found is None:
            problem = "{{ opens a placeholder that is never closed by }}; a literal {{ is written {{'{{'}}"
            raise TemplateError(problem, text, start)
        part, after = found
        if isinstance(part, Path) and part.forbidden is not None:
            raise TemplateError(f"the name `{part.forbidden}` is not allowed in placeholders", text, start)
        pieces += (text[position:start], part) if start > position else (part,)
        position = after
    if position < len(text):
        pieces.append(text[position:])
    return pieces


def compile_template(value: object) -> Template:
    """Return the template of any JSON config value: texts, lists, objects, `{"$expr": …}`.

    Raises TemplateError (`template_invalid`), or ExpressionError (`expression_invalid`) for an `$expr`; their
    `at` leads to the text in `value`.
    """
    compiler = _Compiler()
    part = compiler.value(value)
    if compiler.problems:
        raise compiler.problems[0]
    return Template(part)


def template_problems(value: object) -> tuple[Problem, ...]:
    """Return every problem of a config value, not only the first; empty when `compile_template` takes it."""
    compiler = _Compiler()
    compiler.value(value)
    return tuple(compiler.problems)


def compile_text(value: object) -> Template:
    """Return the template of a text, or of an `{"$expr": …}` in its place, that always renders to a text.

    Raises as `compile_template` does.
    """
    if not isinstance(value, str) and not is_computed(value):
        raise TemplateError("a text is expected here")
    compiler = _Compiler()
    part = compiler.value(value)
    if compiler.problems:
        raise compiler.problems[0]
    return Template(parts.AsText(part))
