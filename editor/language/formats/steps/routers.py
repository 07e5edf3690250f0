"""Routers of the steps form: which step comes next, as rows of condition and target. Drawing them is __init__.py's.

A router is the name of a step, a list of names, a table, or an expression; in JavaScript's own notation a chain of
`condition ? step : step` is understood, with or without `(state) =>` before it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from editor.language.expressions import ExpressionError, compile_expression

TERMINAL = "TERMINAL"
"""The name that ends the flow."""

LONGEST_TEXT = 1_000
MOST_NESTED = 50
MOST_TARGETS = 100
"""Bounds of what is taken apart: a router is read by people, too."""

_ARROW = re.compile(r"\s*(?:\(\s*([A-Za-z_$][\w$]*)?\s*(?:,[^()]*)?\)|([A-Za-z_$][\w$]*))\s*=>\s*")
_TEXT = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_NOTHING = frozenset({TERMINAL, "null", "undefined", "false", "''", '""', "[]"})
_OTHERWISE = frozenset({"default", "else", "otherwise", "*", "true"})
_SUBJECT = ("on", "by", "expression", "switch")
_CASES = ("cases", "table", "routes")
_CONDITION = ("when", "condition", "if")
_TARGET = ("to", "then", "step", "next", "goto")


@dataclass(frozen=True)
class Row:
    """Where to go if a condition holds (None: in any case); `target` None: the path ends."""

    when: str | None
    target: str | None


class UnreadableRouterError(ValueError):
    """The router has no form that is understood; the text says what is wrong with it."""


def read_router(router: object, steps: Collection[str], variables: Collection[str] = ()) -> list[Row]:
    """Give the rows of a router, in the order in which they are tried.

    `steps`: the names of all steps; `variables`: the state keys that are known, to tell a variable from the name of
    a step that does not exist. Raises UnreadableRouterError.
    """
    return _Reading(steps, variables).rows(router)


class _Reading:
    def __init__(self, steps: Collection[str], variables: Collection[str]) -> None:
        self.steps = steps
        self.variables = variables

    def rows(self, router: object) -> list[Row]:
        if router is None or router is False or router == "":
            return [Row(None, None)]
        if isinstance(router, str):
            return self.text(router)
        if isinstance(router, list):
            return [row for entry in router for row in self.entry(entry)]
        if isinstance(router, dict):
            return self.table(router)
        raise UnreadableRouterError("A router is the name of a step, a list, a table or an expression.")

    # --- lists and tables -----------------------------------------------------------------------------

    def entry(self, entry: object) -> list[Row]:
        """One entry of a list: a name, or an object with a condition and a step."""
        if not isinstance(entry, dict):
            return self.rows(entry)
        target = next((entry[key] for key in _TARGET if key in entry), entry)
        if target is entry or entry.keys() - {*_TARGET, *_CONDITION}:
            raise UnreadableRouterError('An entry of a router reads {"when": "…", "to": "step"}.')
        when = self.condition(next((entry[key] for key in _CONDITION if key in entry), None))
        return [_both(when, row) for row in self.rows(target)]

    def condition(self, given: object) -> str | None:
        if given is None or given is True or (isinstance(given, str) and given in _OTHERWISE):
            return None
        if given is False:
            return "false"
        if isinstance(given, str):
            return _in_our_names(given, "state")
        raise UnreadableRouterError("The condition of a router is an expression.")

    def table(self, table: Mapping[str, Any]) -> list[Row]:
        subject = next((key for key in _SUBJECT if isinstance(table.get(key), str)), None)
        cases = next((key for key in _CASES if isinstance(table.get(key), dict)), None)
        if subject is not None and cases is not None and not table.keys() - {subject, cases, "default"}:
            return self.cases(_in_our_names(table[subject], "state"), table[cases], table.get("default"))
        if subject is not None and table.keys() == {subject}:
            return self.text(table[subject])
        if table and all(self.is_target(value) for value in table.values()):
            pairs = [(self.condition(when), target) for when, target in table.items()]
        elif table and all(self.is_target(key) for key in table):
            pairs = [(self.condition(when), target) for target, when in table.items()]
        else:
            raise UnreadableRouterError("Neither the keys nor the values of the table are names of steps.")
        pairs.sort(key=lambda pair: pair[0] is None)
        return [_both(when, row) for when, target in pairs for row in self.rows(target)]

    def cases(self, subject: str, cases: Mapping[str, Any], default: object) -> list[Row]:
        found = [_both(_is_value(subject, value), row) for value, target in cases.items() for row in self.rows(target)]
        return [*found, *self.rows(default)]

    def is_target(self, value: object) -> bool:
        if isinstance(value, list):
            return all(self.is_target(item) for item in value)
        return value is None or value == TERMINAL or (isinstance(value, str) and value in self.steps)

    # --- texts ----------------------------------------------------------------------------------------

    def text(self, text: str) -> list[Row]:
        if text in self.steps:
            return [Row(None, text)]
        if len(text) > LONGEST_TEXT or text.count("?") + text.count("[") > MOST_NESTED:
            raise UnreadableRouterError("The expression of the router is too long. Split the decision over steps.")
        arrow = _ARROW.match(text)
        state = "state" if arrow is None else arrow.group(1) or arrow.group(2) or "state"
        return self.expression(text if arrow is None else text[arrow.end() :], state)

    def expression(self, text: str, state: str) -> list[Row]:
        text = _without_parentheses(text.strip())
        parts = _ternary(text)
        if parts is not None:
            condition, yes, no = parts
            when = _in_our_names(condition.strip(), state)
            return [*(_both(when, row) for row in self.expression(yes, state)), *self.expression(no, state)]
        if text in _NOTHING:
            return [Row(None, None)]
        if text.startswith("[") and text.endswith("]"):
            return [row for item in _split(text[1:-1]) for row in self.expression(item, state)]
        literal = _TEXT.fullmatch(text)
        name = text if literal is None else literal.group(1) or literal.group(2) or ""
        if literal is not None or name in self.steps:
            return [Row(None, name if name != TERMINAL else None)]
        return self.computed(_in_our_names(text, state))

    def computed(self, text: str) -> list[Row]:
        """An expression that gives the name of a step: one row for each step that it can give."""
        try:
            reads = compile_expression(text).reads
        except ExpressionError as error:
            raise UnreadableRouterError(error.message) from None
        is_bare = len(reads) == 1 and str(reads[0].place) == text
        if is_bare and reads[0].root not in self.variables:
            return [Row(None, text)]
        named = {match.group(1) or match.group(2) for match in _TEXT.finditer(text)}
        targets = [step for step in self.steps if step in named] or list(self.steps)
        if len(targets) > MOST_TARGETS:
            raise UnreadableRouterError("The expression of the router could name any of too many steps.")
        return [Row(f"({text}) === {_quoted(step)}", step) for step in targets]


def _both(when: str | None, row: Row) -> Row:
    if when is None or row.when is None:
        return Row(when or row.when, row.target)
    return Row(f"({when}) && ({row.when})", row.target)


def _is_value(subject: str, value: str) -> str:
    """Whether an expression has the value that a key stands for: keys of a table are texts, values need not be."""
    if value in ("true", "false", "null"):
        return f"({subject}) === {value}"
    operator = "==" if re.fullmatch(r"-?\d+(\.\d+)?", value) else "==="
    return f"({subject}) {operator} {_quoted(value)}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"


def _in_our_names(text: str, state: str) -> str:
    """Take `state.` off the variables of an expression: our expressions see the state's keys themselves."""
    pattern = re.compile(rf"(?<![\w$.]){re.escape(state)}\s*\.\s*(?=[A-Za-z_$])")
    pieces: list[str] = []
    position = 0
    for literal in _TEXT.finditer(text):
        pieces += (pattern.sub("", text[position : literal.start()]), literal.group())
        position = literal.end()
    return "".join([*pieces, pattern.sub("", text[position:])])


