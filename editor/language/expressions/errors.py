"""The errors of expressions and templates, and the list of forms that every message names."""

from __future__ import annotations

import re
from typing import Literal

from editor.language.errors import LanguageError

SUPPORTED_FORMS = (
    "texts 'a' \"a\", numbers 42 1.5, true, false, null; variables and paths a.b, a['first-name'], a[0].id; "
    ".length of texts and lists; == === != !== < <= > >=; && || !; + - * / %; parentheses; "
    "text.includes(x), text.startsWith(x), text.endsWith(x), list.includes(x); {{path}}"
)
VALUE_FORMS = (
    "in value expressions also text.trim() .toLowerCase() .toUpperCase() .split(t) .replace(a, b) "
    ".replaceAll(a, b) .slice(a, b?) .padStart(n, t); list.join(t) .slice(a, b?) .concat(x) .indexOf(x) .at(i); "
    "number.toFixed(n); if(c, a, b) default(a, b) number(x) text(x) json(x) parse_json(t) round(x, n?) floor(x) "
    "ceil(x) abs(x) min(list) max(list) sum(list) average(list) keys(o) values(o) pick(o, list) merge(a, b) "
    "pluck(list, 'path') where(list, 'path', value) sort(list, 'path'?, 'desc'?) unique(list, 'path'?) "
    "chunk(list, n) range(n) date(t, format?) date_add(d, n, unit) date_diff(a, b, unit) "
    "date_format(d, format, zone?) url_encode(t) base64(t) hash(t)"
)

FUNCTIONS = tuple(re.findall(r"[.]?[A-Za-z_0-9]+[(][^)]*[)]", VALUE_FORMS))
"""What value expressions may call, as one writes it: `.trim()`, `round(x, n?)`."""

SHOWN_CHARACTERS = 160


class Refusal(Exception):
    """Internal: something cannot be read or computed. The code that knows the text makes a real error of it.

    `problem` is the sentence, `position` the 0-based character, or None where the raiser does not know it.
    """

    def __init__(self, problem: str, position: int | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.position = position


def shortened(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """Return `text` cut to `limit` characters, with an ellipsis in place of what was cut."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


class PlacedError(LanguageError):
    """An error that may lie inside a config value: `at` holds the keys and indexes that lead to the text."""

    at: tuple[str | int, ...] = ()

    def place(self, at: tuple[str | int, ...]) -> None:
        """Note where in the config value the text stands; kept in `details` as a list, too."""
        self.at = at
        if at:
            self.details = {**(self.details or {}), "at": list(at)}


class ExpressionError(PlacedError):
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
        place = f" (at character {position} of the expression `{shown}`). Supported: {forms}." if expression else ""
        super().__init__(code, problem + place, {"expression": shown, "position": position})

    @property
    def brief(self) -> str:
        """The problem and its place, without the list of supported forms."""
        place = f" (at character {self.position} of `{shortened(self.expression)}`)" if self.expression else ""
        return self.problem + place


class TemplateError(PlacedError):
    """A text with placeholders cannot be read (`template_invalid`).

    `template` is the text, `position` the 0-based character in it.
    """

    def __init__(self, problem: str, template: str = "", position: int = 0) -> None:
        self.problem = problem
        self.template = template
        self.position = position
        shown = shortened(template)
        place = f" (at character {position} of the text `{shown}`)." if template else ""
        super().__init__("template_invalid", problem + place, {"template": shown, "position": position})
