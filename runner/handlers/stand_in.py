"""Effects performed by a stand-in server on loopback, for flow tests that go through the real runner.

Each call is one POST of a JSON object:
`{kind, name, run, step_id, node, path, visit, attempt, fence, effect_key, …}` with
`arguments` for a `tool`; `prompt`, `system`, `model`, `output_schema` and `turn` (how often an agent's model
has asked for calls before) for an `llm`; `handler`, `state` and `options` for a `handler`. The name is the
tool's, or the node's id. The server answers when it likes:
`{result | text | tool_calls | delta, output? | error, code?, details? | hang: true, usage?}`.
A connection that closes before the answer is a call whose worker died, or that was told to stop.
"""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from editor.language.errors import LanguageError
from editor.language.json_gate import load_json
from runner.engine.errors import RunError
from runner.handlers.real import count_usage, read_handler_reply
from runner.tools.abort import Aborted
from runner.tools.context import ToolContext
from runner.tools.llm import Completion, CompletionRequest

CONNECT_SECONDS = 5.0
FAILURE_CODES = {"tool": "tool_failed", "handler": "tool_failed", "llm": "provider_failed"}


class StandInDispatcher:
    """Sends every effect to one URL, `http://127.0.0.1:PORT/PATH`. Raises ValueError for any other host."""

    keeps_time = True

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost") or parts.port is None:
            raise ValueError(f"{url!r} is no stand-in server: its URL is http://127.0.0.1:PORT/")
        self._host, self._port, self._path = parts.hostname, parts.port, parts.path or "/"

    def call_tool(self, name: str, arguments: dict[str, Any], ctx: ToolContext) -> Any:
        """Ask for the result of a tool call."""
        return self._ask("tool", name, {"arguments": arguments}, ctx).get("result")

    def ask_model(self, request: CompletionRequest, model: str | None, ctx: ToolContext) -> Completion:
        """Ask for the answer of a model; a test knows model calls by their node."""
        asked = {
            "prompt": request.prompt,
            "system": request.system,
            "model": model,
            "output_schema": request.output_schema,
            "turn": len(request.turns),
        }
        answer = self._ask("llm", ctx.node, asked, ctx)
        if answer.get("tool_calls"):
            return Completion("", tool_calls=tuple(answer["tool_calls"]))
        text = answer.get("text")
        if not isinstance(text, str):
            text = "" if text is None else json.dumps(text)
        return Completion(text)

    def run_handler(
        self, name: str, state: dict[str, Any], options: dict[str, Any], ctx: ToolContext
    ) -> dict[str, Any]:
        """Ask for the delta of a handler; a test knows handlers by their node."""
        answer = self._ask("handler", ctx.node, {"handler": name, "state": state, "options": options}, ctx)
        reply = {"state": answer.get("delta") or {}, "output": answer.get("output")}
        return read_handler_reply(f"The stand-in for {name}", reply, ctx)

    def _ask(self, kind: str, name: str, about: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
        body = {
            "kind": kind,
            "name": name,
            "run": ctx.run_id,
            "step_id": ctx.step_id,
            "node": ctx.node,
            "path": ctx.path,
            "visit": ctx.visit,
            "attempt": ctx.attempt,
            "fence": ctx.fence,
            "effect_key": ctx.effect_key,
            **about,
        }
        answer = self._post(body, ctx)
        count_usage(f"The stand-in for {name}", answer.get("usage"), ctx)
        if answer.get("hang"):
            ctx.abort.wait(None)
            ctx.abort.raise_if_aborted()
        if "error" in answer:
            code = str(answer.get("code") or FAILURE_CODES[kind])
            details = answer.get("details")
            raise RunError(code, str(answer["error"]), details=details if isinstance(details, dict) else None)
        return answer

    def _post(self, body: dict[str, Any], ctx: ToolContext) -> dict[str, Any]:
        """Wait for the answer; the abort signal closes the connection under the wait."""
        ctx.abort.raise_if_aborted()
        connection = HTTPConnection(self._host, self._port, timeout=CONNECT_SECONDS)
        try:
            connection.connect()
            line: socket.socket = connection.sock
            line.settimeout(None)
            forget = ctx.abort.on_abort(lambda: _hang_up(line))
            try:
                connection.request("POST", self._path, json.dumps(body), {"Content-Type": "application/json"})
                response = connection.getresponse()
                text = response.read()
            finally:
                forget()
        except (OSError, HTTPException):
            if ctx.abort.aborted:
                raise Aborted(ctx.abort.reason or "canceled") from None
            raise RunError("provider_failed", "The stand-in server of the flow test gave no answer.") from None
        finally:
            connection.close()
        if response.status != 200:
            raise RunError("provider_failed", f"The stand-in server answered with status {response.status}.")
        return _read(text)


def _hang_up(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)


def _read(text: bytes) -> dict[str, Any]:
    try:
        answer = load_json(text, what="the answer of the stand-in server", replace=True)
    except LanguageError as error:
        raise RunError(error.code, error.message, details=error.details) from None
    if not isinstance(answer, dict):
        raise RunError("provider_failed", "The stand-in server must answer with a JSON object.")
    return answer
