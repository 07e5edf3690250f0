"""The work of a `tool_call`: one call of one tool with the stored arguments. Permissions came before it."""

from __future__ import annotations

from typing import Any

from runner.handlers.base import Dispatcher, StepResult
from runner.tools.context import ToolContext


def run_tool_call(given: dict[str, Any], dispatcher: Dispatcher, ctx: ToolContext) -> StepResult:
    """Call `given["tool"]` with `given["arguments"]`, exactly as they were stored."""
    return StepResult(dispatcher.call_tool(given["tool"], given["arguments"], ctx))
