"""Stand-ins of a flow test: what is sent, what is understood, and that an abort ends the wait."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from runner.engine.commands import ExecuteStep
from runner.engine.rows import Usage
from runner.handlers import StepContext, StepFailure, StepResult, dispatcher_for, run_step
from runner.handlers.real import RealDispatcher
from runner.handlers.stand_in import StandInDispatcher
from runner.tools import AbortToken

Answer = Callable[[dict[str, Any]], bytes | None]


class StandIn:
    """A server that answers every POST by a function; None: it waits until the test ends."""

    def __init__(self) -> None:
        self.answer: Answer = lambda body: b"{}"
        self.asked: list[dict[str, Any]] = []
        self.over = threading.Event()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                stand_in.asked.append(body)
                text = stand_in.answer(body)
                if text is None:
                    stand_in.over.wait(30)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: Any) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/calls"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def replies(self, answer: dict[str, Any]) -> None:
        self.answer = lambda body: json.dumps(answer).encode()

    def close(self) -> None:
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    server = StandIn()
    yield server
    server.close()


def attempt(stand_in: StandIn, node_type: str, given: Any, abort: AbortToken | None = None) -> StepResult:
    command = ExecuteStep("s" * 32, 4, "n", node_type, "both.n", 2, 3, given, "key-1", None)
    dispatcher = dispatcher_for(is_flow_test=True, stand_in_url=stand_in.url)
    return run_step(command, StepContext("r" * 32, dispatcher, abort or AbortToken()))


PLACE = {
    "run": "r" * 32, "step_id": "s" * 32, "node": "n", "path": "both.n", "visit": 2, "attempt": 3, "fence": 4,
    "effect_key": "key-1",
}  # fmt: skip


def test_a_tool_call_is_sent_with_its_arguments_and_its_place(stand_in: StandIn) -> None:
    stand_in.replies({"result": [1], "usage": {"cost_usd": 0.5, "input_tokens": 2}})
    result = attempt(stand_in, "tool_call", {"tool": "pay", "arguments": {"amount": 7}})
    assert result == StepResult([1], None, Usage(2, 0, 500_000), None)
    assert stand_in.asked == [{"kind": "tool", "name": "pay", "arguments": {"amount": 7}, **PLACE}]


def test_a_model_call_is_sent_under_its_nodes_id(stand_in: StandIn) -> None:
    stand_in.replies({"text": "hello"})
    assert attempt(stand_in, "llm_call", {"prompt": "p", "model": "m"}).output == "hello"
    assert stand_in.asked == [
        {
            "kind": "llm",
            "name": "n",
            "prompt": "p",
            "system": None,
            "model": "m",
            "output_schema": None,
            "turn": 0,
            **PLACE,
        }
    ]


def test_an_agents_model_may_ask_for_calls_and_says_its_turn(stand_in: StandIn) -> None:
    stand_in.replies({"tool_calls": [{"tool": "look", "arguments": {"k": 1}}], "usage": {"input_tokens": 2}})
    result = attempt(stand_in, "agent", {"prompt": "p", "turns": [[], []]})
    assert result == StepResult(usage=Usage(2), calls=({"tool": "look", "arguments": {"k": 1}},))
    assert (stand_in.asked[0]["kind"], stand_in.asked[0]["turn"]) == ("llm", 2)


def test_without_a_reply_a_model_gives_an_empty_text_a_handler_an_empty_delta_a_tool_null(
    stand_in: StandIn,
) -> None:
    assert attempt(stand_in, "llm_call", {"prompt": "p"}).output == ""
    assert attempt(stand_in, "handler", {"handler": "h"}) == StepResult(None, {}, Usage(), None)
    assert attempt(stand_in, "tool_call", {"tool": "t", "arguments": {}}).output is None


def test_a_handler_is_sent_its_state_and_gives_a_delta(stand_in: StandIn) -> None:
    stand_in.replies({"delta": {"a": 1}, "output": "o"})
    result = attempt(stand_in, "handler", {"handler": "h", "state": {"b": 2}, "options": {}})
    assert result == StepResult("o", {"a": 1}, Usage(), None)
    assert stand_in.asked == [
        {"kind": "handler", "name": "n", "handler": "h", "state": {"b": 2}, "options": {}, **PLACE}
    ]


@pytest.mark.parametrize(
    ("node_type", "given", "code"),
    [
        ("tool_call", {"tool": "t", "arguments": {}}, "tool_failed"),
        ("llm_call", {"prompt": "p"}, "provider_failed"),
        ("handler", {"handler": "h"}, "tool_failed"),
    ],
)
def test_an_error_fails_the_attempt_with_its_usage(stand_in: StandIn, node_type: str, given: Any, code: str) -> None:
    stand_in.replies({"error": "503", "usage": {"units": 1}})
    with pytest.raises(StepFailure) as caught:
        attempt(stand_in, node_type, given)
    assert (caught.value.code, caught.value.message) == (code, "503")
    assert caught.value.usage == Usage(units=1)


@pytest.mark.parametrize("hangs_by", ["reply", "silence"])
def test_an_abort_ends_a_call_that_hangs(stand_in: StandIn, hangs_by: str) -> None:
    if hangs_by == "reply":
        stand_in.replies({"hang": True})
    else:
        stand_in.answer = lambda body: None
    token, begun = AbortToken(), time.monotonic()
    timer = threading.Timer(0.1, token.abort)
    timer.start()
    with pytest.raises(StepFailure) as caught:
        attempt(stand_in, "tool_call", {"tool": "t", "arguments": {}}, token)
    timer.join()
    assert caught.value.code == "canceled"
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b'{"result": NaN}'])
def test_an_answer_that_is_no_object_fails_the_attempt(stand_in: StandIn, text: bytes) -> None:
    stand_in.answer = lambda body: text
    with pytest.raises(StepFailure):
        attempt(stand_in, "tool_call", {"tool": "t", "arguments": {}})


def test_a_server_that_is_gone_fails_the_attempt(stand_in: StandIn) -> None:
    gone = StandIn()
    gone.close()
    with pytest.raises(StepFailure) as caught:
        attempt(gone, "tool_call", {"tool": "t", "arguments": {}})
    assert caught.value.code == "provider_failed"


def test_only_a_flow_test_gets_stand_ins() -> None:
    url = "http://127.0.0.1:9/"
    assert isinstance(dispatcher_for(is_flow_test=False, stand_in_url=url), RealDispatcher)
    assert isinstance(dispatcher_for(is_flow_test=True, stand_in_url=url), StandInDispatcher)
    with pytest.raises(ValueError, match="stand-in"):
        dispatcher_for(is_flow_test=True, stand_in_url=None)


@pytest.mark.parametrize(
    "url", ["http://example.org:80/", "https://127.0.0.1:1/", "http://127.0.0.1/", "file:///x", ""]
)
def test_stand_ins_live_on_loopback_only(url: str) -> None:
    with pytest.raises(ValueError):
        StandInDispatcher(url)
