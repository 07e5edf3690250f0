"""The errors of expressions and templates, and the list of forms that every message names."""

from __future__ import annotations

from typing import Literal

from editor.language.errors import LanguageError

SUPPORTED_FORMS = (
    "texts 'a' \"a\", numbers 42 1.5, true, false, null; variables and paths a.b, a['first-name'], a[0].id; "
    ".length of texts and lists; == === != !== < <= > >=; && || !; + - * / %; parentheses; "
    "text.includes(x), text.startsWith(x), text.endsWith(x), list.includes(x); {{path}}"
)
VALUE_FORMS = (
    "and, in a value expression, the listed functions such as if(c, a, b), default(a, b), round(x, n), "
    "date(t), and methods such as text.trim(), list.join(t), number.toFixed(n)"
)

SHOWN_CHARACTERS = 160


def shortened(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """Return `text` cut to `limit` characters, with an ellipsis in place of what was cut."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


class ExpressionError(LanguageError):
    """An expression cannot be read (`expression_invalid`) or gives no value (`expression_error`).

    `problem` is the bare sentence, `expression` the source text, `position` the 0-based character in it.
    """

    def __init__(
        self,
        problem: str,
        expression: str = "",
        position: int = 0,
        *,
        code: Literal["expression_error", "expression_invalid"] = "expression_error",
        functions: bool = False,
    ) -> None:
        self.problem = problem
        self.expression = expression
        self.position = position
        shown = shortened(expression)
        forms = f"{SUPPORTED_FORMS}; {VALUE_FORMS}" if functions else SUPPORTED_FORMS
        super().__init__(
            code,
            f"{problem} (at character {position} of the expression `{shown}`). Supported: {forms}.",
            {"expression": shown, "position": position},
        )

    @property
    def brief(self) -> str:
        """The problem and its place, without the list of supported forms."""
        return f"{self.problem} (at character {self.position} of `{shortened(self.expression)}`)"


class TemplateError(LanguageError):
    """A text with placeholders cannot be read (`template_invalid`).

    `template` is the text, `position` the 0-based character in it.
    """

    def __init__(self, problem: str, template: str = "", position: int = 0) -> None:
        self.problem = problem
        self.template = template
        self.position = position
        shown = shortened(template)
        super().__init__(
            "template_invalid",
            f"{problem} (at character {position} of the text `{shown}`).",
            {"template": shown, "position": position},
        )
