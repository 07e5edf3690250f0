"""What becomes of a model's answer: counted, read, checked against the node's schema. Nobody is asked here."""

from __future__ import annotations

import re
from typing import Any

from editor.language.errors import LanguageError
from editor.language.json_gate import load_json
from editor.language.state_schema import CompiledSchema
from runner.engine.errors import RunError
from runner.tools.calling import plain_result
from runner.tools.context import ToolContext
from runner.tools.llm import Completion

_FENCED = re.compile(r"^\s*```(?:json|JSON)?[ \t]*\n(.*?)\n?```\s*$", re.DOTALL)
KEPT_ANSWER = 600
KEPT_PROBLEMS = 2_200
"""Bytes of an answer that does not fit, and of its problems, in the error: more, and the engine keeps none of it."""


def count_completion(completion: Completion, ctx: ToolContext) -> None:
    """Count what an answer cost, whatever becomes of it."""
    used = completion.usage
    ctx.add_usage(
        input_tokens=used.input_tokens, output_tokens=used.output_tokens, cost_micros=used.cost_micros, units=used.units
    )


def answer_of(completion: Completion, schema: dict[str, Any] | None, ctx: ToolContext) -> Any:
    """The output that an answer makes: its text, or the value that fits the schema."""
    text = plain_result("The model gave an answer", completion.text, ctx, "provider_failed")
    return text if schema is None else read_answer(text, schema)


def read_answer(text: str, schema: dict[str, Any]) -> Any:
    """Read a model's answer as JSON fitting a schema. Raises RunError `output_invalid`: every problem."""
    fenced = _FENCED.match(text)
    try:
        value = load_json(fenced[1] if fenced else text, what="the model's answer", replace=True)
    except LanguageError as error:
        raise _misfit([error.message], text) from None
    problems = CompiledSchema(schema).problems(value)
    if problems:
        raise _misfit(problems, text)
    return value


def misfit_of(text: str, schema: dict[str, Any] | None) -> RunError | None:
    """Why an answer does not fit a schema, or None: it fits, or no schema was asked for."""
    if schema is None:
        return None
    try:
        read_answer(text, schema)
    except RunError as error:
        return error
    return None


def problems_of(misfit: RunError) -> tuple[str, ...]:
    """The problems that an `output_invalid` names."""
    found = (misfit.details or {}).get("problems")
    return tuple(str(one) for one in found) if isinstance(found, list) else ()


def _misfit(problems: list[str], text: str) -> RunError:
    listed = "; ".join(problems[:5])
    return RunError(
        "output_invalid",
        f"The model's answer does not fit the output_schema: {listed}",
        details={"problems": _kept(problems), "answer": text.encode()[:KEPT_ANSWER].decode(errors="ignore")},
    )


def _kept(problems: list[str]) -> list[str]:
    """All problems, or as many as an error has room for, and how many there are beside them."""
    kept: list[str] = []
    room = KEPT_PROBLEMS
    for problem in problems:
        room -= len(problem.encode()) + 4
        if room < 0:
            return [*kept, f"and {len(problems) - len(kept)} more"]
        kept.append(problem)
    return kept
