"""Effects performed by this installation: its tools, models and handlers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from editor.language.state_schema import CompiledSchema
from runner.engine.errors import RunError
from runner.handlers.answers import count_completion, misfit_of, problems_of
from runner.handlers.registry import HANDLERS, HandlerRegistry
from runner.tools.calling import call, call_tool, plain_result
from runner.tools.context import ToolContext
from runner.tools.errors import ProviderError
from runner.tools.llm import PROVIDERS, Completion, CompletionRequest, Provider, ProviderRegistry, Repair
from runner.tools.registry import TOOLS, ToolRegistry

TOLD_ANSWER = 20_000
TOLD_WHY = 300
"""Letters of an answer that its model is reminded of, and of why it could not be asked again."""


class RealDispatcher:
    """Calls what is registered here."""

    keeps_time = False

    def __init__(
        self,
        tools: ToolRegistry = TOOLS,
        handlers: HandlerRegistry = HANDLERS,
        providers: ProviderRegistry = PROVIDERS,
    ) -> None:
        self._tools = tools
        self._handlers = handlers
        self._providers = providers

    def call_tool(self, name: str, arguments: dict[str, Any], ctx: ToolContext) -> Any:
        """Call a registered tool. Raises RunError `unknown_tool`, or what the call gives."""
        tool = self._tools.get(name)
        if tool is None:
            raise RunError("unknown_tool", f"There is no tool '{name}'. Install the app that brings it.")
        return call_tool(tool, arguments, ctx)

    def ask_model(self, request: CompletionRequest, model: str | None, ctx: ToolContext) -> Completion:
        """Ask the provider of a model, and once more if its answer does not fit the schema asked for.

        Raises RunError `provider_failed` or `output_invalid`. The last answer may still not fit.
        """
        try:
            provider, own_name = self._providers.resolve(model)
        except ProviderError as error:
            raise RunError(error.code, error.message, details=error.details) from None
        asked = replace(request, model=own_name)
        first = self._ask(provider, asked, ctx)
        misfit = None if first.tool_calls else misfit_of(first.text, asked.output_schema)
        return first if misfit is None else self._repaired(provider, asked, first, misfit, ctx)

    def _repaired(
        self, provider: Provider, asked: CompletionRequest, first: Completion, misfit: RunError, ctx: ToolContext
    ) -> Completion:
        """Tell the model what was wrong with its answer. If it cannot be asked any more, that answer stands."""
        count_completion(first, ctx)
        ctx.note("repaired", misfit.details)
        again = replace(asked, repair=Repair(first.text[:TOLD_ANSWER], problems_of(misfit)))
        try:
            return self._ask(provider, again, ctx)
        except RunError as error:
            if error.code != "provider_failed":
                raise
            details = {**(misfit.details or {}), "repair": {"code": error.code, "message": error.message[:TOLD_WHY]}}
            raise RunError(misfit.code, misfit.message, details=details) from error

    def _ask(self, provider: Provider, asked: CompletionRequest, ctx: ToolContext) -> Completion:
        what = f"The provider {provider.name}"
        answer = call(what, provider.complete, {"request": asked}, ctx, "ctx", code="provider_failed")
        if not isinstance(answer, Completion) or not isinstance(answer.text, str):
            raise RunError("provider_failed", f"{what} gave no completion but a {type(answer).__name__}.")
        calls = plain_result(f"{what} asked for calls", list(answer.tool_calls), ctx, "provider_failed")
        if not all(isinstance(one, dict) and isinstance(one.get("tool"), str) for one in calls):
            raise RunError("provider_failed", f"{what} asked for a call without naming its tool.")
        return replace(answer, tool_calls=tuple(calls))

    def run_handler(
        self, name: str, state: dict[str, Any], options: dict[str, Any], ctx: ToolContext
    ) -> dict[str, Any]:
        """Run a registered handler. Raises RunError `tool_failed`, or what the handler gives."""
        handler = self._handlers.get(name)
        if handler is None:
            raise RunError("tool_failed", f"There is no handler '{name}'. Install the app that brings it.")
        what = f"The handler {name}"
        problems = CompiledSchema(handler.spec.options_schema).problems(options)
        if problems:
            raise RunError(
                "tool_failed",
                f"The options of the handler {name} do not fit: {'; '.join(problems)}",
                details={"problems": problems},
            )
        given = {"state": state, "options": options, "ctx": ctx}
        chosen = {parameter: given[parameter] for parameter in handler.parameters}
        reply = plain_result(f"{what} gave a result", call(what, handler.function, chosen, ctx), ctx)
        return read_handler_reply(what, reply, ctx)


def read_handler_reply(what: str, reply: Any, ctx: ToolContext) -> dict[str, Any]:
    """Check `{state, output?, usage?}` and count the usage. Raises RunError `tool_failed`."""
    if reply is None:
        reply = {}
    if not isinstance(reply, dict) or not set(reply) <= {"state", "output", "usage"}:
        raise RunError("tool_failed", f"{what} must give {{state, output?, usage?}}, or None.")
    state = reply.get("state", {})
    if not isinstance(state, dict):
        raise RunError("tool_failed", f"{what} must give the changed keys under `state`, as an object.")
    count_usage(what, reply.get("usage"), ctx)
    return {"state": state, "output": reply.get("output")}


def count_usage(what: str, usage: Any, ctx: ToolContext) -> None:
    """Count a usage `{input_tokens?, output_tokens?, cost_usd?, units?}`. Raises RunError `tool_failed`."""
    if usage is None:
        return
    try:
        ctx.add_reported(usage)
    except (TypeError, ValueError, AttributeError):
        shape = "{input_tokens?, output_tokens?, cost_usd?, units?}"
        raise RunError("tool_failed", f"{what} must give its usage as {shape}.") from None
