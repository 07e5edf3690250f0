"""The work of an `agent`: one turn, that is one question to its model. Its tool calls are steps of their own.

An agent without tools is one question. What its skill tells the model was frozen with its input.
"""

from __future__ import annotations

from typing import Any

from runner.handlers.answers import answer_of, count_completion
from runner.handlers.base import Dispatcher, StepResult
from runner.tools.context import ToolContext
from runner.tools.llm import CompletionRequest


def run_agent(given: dict[str, Any], dispatcher: Dispatcher, ctx: ToolContext) -> StepResult:
    """Ask the model with every turn so far. Gives the calls it wants, or its final answer."""
    request = CompletionRequest(
        prompt=given["prompt"],
        system=given.get("instructions"),
        output_schema=given.get("output_schema"),
        tools=tuple(given.get("tools") or ()),
        turns=tuple(given.get("turns") or ()),
        skill=_ref(given.get("skill")),
    )
    completion = dispatcher.ask_model(request, None, ctx)
    count_completion(completion, ctx)
    notes = completion.notes or None
    if completion.tool_calls:
        return StepResult(calls=completion.tool_calls, notes=notes)
    return StepResult(answer_of(completion, request.output_schema, ctx), notes=notes)


def _ref(skill: dict[str, Any] | None) -> str:
    return f"{skill['name']}@{skill['version']}" if skill else ""
