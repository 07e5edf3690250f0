"""The inputs of a run against what the flow declares: the first state, or every reason to refuse it."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Callable, Mapping

from editor.language.definition import Definition, Input
from editor.language.state_schema import StateSchema

_WORDS = {
    "short_text": "a text",
    "long_text": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "choice": "one of its options",
    "date": "a date written as YYYY-MM-DD",
    "object": "an object",
    "list": "a list",
}


def check_inputs(
    definition: Definition,
    preset_id: str | None,
    inputs: Mapping[str, object],
    schema: StateSchema | None = None,
) -> tuple[dict[str, object], list[str]]:
    """Give the first state of a run, and every problem that keeps the run from starting, one sentence each.

    `schema` is the compiled schema of the definition's state, for callers that keep it; left out, it is made.
    The state is only of use if there is no problem. Values given are copied.
    """
    problems: list[str] = []
    if preset_id is not None and definition.preset(preset_id) is None:
        known = ", ".join(preset.id for preset in definition.presets) or "none"
        problems.append(f"The flow has no preset {preset_id!r}. It has: {known}.")
    declared = {declaration.name: declaration for declaration in definition.inputs}
    problems.extend(
        f"The flow has no input {name!r}. Its inputs are: {', '.join(declared) or 'none'}."
        for name in inputs
        if name not in declared
    )
    state: dict[str, object] = {}
    for name, declaration in declared.items():
        if name in inputs:
            fault = input_fault(declaration, inputs[name])
            if fault:
                problems.append(fault)
            state[name] = copy.deepcopy(inputs[name])
        elif declaration.has_default:
            state[name] = copy.deepcopy(declaration.default)
        elif declaration.required:
            problems.append(f"The input {name!r} is missing. Give {_WORDS[declaration.type]}.")
    if not problems:
        refusals = (schema or StateSchema(definition.state)).check_whole(state)
        problems.extend(f"The state schema refuses the inputs at {refusal}" for refusal in refusals)
    return state, problems


def input_fault(declaration: Input, value: object) -> str | None:
    """Say what is wrong with a value for a declared input, or None. Null is no value of any type."""
    if _fits(declaration, value):
        return None
    wanted = _WORDS[declaration.type]
    if declaration.type == "choice":
        wanted = f"one of: {', '.join(declaration.options or ())}"
    shown = "what was given" if declaration.sensitive else _named(value)
    return f"The input {declaration.name!r} must be {wanted}, not {shown}."


def _fits(declaration: Input, value: object) -> bool:
    if declaration.type == "choice":
        return isinstance(value, str) and value in (declaration.options or ())
    return _TESTS[declaration.type](value)


def _is_date(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_whole(value: object) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())


_TESTS: dict[str, Callable[[object], bool]] = {
    "short_text": lambda value: isinstance(value, str),
    "long_text": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": _is_whole,
    "boolean": lambda value: isinstance(value, bool),
    "date": lambda value: isinstance(value, str) and _is_date(value),
    "object": lambda value: isinstance(value, dict),
    "list": lambda value: isinstance(value, list),
}


def _named(value: object) -> str:
    if value is None:
        return "null (leave the input out instead)"
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
