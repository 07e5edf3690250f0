"""Templates: texts with placeholders, and JSON values that hold such texts or computed values."""

from __future__ import annotations

from collections.abc import Mapping

from editor.language.expressions.expression import Read


class Template:
    """A compiled config value, safe to keep and share."""

    reads: tuple[Read, ...]

    def render(self, names: Mapping[str, object]) -> object:
        """Return the value with every placeholder filled in; raise ExpressionError for an `$expr` that fails."""
        raise NotImplementedError


def compile_template(value: object) -> Template:
    """Read any JSON config value. Raise TemplateError, or ExpressionError for an `$expr`."""
    raise NotImplementedError


def compile_text(value: object) -> Template:
    """Read a text (or an `$expr`) whose rendering is always a text."""
    raise NotImplementedError
