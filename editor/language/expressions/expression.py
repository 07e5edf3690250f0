"""Compiled expressions: the public class and its cache. `parser` reads text, `machine` runs it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from editor.language.expressions import utf16
from editor.language.expressions.errors import ExpressionError, Refusal, shortened
from editor.language.expressions.functions.vocabulary import VALUE
from editor.language.expressions.json_text import json_pieces
from editor.language.expressions.lexer import Token, TokenKind, tokenize
from editor.language.expressions.limits import Meter
from editor.language.expressions.machine import Machine
from editor.language.expressions.methods import CONDITION, Vocabulary
from editor.language.expressions.parser import parse
from editor.language.expressions.paths import Path
from editor.language.expressions.static import Read, check_program, find_reads, placeholder_reads
from editor.language.expressions.values import is_nil, is_structure, storable, truthy

EXPLAINED_CHARACTERS = 200
CACHE_SIZE = 512
CACHED_CHARACTERS = 1_000  # longer expressions are rare and would make the cache large
_KEPT_VARIANTS = 16

Code = Literal["expression_error", "expression_invalid"]


class Expression:
    """A compiled expression: immutable for its users, safe to keep and share.

    A bare `{{placeholder}}` whose value is missing or null contributes nothing, so an expression with such
    placeholders has one program per set of those that have a value; they are made when first needed.
    """

    __slots__ = ("_holes", "_machine", "_tokens", "_variants", "_vocabulary", "functions", "reads", "text")

    def __init__(self, text: str, vocabulary: Vocabulary, *, checked: bool) -> None:
        """Read `text`; `checked` refuses at once what otherwise is refused when it is reached."""
        self.text = text
        self.functions = bool(vocabulary.functions)
        self._vocabulary = vocabulary
        self._variants: dict[tuple[bool, ...], Machine] = {}
        self._machine: Machine | None = None
        try:
            self._tokens = tokenize(text)
            self._holes = tuple(_paths(self._tokens))
            self.reads = self._compile(checked)
        except Refusal as refusal:
            raise self._error(refusal, "expression_invalid") from None

    def _compile(self, checked: bool) -> tuple[Read, ...]:
        if checked and self._tokens[0].kind is TokenKind.END:
            raise Refusal("the expression is empty", 0)
        try:
            program = parse(self._tokens, self._vocabulary.functions)
        except Refusal:
            # Unchecked, it may still be an expression once a placeholder contributes nothing.
            if checked or not self._holes:
                raise
            return tuple(placeholder_reads(self._holes))
        if checked:
            check_program(program, self._vocabulary)
        self._machine = Machine(program, self._vocabulary)
        return find_reads(program)

    def evaluate(self, names: Mapping[str, object]) -> object:
        """Return the value over `names`; it may be UNDEFINED, NaN or Infinity (see `value`).

        `names[...]` is asked only for what is reached, and raises KeyError for a missing variable.
        Raises ExpressionError (`expression_error`).
        """
        return self._evaluate(names, Meter())

    def _evaluate(self, names: Mapping[str, object], meter: Meter) -> object:
        try:
            machine = self._variant(names, meter) if self._holes else self._machine
            assert machine is not None
            return machine.run(names, meter)
        except Refusal as refusal:
            raise self._error(refusal, "expression_error") from None

    def value(self, names: Mapping[str, object], meter: Meter | None = None) -> object:
        """Return the value as it may be stored (see `to_json`); NaN and Infinity are an ExpressionError.

        `meter` is given by who evaluates several expressions under one bound of work.
        """
        meter = Meter() if meter is None else meter
        result = self._evaluate(names, meter)
        try:
            return storable(result, meter)
        except Refusal as refusal:
            raise self._error(refusal, "expression_error") from None

    def evaluate_condition(self, names: Mapping[str, object]) -> tuple[bool, str | None]:
        """Return whether the value is truthy; when it cannot be evaluated, False and the reason."""
        try:
            return truthy(self.evaluate(names)), None
        except ExpressionError as error:
            return False, error.brief

    def explain(self, names: Mapping[str, object]) -> dict[str, object]:
        """Return {path: value} for every place the expression reads, as JSON.

        Texts are cut to 200 characters, lists and objects shown as their JSON text; what is missing is null.
        """
        places = {str(read.place): read.place for read in self.reads}
        return {name: _shown(place, names) for name, place in places.items()}

    def _variant(self, names: Mapping[str, object], meter: Meter) -> Machine:
        """Return the machine for the placeholders that have a value now."""
        present = tuple(not is_nil(path.look_up(names, meter)) for path in self._holes)
        if all(present) and self._machine is not None:
            return self._machine
        machine = self._variants.get(present)
        if machine is None:
            machine = self._compile_variant(present)
            if len(self._variants) < _KEPT_VARIANTS:
                self._variants[present] = machine
        return machine

    def _compile_variant(self, present: tuple[bool, ...]) -> Machine:
        decisions = iter(present)
        tokens = [token for token in self._tokens if token.kind is not TokenKind.HOLE or next(decisions)]
        try:
            return Machine(parse(tokens, self._vocabulary.functions), self._vocabulary)
        except Refusal as refusal:
            empty = next((path for path, has in zip(self._holes, present, strict=True) if not has), None)
            note = f"; {{{{{empty}}}}} has no value and so stands for nothing" if empty is not None else ""
            raise Refusal(refusal.problem + note, refusal.position) from None

    def _error(self, refusal: Refusal, code: Code) -> ExpressionError:
        position = 0 if refusal.position is None else refusal.position
        return ExpressionError(refusal.problem, self.text, position, code=code, functions=self.functions)


def _paths(tokens: list[Token]) -> list[Path]:
    return [token.value for token in tokens if token.kind is TokenKind.HOLE and isinstance(token.value, Path)]


def _shown(place: Path, names: Mapping[str, object]) -> object:
    """Return a short JSON form of the value at a place, for the history."""
    try:
        value = place.look_up(names, Meter())
        if isinstance(value, str):
            return utf16.well_formed(shortened(value, EXPLAINED_CHARACTERS))
        if not is_structure(value):
            return storable(value, None)
        pieces: list[str] = []
        size = 0
        for piece in json_pieces(value):
            pieces.append(piece)
            size += len(piece)
            if size > EXPLAINED_CHARACTERS:
                break
    except Refusal as refusal:
        return refusal.problem
    return shortened("".join(pieces), EXPLAINED_CHARACTERS)


def compile_expression(text: str, *, functions: bool = False) -> Expression:
    """Return the compiled expression, from a bounded cache where it can.

    `functions=True` is for value expressions (`$expr`); conditions and the `evaluator` node have none.
    Forbidden names, unknown methods and functions are refused. Raises ExpressionError (`expression_invalid`).
    """
    return _compiled(text, functions, True)


def evaluate(expression: str, variables: Mapping[str, object]) -> object:
    """Read and evaluate an expression at once; what it must not use is refused only when it is reached.

    Returns the value, which may be UNDEFINED, NaN or Infinity. Raises ExpressionError.
    """
    return _compiled(expression, False, False).evaluate(variables)


def _compiled(text: str, functions: bool, checked: bool) -> Expression:
    if len(text) > CACHED_CHARACTERS:
        return _compile(text, functions, checked)
    return _cached(text, functions, checked)


def _compile(text: str, functions: bool, checked: bool) -> Expression:
    return Expression(text, VALUE if functions else CONDITION, checked=checked)


_cached = lru_cache(maxsize=CACHE_SIZE)(_compile)
