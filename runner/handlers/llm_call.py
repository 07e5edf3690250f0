"""The work of an `llm_call`: one question to a model, and its answer checked against the node's schema."""

from __future__ import annotations

import re
from typing import Any

from editor.language.errors import LanguageError
from editor.language.json_gate import load_json
from editor.language.state_schema import CompiledSchema
from runner.engine.errors import RunError
from runner.handlers.base import Dispatcher, StepResult
from runner.tools.calling import plain_result
from runner.tools.context import ToolContext
from runner.tools.llm import Completion, CompletionRequest

_FENCED = re.compile(r"^\s*```(?:json|JSON)?[ \t]*\n(.*?)\n?```\s*$", re.DOTALL)
KEPT_ANSWER = 2_000
"""Letters of an answer that does not fit, kept in the error for whoever mends the prompt."""


def run_llm_call(given: dict[str, Any], dispatcher: Dispatcher, ctx: ToolContext) -> StepResult:
    """Ask the model. Output: its text, or with an `output_schema` the value that fits it."""
    schema = given.get("output_schema")
    request = CompletionRequest(
        prompt=given["prompt"],
        system=given.get("system"),
        temperature=given.get("temperature"),
        output_schema=schema,
    )
    completion = dispatcher.ask_model(request, given.get("model") or None, ctx)
    count_completion(completion, ctx)
    return StepResult(answer_of(completion, schema, ctx), notes=completion.notes or None)


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


def _misfit(problems: list[str], text: str) -> RunError:
    listed = "; ".join(problems[:5])
    return RunError(
        "output_invalid",
        f"The model's answer does not fit the output_schema: {listed}",
        details={"problems": problems, "answer": text[:KEPT_ANSWER]},
    )
