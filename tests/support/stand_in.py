"""A server that stands in for the tools of flow tests run by real processes. A test says what it answers."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[dict[str, Any]], dict[str, Any]]


def _at_once(call: dict[str, Any]) -> dict[str, Any]:
    return {"result": call["path"]}


class StandIn:
    """Answers each call with what `answer(call)` gives, and remembers all calls.

    `calls` are the bodies of the requests, in the order in which they came.
    """

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.answer: Answer = _at_once
        self._came = threading.Condition()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with stand_in._came:
                    stand_in.calls.append(body)
                    stand_in._came.notify_all()
                text = json.dumps(stand_in.answer(body)).encode()
                try:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)
                except OSError:
                    pass  # whoever asked has died

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}/"

    def count(self, path: str | None = None) -> int:
        """How many calls came: for the step of this path, or in all."""
        return sum(path in (None, call["path"]) for call in self.calls)

    def by_path(self) -> Counter[str]:
        """How many calls came for each path."""
        return Counter(call["path"] for call in self.calls)

    def wait_for(self, path: str, count: int = 1, timeout_s: float = 20) -> None:
        """Wait until so many calls for a path have come. Raises AssertionError."""
        until = time.monotonic() + timeout_s
        with self._came:
            while self.count(path) < count:
                left = until - time.monotonic()
                assert left > 0 and self._came.wait(left), f"no call {count} of {path}; came: {self.by_path()}"

    def forget(self) -> None:
        """Forget all calls, and answer at once."""
        self.calls = []
        self.answer = _at_once

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
