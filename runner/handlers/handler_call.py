"""The work of a `handler` node: registered code on the state keys that the node declares."""

from __future__ import annotations

from typing import Any

from runner.handlers.base import Dispatcher, StepResult
from runner.tools.context import ToolContext


def run_handler(given: dict[str, Any], dispatcher: Dispatcher, ctx: ToolContext) -> StepResult:
    """Run `given["handler"]` on `given["state"]` with `given["options"]`."""
    reply = dispatcher.run_handler(given["handler"], given.get("state") or {}, given.get("options") or {}, ctx)
    return StepResult(output=reply.get("output"), delta=reply.get("state") or {})
