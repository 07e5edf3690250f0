"""A model endpoint on loopback: speaks the chat completions protocol with prepared answers. Standard library only."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LONGEST_HANG = 30.0


@dataclass
class Asked:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])


@dataclass
class Answer:
    """What the server gives: a status and a body (JSON, or bytes as they are). `hang`: nothing, until hung up."""

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0
    hang: bool = False
    cut: bool = False
    """Close the connection in the middle of the body."""


def completion(text: str | None, *, calls: list[tuple[str, str]] | None = None, **more: Any) -> dict[str, Any]:
    """A body that holds a model's text, or tool calls given as (name, JSON text of the arguments)."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": f"c{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for place, (name, arguments) in enumerate(calls)
        ]
    finish = more.pop("finish_reason", "tool_calls" if calls else "stop")
    usage = more.pop("usage", {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120})
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    return {
        "id": "chat-1",
        "object": "chat.completion",
        "model": "small-2026",
        "choices": choices,
        "usage": usage,
    } | more


class ModelServer:
    """Gives its answers in order, the last one again and again; keeps every request."""

    def __init__(self, *answers: Answer | dict[str, Any]) -> None:
        self.answers = [one if isinstance(one, Answer) else Answer(one) for one in answers]
        self.asked: list[Asked] = []
        self.hung_up = threading.Event()
        """Set when a client left before it had its answer."""
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.place}/v1"

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def next_answer(self, asked: Asked) -> Answer:
        with self._lock:
            self.asked.append(asked)
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def wait_for_client_to_leave(self, connection: socket.socket) -> None:
        until = time.monotonic() + LONGEST_HANG
        while time.monotonic() < until:
            if select.select([connection], [], [], 0.05)[0] and not connection.recv(1, socket.MSG_PEEK):
                self.hung_up.set()
                return

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                text = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                answer = server.next_answer(Asked(self.path, headers, json.loads(text)))
                if answer.hang:
                    server.wait_for_client_to_leave(self.connection)
                    return
                time.sleep(answer.delay_s)
                body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in ({"Content-Type": "application/json"} | answer.headers).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[: len(body) // 2] if answer.cut else body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler


@contextmanager
def closed_port() -> Iterator[int]:
    """A port on which nobody listens."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        yield line.getsockname()[1]
