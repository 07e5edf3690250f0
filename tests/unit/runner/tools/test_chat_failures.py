"""What goes wrong at a model endpoint, and what is told of it: a sentence, a status, never the key."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from runner.engine.commands import ExecuteStep
from runner.handlers import HandlerRegistry, StepContext, StepFailure, StepResult, run_step
from runner.handlers.real import RealDispatcher
from runner.tools import AbortToken, ToolRegistry
from runner.tools.llm import ProviderRegistry
from runner.tools.llm import post as posting
from runner.tools.llm.chat import ChatProvider
from runner.tools.llm.endpoint import read_endpoint
from tests.support.model_server import Answer, ModelServer, closed_port, completion

KEY = "sk-only-for-this-test-0123456789"


def attempt(url: str, abort: AbortToken, deadline: float | None) -> StepResult:
    provider = ChatProvider(read_endpoint(url, KEY, ["small"], {}))
    dispatcher = RealDispatcher(ToolRegistry(), HandlerRegistry(), ProviderRegistry(provider))
    command = ExecuteStep("s" * 32, 1, "n", "llm_call", "n", 1, 1, {"prompt": "Hello."}, "key-1", None)
    return run_step(command, StepContext("r" * 32, dispatcher, abort, deadline))


def ask(url: str, *, abort: AbortToken | None = None, deadline: float | None = None) -> StepFailure:
    """Ask once, and give the failure: it holds the key nowhere."""
    with pytest.raises(StepFailure) as caught:
        attempt(url, abort or AbortToken(), deadline)
    assert KEY not in json.dumps([caught.value.as_json(), caught.value.notes], default=str)
    return caught.value


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, "refuses the request"),
        (401, "refuses the key"),
        (403, "does not allow"),
        (404, "does not know the model"),
        (429, "asks to slow down"),
        (418, "gave an answer that is none"),
        (500, "has failed"),
        (503, "has failed"),
    ],
)
def test_each_status_is_a_sentence_and_nothing_is_tried_again(status: int, told: str) -> None:
    with ModelServer(Answer({"error": {"message": f"No luck with {KEY}."}}, status)) as server:
        error = ask(server.url)
    assert error.code == "provider_failed" and told in error.message and server.place in error.message
    assert error.details is not None and error.details["status"] == status
    said = error.details.get("said")
    assert said == (None if status == 401 else "No luck with [key]."), "a refused key may be quoted in pieces"
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "7"}, 7_000),
        ({"Retry-After": "0.5"}, 500),
        ({"Retry-After-Ms": "120", "Retry-After": "1"}, 120),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "nan"}, None),
        ({}, None),
    ],
)
def test_when_to_try_again_is_told_and_left_to_the_node(headers: dict[str, str], wait: int | None) -> None:
    with ModelServer(Answer(b"", 429, headers)) as server:
        error = ask(server.url)
    assert error.details is not None and error.details.get("retry_after_ms") == wait
    assert len(server.asked) == 1


def test_what_the_endpoint_says_is_cut_and_its_echo_of_the_request_left_out() -> None:
    body = {"detail": [{"loc": ["body"], "msg": "too long", "input": {"messages": ["Hello."]}}, {"msg": "y" * 1_000}]}
    with ModelServer(Answer(body, 422)) as server:
        error = ask(server.url)
    assert "too long; yyy" in error.message and "Hello" not in error.message and len(error.message) < 500


@pytest.mark.parametrize(
    "body", [b"<html>busy</html>", b"", b"\xff\xfe", b'{"error": {"message": 5}}', b"[1]", b"null"]
)
def test_an_error_without_words_is_told_by_its_status(body: bytes) -> None:
    with ModelServer(Answer(body, 502)) as server:
        assert ask(server.url).message.endswith("(status 502).")


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"<html></html>",
        b'data: {"choices": []}\n\n',
        b"[" * 100_000,
        b'{"choices": [{"message": {"content": NaN}}]}',
        {},
        [],
        {"choices": []},
        {"choices": [{}]},
        {"choices": [{"message": {"content": 5}}]},
        {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": -1}},
        {"choices": [{"message": {"content": None}}]},
        {"choices": [{"message": {"content": None, "refusal": "I would rather not."}}]},
        {"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]},
        {"choices": [{"message": {"tool_calls": [{"function": {}}]}}]},
    ],
)
def test_an_answer_in_another_form_has_failed(body: Any) -> None:
    with ModelServer(Answer(body)) as server:
        error = ask(server.url)
    assert error.code == "provider_failed" and error.message.startswith(("The model", "The provider openai asked"))


def test_an_answer_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "MAX_ANSWER", 10_000)
    with ModelServer(completion("x" * 20_000)) as server:
        assert "more than 10,000 bytes" in ask(server.url).message


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_is_followed(status: int) -> None:
    with (
        ModelServer(completion("secret")) as other,
        ModelServer(Answer(b"", status, {"Location": other.url})) as server,
    ):
        error = ask(server.url)
    assert "is not followed" in error.message and other.asked == []


def test_nobody_listening_is_told_as_such() -> None:
    with closed_port() as port:
        error = ask(f"http://127.0.0.1:{port}/v1")
    assert error.code == "provider_failed" and f"No connection to the model endpoint 127.0.0.1:{port}" in error.message


def test_a_connection_that_breaks_is_told_as_such() -> None:
    with ModelServer(Answer(completion("x" * 5_000), cut=True)) as server:
        assert "closed the connection before its answer was complete" in ask(server.url).message


def hang(url: str, server: ModelServer, stop: Callable[[AbortToken], None]) -> tuple[StepFailure, float]:
    """Ask a server that never answers and stop once it was asked. Gives the failure, and seconds from then on."""
    token = AbortToken()
    since: list[float] = []

    def stop_it() -> None:
        until = time.monotonic() + 10
        while not server.asked and time.monotonic() < until:
            time.sleep(0.02)
        since.append(time.monotonic())
        stop(token)

    threading.Thread(target=stop_it, daemon=True).start()
    error = ask(url, abort=token)
    return error, time.monotonic() - since[0]


@pytest.mark.parametrize(("reason", "code"), [("canceled", "canceled"), ("timeout", "operation_timeout")])
def test_an_abort_closes_the_request_at_once(reason: Any, code: str) -> None:
    with ModelServer(Answer(hang=True)) as server:
        error, seconds = hang(server.url, server, lambda token: token.abort(reason) and None)
        assert error.code == code
        assert seconds < 1
        assert server.hung_up.wait(2), "the endpoint sees the connection close"


def test_a_call_ends_at_its_deadline_even_if_nobody_aborts_it() -> None:
    deadline = time.monotonic() + 1
    with ModelServer(Answer(hang=True)) as server:
        error = ask(server.url, deadline=deadline)
    assert error.code == "operation_timeout"
    assert 0 <= time.monotonic() - deadline < 2


def test_a_slow_answer_in_time_is_an_answer() -> None:
    with ModelServer(Answer(completion("At last."), delay_s=0.5)) as server:
        assert attempt(server.url, AbortToken(), time.monotonic() + 20).output == "At last."


def test_an_aborted_call_does_not_begin() -> None:
    token = AbortToken()
    token.abort("canceled")
    with ModelServer(completion("Hi.")) as server:
        assert ask(server.url, abort=token).code == "canceled"
    assert server.asked == []


def test_the_key_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), ModelServer(Answer({"error": KEY}, 500)) as server:
        ask(server.url)
    assert "127.0.0.1" in caplog.text, "the library does log"
    assert KEY not in caplog.text
