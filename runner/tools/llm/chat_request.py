"""A question to a model in the words of the chat completions protocol. Nothing is sent or read here."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any, Literal

from editor.language.canonical import canonical_text
from editor.language.catalog import ToolSpec
from runner.tools.llm.base import CompletionRequest

Form = Literal["schema", "words"]
"""How an object is asked for: by `response_format`, or in words, where an endpoint knows no response_format."""

_FUNCTION_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LONGEST_NAME = 64
_OBJECT_KEYWORDS = ("properties", "required", "additionalProperties")
_NO_SCHEMAS = frozenset({"properties", "required", "enum", "const", "default", "examples"})


class ToolNames:
    """Names of tools as the protocol allows them, and back: letters, digits, `_` and `-`, at most 64."""

    def __init__(self, names: Sequence[str]) -> None:
        self._sent = {name: name for name in names if _FUNCTION_NAME.fullmatch(name)}
        for name in names:
            if name not in self._sent:
                mark = hashlib.sha256(name.encode()).hexdigest()[:8]
                plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)
                self._sent[name] = f"{plain[: _LONGEST_NAME - 9]}_{mark}"
        self._ours = {sent: name for name, sent in self._sent.items()}

    def sent(self, name: str) -> str:
        """The name that the model is told."""
        return self._sent.get(name, name)

    def ours(self, name: str) -> str:
        """The tool that a model means; a name it made up stays as it is, and is refused as a tool."""
        return self._ours.get(name, name)


def body_of(
    request: CompletionRequest, model: str, tools: Sequence[ToolSpec], names: ToolNames, form: Form
) -> dict[str, Any]:
    """The body of the POST. The answer is asked for in one piece, not as a stream."""
    body: dict[str, Any] = {"model": model, "messages": _messages(request, names, form), "stream": False}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if tools:
        body["tools"] = [_function(spec, names) for spec in tools]
    schema = request.output_schema
    if schema is not None and form == "schema":
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": schema, "strict": can_be_strict(schema)},
        }
    return body


def can_be_strict(schema: Any) -> bool:
    """Whether an endpoint may hold a model to a schema to the letter: every object lists all its keys."""
    if isinstance(schema, list):
        return all(can_be_strict(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" or any(word in schema for word in _OBJECT_KEYWORDS):
        keys = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(keys):
            return False
        if not all(can_be_strict(part) for part in keys.values()):
            return False
    return all(can_be_strict(part) for word, part in schema.items() if word not in _NO_SCHEMAS)


def _messages(request: CompletionRequest, names: ToolNames, form: Form) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    system = [request.system] if request.system else []
    if request.output_schema is not None and (form == "words" or request.repair):
        system.append(
            "Answer with one JSON value and nothing else: no explanation, no code fence."
            f" It must fit this JSON Schema: {canonical_text(request.output_schema)}"
        )
    if system:
        messages.append({"role": "system", "content": "\n\n".join(system)})
    messages.append({"role": "user", "content": request.prompt})
    for number, turn in enumerate(request.turns, 1):
        messages += _turn(number, turn, names)
    if request.repair is not None:
        problems = "\n".join(f"- {problem}" for problem in request.repair.problems)
        messages.append({"role": "assistant", "content": request.repair.answer})
        told = f"This answer does not fit:\n{problems}\nAnswer again with one JSON value that fits, and nothing else."
        messages.append({"role": "user", "content": told})
    return messages


def _turn(number: int, calls: list[dict[str, Any]], names: ToolNames) -> list[dict[str, Any]]:
    """What a model asked for, and what became of each call. Their ids are ours: both sides stand in one body."""
    asked, gave = [], []
    for place, call in enumerate(calls, 1):
        call_id = f"call_{number}_{place}"
        function = {"name": names.sent(call["tool"]), "arguments": _json(call.get("arguments", {}))}
        asked.append({"id": call_id, "type": "function", "function": function})
        result = {"error": call["error"]} if "error" in call else call.get("result")
        text = result if isinstance(result, str) else _json(result)
        gave.append({"role": "tool", "tool_call_id": call_id, "content": text})
    return [{"role": "assistant", "content": None, "tool_calls": asked}, *gave]


def _function(spec: ToolSpec, names: ToolNames) -> dict[str, Any]:
    function = {"name": names.sent(spec.name), "description": spec.description, "parameters": spec.schema}
    return {"type": "function", "function": function}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
