"""Compiled expressions: the public class and its cache. Reading text is the parser's, running it the machine's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

PathKey = str | int


@dataclass(frozen=True)
class Read:
    """One place an expression or template reads: a root name and the keys after it that are known beforehand."""

    root: str
    path: tuple[PathKey, ...]
    kind: Literal["name", "placeholder", "dollar"]


class Expression:
    """A compiled expression, safe to keep and share."""

    text: str
    reads: tuple[Read, ...]

    def evaluate(self, names: Mapping[str, object]) -> object:
        """Return the value (UNDEFINED is possible); raise ExpressionError (`expression_error`)."""
        raise NotImplementedError

    def evaluate_condition(self, names: Mapping[str, object]) -> tuple[bool, str | None]:
        """Return whether the value is truthy, and why it could not be evaluated (then False)."""
        raise NotImplementedError

    def explain(self, names: Mapping[str, object]) -> dict[str, object]:
        """Return {path: value} of what the expression reads, texts cut to 200 characters."""
        raise NotImplementedError


def compile_expression(text: str, *, functions: bool = False) -> Expression:
    """Read `text`; `functions=True` for value expressions. Raise ExpressionError (`expression_invalid`)."""
    raise NotImplementedError


def evaluate(expression: str, variables: Mapping[str, object]) -> object:
    """Read and evaluate at once; names are refused only when they are reached."""
    raise NotImplementedError
