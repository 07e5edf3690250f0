"""The provider for endpoints that speak the OpenAI chat completions protocol, whoever's they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from editor.language.canonical import digest
from editor.language.catalog import ToolSpec
from runner.engine.errors import RunError
from runner.engine.rows import Usage
from runner.tools.context import ToolContext
from runner.tools.errors import ProviderError, ToolError
from runner.tools.llm.base import Completion, CompletionRequest
from runner.tools.llm.chat_reply import Reply, calls_of, read_reply, text_of
from runner.tools.llm.chat_request import Form, ToolNames, body_of
from runner.tools.llm.endpoint import MODELS_TOLD, Endpoint
from runner.tools.llm.post import StatusError, post
from runner.tools.registry import TOOLS

PATH = "/chat/completions"
REMEMBERED = 1_000
_SCHEMA_REFUSED = frozenset({400, 404, 415, 422, 501})
_SCHEMA_WORDS = ("response_format", "json_schema", "schema", "structured")

FindTool = Callable[[str], ToolSpec | None]


def _registered(name: str) -> ToolSpec | None:
    found = TOOLS.get(name)
    return found.spec if found else None


class ChatProvider:
    """Asks one endpoint. A model that is not on the endpoint's list is refused: the list is the site's word."""

    name = "openai"

    def __init__(self, endpoint: Endpoint, find_tool: FindTool = _registered) -> None:
        self._endpoint = endpoint
        self._find_tool = find_tool
        self._in_words: set[tuple[str, str]] = set()
        """Models and schemas that the endpoint has refused as a response_format: asked in words at once."""

    def models(self) -> Sequence[str]:
        """The models that the settings list, the default first."""
        return self._endpoint.models

    async def complete(self, request: CompletionRequest, ctx: ToolContext) -> Completion:
        """Ask a model once. Raises ProviderError, ToolError `output_invalid` and RunError `unknown_tool`.

        What an answer used is counted even where it turns out to be none.
        """
        model = self._model(request.model)
        tools = [self._tool(name) for name in request.tools]
        names = ToolNames(request.tools)
        reply = read_reply(await self._ask(request, model, tools, names, ctx))
        usage, notes = self._used(model, reply)
        try:
            calls = calls_of(reply, names)
            return Completion("" if calls else text_of(reply), usage, notes, calls)
        except ToolError:
            ctx.add_usage(
                input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cost_micros=usage.cost_micros
            )
            raise

    async def _ask(
        self, request: CompletionRequest, model: str, tools: Sequence[ToolSpec], names: ToolNames, ctx: ToolContext
    ) -> bytes:
        """Ask with a response_format; where the endpoint knows none, ask for the object in words instead."""

        async def send(form: Form) -> bytes:
            body = body_of(request, model, tools, names, form)
            return await post(self._endpoint, PATH, body, _key(request, form, ctx), ctx)

        if request.output_schema is None:
            return await send("words")
        refused = (model, digest(request.output_schema))
        if refused not in self._in_words:
            try:
                return await send("schema")
            except StatusError as refusal:
                if not _is_about_schemas(refusal):
                    raise
            ctx.log("The endpoint does not take this schema as a response_format: asked in words.", model=model)
            if len(self._in_words) < REMEMBERED:
                self._in_words.add(refused)
        return await send("words")

    def _model(self, wanted: str) -> str:
        model = wanted or self._endpoint.models[0]
        if model not in self._endpoint.models:
            offered = ", ".join(self._endpoint.models[:MODELS_TOLD])
            message = (
                f"This site offers no model '{model}'. It offers: {offered}. Others come with FLOWSITE_OPENAI_MODELS."
            )
            raise ProviderError(message, {"model": model})
        return model

    def _tool(self, name: str) -> ToolSpec:
        spec = self._find_tool(name)
        if spec is None:
            raise RunError("unknown_tool", f"There is no tool '{name}'. Install the app that brings it.")
        return spec

    def _used(self, model: str, reply: Reply) -> tuple[Usage, dict[str, Any]]:
        notes: dict[str, Any] = {"model": reply.model or model}
        if reply.id:
            notes["answer_id"] = reply.id
        if reply.finish and reply.finish not in ("stop", "tool_calls"):
            notes["finish_reason"] = reply.finish
        if reply.tokens is None:
            notes["usage"] = "The endpoint did not say what the answer used: it counts as nothing."
            return Usage(), notes
        usage, unknown_price = self._endpoint.usage(model, *reply.tokens)
        if unknown_price:
            notes["price"] = unknown_price
        return usage, notes


def _key(request: CompletionRequest, form: Form, ctx: ToolContext) -> str:
    """The idempotency key of one POST: the same again after a lost worker, another one for a new attempt."""
    if not ctx.effect_key:
        return ""
    return "-".join([ctx.effect_key, str(ctx.attempt), form, *(["repair"] if request.repair else [])])


def _is_about_schemas(refusal: StatusError) -> bool:
    said = refusal.said.lower()
    return refusal.status in _SCHEMA_REFUSED and any(word in said for word in _SCHEMA_WORDS)
