"""Calling tools: the abort signal, limits, results through the gate, and errors that tell no secrets."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from editor.language.canonical import canonical_text
from runner.engine.errors import RunError
from runner.tools import Aborted, AbortToken, ToolContext, ToolError, ToolRegistry, tool
from runner.tools.abort import Reason
from runner.tools.calling import call_tool
from runner.tools.context import MAX_LOG_BYTES, MAX_LOG_LINES


def run(function: Callable[..., Any], ctx: ToolContext | None = None, **options: Any) -> Any:
    """Register a function as the tool `t` of a registry of its own, and call it without arguments."""
    registry = ToolRegistry()
    tool(name="t", registry=registry, **options)(function)
    found = registry.get("t")
    assert found is not None
    return call_tool(found, {}, ctx or ToolContext())


def failure(function: Callable[..., Any], ctx: ToolContext | None = None, **options: Any) -> RunError:
    with pytest.raises(RunError) as caught:
        run(function, ctx, **options)
    return caught.value


def abort_later(token: AbortToken, reason: Reason = "canceled", after: float = 0.05) -> None:
    timer = threading.Timer(after, token.abort, (reason,))
    timer.daemon = True
    timer.start()


# The abort signal


def test_an_async_tool_is_cancelled_and_may_clean_up() -> None:
    cleaned: list[str] = []

    async def sleeps() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            cleaned.append("yes")

    token, begun = AbortToken(), time.monotonic()
    abort_later(token)
    assert failure(sleeps, ToolContext(abort=token)).code == "canceled"
    assert time.monotonic() - begun < 5
    assert cleaned == ["yes"]


def test_a_sync_tool_that_waits_on_its_token_stops_at_once() -> None:
    def waits(ctx: ToolContext) -> str:
        if ctx.abort.wait(30):
            ctx.abort.raise_if_aborted()
        return "slept"

    token, begun = AbortToken(), time.monotonic()
    abort_later(token, "timeout")
    assert failure(waits, ToolContext(abort=token)).code == "operation_timeout"
    assert time.monotonic() - begun < 5


def test_a_tool_that_swallows_exceptions_does_not_swallow_the_abort() -> None:
    def stubborn(ctx: ToolContext) -> str:
        for _ in range(1000):
            try:
                ctx.abort.wait(0.01)
                ctx.abort.raise_if_aborted()
            except Exception:
                continue
        return "went on"

    token = AbortToken()
    abort_later(token)
    assert failure(stubborn, ToolContext(abort=token)).code == "canceled"


def test_a_call_that_is_aborted_already_does_not_begin() -> None:
    calls: list[int] = []
    token = AbortToken()
    token.abort()
    assert failure(lambda: calls.append(1), ToolContext(abort=token)).code == "canceled"
    assert calls == []


def test_a_tool_that_ignores_the_signal_gives_its_result_all_the_same() -> None:
    def deaf(ctx: ToolContext) -> str:
        ctx.abort.abort()
        return "done"

    assert run(deaf) == "done"


def test_the_first_reason_stays_and_callbacks_run_once() -> None:
    token, told = AbortToken(), []
    token.on_abort(lambda: told.append("kept"))
    forget = token.on_abort(lambda: told.append("taken back"))
    forget()
    assert token.abort("timeout") and not token.abort("canceled")
    assert token.reason == "timeout"
    token.on_abort(lambda: told.append("late"))
    assert told == ["kept", "late"]
    with pytest.raises(Aborted):
        token.raise_if_aborted()


@pytest.mark.parametrize("is_async", [True, False])
def test_a_tools_own_limit_stops_it_and_leaves_the_steps_token_alone(is_async: bool) -> None:
    async def sleeps() -> None:
        await asyncio.sleep(30)

    def waits(ctx: ToolContext) -> None:
        left = ctx.seconds_left()
        assert left is not None and left <= 0.05
        ctx.abort.wait(30)
        ctx.abort.raise_if_aborted()

    ctx = ToolContext()
    assert failure(sleeps if is_async else waits, ctx, timeout_ms=50).code == "operation_timeout"
    assert not ctx.abort.aborted


def test_an_abort_of_the_step_reaches_a_call_with_a_limit_of_its_own() -> None:
    async def sleeps() -> None:
        await asyncio.sleep(30)

    token = AbortToken()
    abort_later(token)
    assert failure(sleeps, ToolContext(abort=token), timeout_ms=60_000).code == "canceled"


def test_a_coroutine_that_cancels_itself_has_failed() -> None:
    async def gives_up() -> None:
        raise asyncio.CancelledError

    assert failure(gives_up).code == "tool_failed"


def test_a_worker_that_shuts_down_is_not_a_failed_call() -> None:
    def exits() -> None:
        raise SystemExit(0)

    with pytest.raises(SystemExit):
        run(exits)


# Results


@dataclass
class Receipt:
    number: int


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (None, None),
        ((1, 2.0, -0.0), [1, 2, 0]),
        ({"a": [True, "x"]}, {"a": [True, "x"]}),
        (Receipt(7), {"number": 7}),
        ([Receipt(7)], [{"number": 7}]),
        (2**70, 2**70),
    ],
)
def test_results_are_plain_json(given: object, kept: object) -> None:
    result = run(lambda: given)
    assert result == kept and type(result) is type(kept)


def test_texts_that_cannot_be_stored_are_mended_and_noted() -> None:
    ctx = ToolContext()
    assert run(lambda: {"a": ["x\x00y", "\ud800"]}, ctx) == {"a": ["x\ufffdy", "\ufffd"]}
    assert ctx.record.as_notes() == {"replaced_texts": ["/a/0", "/a/1"]}


def _deep() -> list[Any]:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("give", "code"),
    [
        (lambda: float("nan"), "tool_failed"),
        (lambda: {"x": float("inf")}, "tool_failed"),
        (lambda: {1, 2}, "tool_failed"),
        (lambda: {1: "x"}, "tool_failed"),
        (lambda: object(), "tool_failed"),
        (lambda: b"bytes", "tool_failed"),
        (_deep, "limit_exceeded"),
        (lambda: "x" * (17 * 2**20), "value_too_large"),
    ],
)
def test_results_that_are_no_json_fail_with_a_clear_error(give: Callable[[], object], code: str) -> None:
    error = failure(give)
    assert error.code == code
    assert "The tool t" in error.message


# Errors, log and usage


def test_a_tool_error_is_told_as_it_was_raised() -> None:
    def refuses() -> None:
        raise ToolError("The bank is closed. Try on Monday.", "bank_closed", {"day": "Sunday", "nul": "\x00"})

    error = failure(refuses)
    assert (error.code, error.message) == ("bank_closed", "The bank is closed. Try on Monday.")
    assert error.details == {"day": "Sunday", "nul": "\ufffd"}


def test_an_unforeseen_error_tells_its_class_and_place_but_not_its_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    secret = "".join(["canary", "-", "secret"])

    def leaks() -> None:
        raise ConnectionError(f"postgres://user:{secret}@host")

    with caplog.at_level(logging.ERROR):
        error = failure(leaks)
    assert error.code == "tool_failed"
    assert error.details is not None and error.details["exception"] == "ConnectionError"
    assert "test_calling, line" in str(error.details["at"])
    assert "canary-secret" not in f"{error.message} {error.details} {caplog.text}"
    assert "ConnectionError" in caplog.text


def test_details_that_are_no_json_do_not_hide_the_error() -> None:
    def refuses() -> None:
        raise ToolError("No.", details={"thing": object()})

    error = failure(refuses)
    assert error.message == "No." and error.details is not None and "dropped" in error.details


def test_the_log_is_bounded() -> None:
    ctx = ToolContext()

    def chats(ctx: ToolContext) -> None:
        ctx.log("x" * 10_000, size=1)
        ctx.log("large", value="y" * 10_000)
        for number in range(MAX_LOG_LINES * 3):
            ctx.log("line", number=number)

    run(chats, ctx)
    lines = ctx.record.lines
    assert ctx.record.as_notes() is None
    assert len(lines) == MAX_LOG_LINES and ctx.record.dropped == MAX_LOG_LINES * 2 + 2
    assert len(lines[0]["message"]) == 500 and lines[0]["fields"] == {"size": 1}
    assert "fields_dropped" in lines[1]


def test_the_log_is_bounded_in_bytes() -> None:
    ctx = ToolContext()
    for number in range(MAX_LOG_LINES):
        ctx.log("ä" * 500, number=number)
    kept = len(ctx.record.lines)
    assert 0 < kept < MAX_LOG_LINES and kept + ctx.record.dropped == MAX_LOG_LINES
    assert len(canonical_text(ctx.record.lines).encode()) <= MAX_LOG_BYTES + kept + 2


def test_cost_and_usage_count_even_if_the_call_fails() -> None:
    ctx = ToolContext()

    def spends(ctx: ToolContext) -> None:
        ctx.add_usage(input_tokens=3, cost_usd=0.000001, units=2)
        raise ToolError("Too late.")

    failure(spends, ctx, cost_usd=0.25)
    assert ctx.record.usage.as_json() == {
        "input_tokens": 3,
        "output_tokens": 0,
        "cost_micros": 250_001,
        "units": 2,
    }


def test_arguments_that_do_not_fit_cost_nothing() -> None:
    registry, ctx = ToolRegistry(), ToolContext()

    @tool(name="t", registry=registry, cost_usd=1)
    def needs(number: int) -> int:
        return number

    found = registry.get("t")
    assert found is not None
    with pytest.raises(RunError):
        call_tool(found, {"number": "many"}, ctx)
    assert not ctx.record.usage
