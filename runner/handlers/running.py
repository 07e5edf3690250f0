"""One attempt at one step: finds the work of its node type, runs it, and gives a result or a failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from editor.language.errors import LanguageError
from runner.engine.commands import ExecuteStep
from runner.engine.errors import RunError
from runner.handlers.agent import run_agent
from runner.handlers.base import Dispatcher, StepContext, StepFailure, StepResult
from runner.handlers.handler_call import run_handler
from runner.handlers.llm_call import run_llm_call
from runner.handlers.tool_call import run_tool_call
from runner.tools.abort import Aborted
from runner.tools.calling import stopped
from runner.tools.context import ToolContext

Work = Callable[[dict[str, Any], Dispatcher, ToolContext], StepResult]
"""The work of a node type: resolved input, who performs effects, context. Raises RunError."""

_WORK: dict[str, Work] = {}


def register_work(node_type: str, work: Work) -> None:
    """Say what nodes of a type do. Apps call it for types of their own; the type itself is the editor's."""
    _WORK[node_type] = work


register_work("agent", run_agent)
register_work("handler", run_handler)
register_work("llm_call", run_llm_call)
register_work("tool_call", run_tool_call)


def has_work(node_type: str) -> bool:
    """Whether this installation can run nodes of a type. If not, leave the step for one that can."""
    return node_type in _WORK


def run_step(command: ExecuteStep, context: StepContext) -> StepResult:
    """Run one attempt in the calling thread, outside any transaction. Raises StepFailure (a RunError)."""
    ctx = context.for_call(command)
    try:
        result = _work_of(command)(command.input, context.dispatcher, ctx)
    except Aborted as stop:
        error = stopped(f"The step {command.path}", ctx.abort.reason or stop.reason)
        raise StepFailure(error, ctx.record.usage, ctx.record.as_notes()) from None
    except RunError as error:
        raise StepFailure(error, ctx.record.usage, ctx.record.as_notes()) from error
    except LanguageError as error:  # a part of the document that publication should have refused
        refused = RunError("flow_invalid", error.message, details=error.details)
        raise StepFailure(refused, ctx.record.usage, ctx.record.as_notes()) from error
    notes = {**(result.notes or {}), **(ctx.record.as_notes() or {})}
    usage = result.usage.plus(ctx.record.usage)
    return StepResult(result.output, result.delta, usage, notes or None, result.calls)


def _work_of(command: ExecuteStep) -> Work:
    work = _WORK.get(command.type)
    if work is None:
        raise RunError(
            "flow_invalid",
            f"Nothing here runs nodes of the type '{command.type}'. Install the app that brings it.",
        )
    return work
