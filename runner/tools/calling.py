"""Running an author's function: arguments in, plain JSON out, every failure one clear RunError.

It runs in the calling thread. A function that ignores its abort token runs on until it returns: giving up
on it, and fencing its late result off, is the runner's part.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
import traceback
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, is_dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from editor.language.errors import LanguageError
from editor.language.json_gate import JsonLimits, clean_json
from runner.engine.errors import RunError
from runner.tools.abort import Aborted, AbortToken, Reason
from runner.tools.context import ToolContext
from runner.tools.errors import ToolError
from runner.tools.registry import Tool

logger = logging.getLogger("runner.tools")

MAX_MESSAGE = 2_000
DETAIL_LIMITS = JsonLimits(max_bytes=8_192, max_depth=16)


def call_tool(tool: Tool, arguments: dict[str, Any], ctx: ToolContext) -> object:
    """Call a tool with arguments that were checked against its schema. Gives its result as plain JSON.

    Raises RunError: `tool_args_invalid`, `tool_failed` or the tool's own code, `canceled`,
    `operation_timeout`, `value_too_large`.
    """
    name = tool.spec.name
    try:
        values = tool.signature.read(arguments)
    except ValidationError as error:
        raise _arguments_refused(name, error) from None
    if tool.spec.cost_micros:
        ctx.add_usage(cost_micros=tool.spec.cost_micros)
    what = f"The tool {name}"
    result = call(what, tool.function, values, ctx, tool.signature.context_parameter, tool.timeout_ms)
    return plain_result(f"{what} gave a result", result, ctx)


def call(
    what: str,
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    ctx: ToolContext,
    context_parameter: str | None = None,
    timeout_ms: int | None = None,
    code: str = "tool_failed",
) -> Any:
    """Call a plain or async function and turn whatever it raises into a RunError.

    `what` names it at the start of a sentence; `code` is the error code of a failure without one of its own.
    SystemExit and KeyboardInterrupt pass: they stop the worker, not the call.
    """
    with _own_limit(ctx, timeout_ms) as limited:
        given = dict(arguments)
        if context_parameter is not None:
            given[context_parameter] = limited
        try:
            limited.abort.raise_if_aborted()
            result = function(**given)
            return _run_coroutine(result, limited.abort) if inspect.iscoroutine(result) else result
        except Aborted as stop:
            raise stopped(what, limited.abort.reason or stop.reason) from None
        except asyncio.CancelledError:
            if limited.abort.reason is not None:
                raise stopped(what, limited.abort.reason) from None
            raise RunError(code, f"{what} cancelled itself.") from None
        except ToolError as error:
            raise _as_told(what, error) from error
        except RunError:
            raise
        except Exception as error:
            raise _unforeseen(what, code, error, function) from error


def stopped(what: str, reason: Reason) -> RunError:
    """The error of a call that obeyed its abort token."""
    if reason == "timeout":
        return RunError("operation_timeout", f"{what} ran out of time.")
    return RunError("canceled", f"{what} was told to stop.", details={"reason": reason})


def plain_result(what: str, result: object, ctx: ToolContext, code: str = "tool_failed") -> Any:
    """Pass a result through the JSON gate; the step run notes which texts had to be mended.

    Raises RunError: `value_too_large`, `limit_exceeded` (nested too deep), or `code` for what is no JSON.
    """
    replaced: list[str] = []
    try:
        cleaned = clean_json(_jsonable(result), replace=True, replaced=replaced)
    except LanguageError as error:
        if error.code in ("value_too_large", "limit_exceeded"):
            raise RunError(error.code, f"{what} that cannot be kept. {error.message}") from None
        raise RunError(code, f"{what} that is no JSON. {error.message}", details=error.details) from None
    if replaced:
        ctx.note("replaced_texts", replaced[:50])
    return cleaned


@contextmanager
def _own_limit(ctx: ToolContext, timeout_ms: int | None) -> Iterator[ToolContext]:
    if timeout_ms is None:
        yield ctx
        return
    token = ctx.abort.child()
    timer = threading.Timer(timeout_ms / 1000, token.abort, ("timeout",))
    timer.daemon = True
    timer.start()
    try:
        yield ctx.limited(token, timeout_ms / 1000)
    finally:
        timer.cancel()


def _run_coroutine(coroutine: Coroutine[Any, Any, Any], token: AbortToken) -> Any:
    async def main() -> Any:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def cancel() -> None:
            with suppress(RuntimeError):  # the loop has closed: the call is over anyway
                loop.call_soon_threadsafe(task.cancel)

        forget = token.on_abort(cancel)
        try:
            return await coroutine
        finally:
            forget()

    return asyncio.run(main())


def _jsonable(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return [_record(item) for item in value]
    return _record(value)


def _record(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return value


def _arguments_refused(name: str, error: ValidationError) -> RunError:
    problems = [
        {"path": "/" + "/".join(str(part) for part in problem["loc"]), "message": problem["msg"]}
        for problem in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    first = "; ".join(f"{problem['path']}: {problem['message']}" for problem in problems[:3])
    return RunError(
        "tool_args_invalid",
        f"The arguments of the tool {name} do not fit: {first}. It was not called.",
        details={"problems": problems},
    )


def _as_told(what: str, error: ToolError) -> RunError:
    message = str(clean_json(error.message[:MAX_MESSAGE] or f"{what} failed.", replace=True))
    details: dict[str, Any] = {}
    if error.details:
        try:
            cleaned = clean_json(error.details, replace=True, limits=DETAIL_LIMITS)
            details = cleaned if isinstance(cleaned, dict) else {}
        except LanguageError as refused:
            details = {"dropped": refused.message}
    return RunError(error.code, message, details=details)


def _unforeseen(what: str, code: str, error: Exception, function: Callable[..., Any]) -> RunError:
    """An error not written for people: its text may hold secrets, so only its class and place are told."""
    frames = traceback.extract_tb(error.__traceback__)
    source = getattr(inspect.unwrap(function), "__code__", None)
    own = [frame for frame in frames if source is not None and frame.filename == source.co_filename]
    place = (own or frames)[-1]
    name = type(error).__name__
    logger.error("%s failed with %s\n%s", what, name, "".join(traceback.format_tb(error.__traceback__)))
    return RunError(
        code,
        f"{what} failed with {name}, which it does not explain.",
        details={"exception": name, "at": f"{getattr(function, '__module__', '?')}, line {place.lineno}"},
    )