# --- JavaScript's ternary -------------------------------------------------------------------------------


def _marks(text: str) -> list[tuple[int, str]]:
    """The characters outside of text literals and brackets, with their places; brackets themselves are left out."""
    found: list[tuple[int, str]] = []
    depth = position = 0
    while position < len(text):
        literal = _TEXT.match(text, position)
        if literal is not None:
            position = literal.end()
            continue
        character = text[position]
        if character in ")]}":
            depth -= 1
        elif character in "([{":
            depth += 1
        elif depth == 0:
            found.append((position, character))
        position += 1
    return found


def _ternary(text: str) -> tuple[str, str, str] | None:
    """Take `a ? b : c` apart at its outermost question mark; None if there is none."""
    question, open_ = None, 0
    for place, character in _marks(text):
        if character == "?":
            question = place if question is None else question
            open_ += 1
        elif character == ":" and question is not None:
            open_ -= 1
            if open_ == 0:
                return text[:question], text[question + 1 : place], text[place + 1 :]
    return None


def _split(text: str) -> list[str]:
    """The parts between outer commas, without empty ones."""
    places = [place for place, character in _marks(text) if character == ","]
    parts = [text[start + 1 : end] for start, end in zip([-1, *places], [*places, len(text)], strict=True)]
    return [part for part in parts if part.strip()]


def _without_parentheses(text: str) -> str:
    while text.startswith("(") and text.endswith(")") and not _marks(text):
        inner = text[1:-1]
        if _closes_early(inner):
            break
        text = inner.strip()
    return text


def _closes_early(inner: str) -> bool:
    """Whether the bracket that was taken off did not belong to the last one, as in `(a)(b)`."""
    depth = 0
    for character in _TEXT.sub("", inner):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return True
    return False
