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
KEPT_ANSWER = 2_000
"""Letters of an answer that does not fit, kept in the error for whoever mends the prompt."""


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
    """Read a model's answer as JSON fitting a schema. Raises RunError `output_invalid`: all problems."""
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


def _misfit(problems: list[str], text: str) -> RunError:
    listed = "; ".join(problems[:5])
    return RunError(
        "output_invalid",
        f"The model's answer does not fit the output_schema: {listed}",
        details={"problems": problems, "answer": text[:KEPT_ANSWER]},
    )
