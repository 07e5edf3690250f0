"""Reading what an endpoint answered in the chat completions protocol. Other programs speak it with an accent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from editor.language.errors import LanguageError
from editor.language.json_gate import load_json
from runner.tools.errors import ProviderError, ToolError
from runner.tools.llm.chat_request import ToolNames

Tokens = Annotated[int, Field(ge=0, le=10**12)]
SHOWN = 300
"""Letters of a text by the endpoint or the model in a message."""


class _Part(BaseModel):
    """A piece of the protocol: keys that we do not know may stand beside ours."""

    model_config = ConfigDict(extra="ignore")


class _Function(_Part):
    name: str
    arguments: str | dict[str, Any] | None = None


class _Call(_Part):
    function: _Function


class _Message(_Part):
    content: str | list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(_Part):
    message: _Message
    finish_reason: str | None = None


class _Usage(_Part):
    prompt_tokens: Tokens = 0
    completion_tokens: Tokens | None = 0


class _Reply(_Part):
    choices: Annotated[list[_Choice], Field(min_length=1)]
    usage: _Usage | None = None
    model: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer in the protocol's form. `tokens`: input and output, None where the endpoint did not count."""

    message: _Message
    finish: str | None
    tokens: tuple[int, int] | None
    model: str | None
    id: str | None


def read_reply(body: bytes) -> Reply:
    """Read the body of an answer. Raises ProviderError for what is no JSON, or not of the protocol's form."""
    try:
        value = load_json(body, what="the answer of the model endpoint", replace=True)
    except LanguageError as error:
        raise ProviderError(f"The model endpoint gave an answer that cannot be read. {error.message}") from None
    try:
        reply = _Reply.model_validate(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        told = "; ".join(f"/{'/'.join(map(str, one['loc']))}: {one['msg']}" for one in faults[:3])
        message = f"The model endpoint gave an answer that is no chat completion: {told}. Is FLOWSITE_OPENAI_URL right?"
        raise ProviderError(message) from None
    used = reply.usage
    choice = reply.choices[0]
    return Reply(
        choice.message,
        choice.finish_reason,
        None if used is None else (used.prompt_tokens, used.completion_tokens or 0),
        reply.model,
        reply.id,
    )


def text_of(reply: Reply) -> str:
    """The model's text. Raises ProviderError where it refused, or gave none."""
    message = reply.message
    if message.refusal:
        raise ProviderError(f"The model refuses to answer: {message.refusal[:SHOWN]}", {"finish_reason": "refusal"})
    content = message.content
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if reply.finish == "content_filter" and not content:
        raise ProviderError("The model endpoint's filter held the answer back.", {"finish_reason": reply.finish})
    if content is None:
        raise ProviderError(f"The model gave no text; it ended with {reply.finish or 'no reason'}.")
    return content


def calls_of(reply: Reply, names: ToolNames) -> tuple[dict[str, Any], ...]:
    """The tools that the model wants called, each `{tool, arguments}`. Raises ToolError `output_invalid`."""
    return tuple(
        {"tool": names.ours(call.function.name), "arguments": _arguments(call.function, names)}
        for call in reply.message.tool_calls or ()
    )


def _arguments(function: _Function, names: ToolNames) -> dict[str, Any]:
    given: object = function.arguments or {}
    fault = "they are no object"
    if isinstance(given, str):
        try:
            given = load_json(given, what="the arguments", replace=True)
        except LanguageError as error:
            given, fault = None, error.message
    if isinstance(given, dict):
        return given
    message = f"The model asked for the tool {names.ours(function.name)} with arguments that cannot be read: {fault}"
    raise ToolError(message[: 2 * SHOWN], "output_invalid", {"problems": [fault]})
