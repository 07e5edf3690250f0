"""The work of an `llm_call`: one question to a model, and its answer checked against the node's schema."""

from __future__ import annotations

from typing import Any

from runner.handlers.answers import answer_of, count_completion
from runner.handlers.base import Dispatcher, StepResult
from runner.tools.context import ToolContext
from runner.tools.llm import CompletionRequest


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
