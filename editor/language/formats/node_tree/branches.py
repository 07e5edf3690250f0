"""Branches of the node-tree form: what a step offers, and the node that chooses. Their bodies are tree.py's."""

from __future__ import annotations

from typing import Any

from editor.language.expressions import ExpressionError, compile_expression
from editor.language.formats.base import Part, shown

BRANCH_BODY = ("step", "flow", "steps", "trueFlow", "falseFlow", "default")
"""Keys under which a branch holds what it runs."""


def options_of(part: Part) -> list[Part]:
    """The branches of a `oneOf` or `condition`, in order."""
    if part.raw.get("type") == "condition":
        yes = {"condition": part.get("condition"), "trueFlow": part.get("trueFlow")}
        no = {"falseFlow": part.get("falseFlow")}
        return [Part(branch, part.place, part.losses) for branch in (yes, no)]
    found = part.objects("options" if part.has("options") else "branches")
    if part.has("default"):
        found.append(Part({"default": part.get("default")}, part.place, part.losses))
    return found


def condition_of(option: Part) -> str | None:
    """The condition of a branch; None: it has none and is taken where no earlier one was."""
    for key in ("condition", "when"):
        given = option.get(key)
        if given is None or given is True or given == "":
            continue
        if isinstance(given, str):
            return given
        if given is not False:
            option.lose(key, f"{shown(given)} is no condition.", "The branch is never taken.")
        return "false"
    return None


def choice_of(options: list[Part]) -> dict[str, Any]:
    """The node that branches. A variable called `output` is handed on as its output, since edges see only that."""
    conditions = [option.raw.get("condition") or option.raw.get("when") for option in options]
    if any(isinstance(text, str) and _reads_output(text) for text in conditions):
        return {"type": "evaluator", "config": {"expression": "output"}}
    return {"type": "one_of"}


def _reads_output(text: str) -> bool:
    try:
        return any(read.root == "output" for read in compile_expression(text).reads)
    except ExpressionError:
        return False
