"""The stand-in server: it holds every call of a flow-test run open until it is told what to answer.

What to answer, and when, is run.py's.
"""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

#: A worker that waits for nobody: its run is over, or was never this server's.
STOPPED: dict[str, Any] = {"error": "The call was stopped.", "code": "canceled"}


@dataclass(eq=False)
class OpenCall:
    """A call that waits for its answer."""

    body: dict[str, Any]
    _answered: threading.Event = field(default_factory=threading.Event)
    _answer: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int]:
        """Step run and fence: which claim made the call."""
        return self.body["step_id"], self.body["fence"]

    @property
    def given(self) -> tuple[str, Any]:
        """The queue of replies that it belongs to, and what is noted of its input."""
        body = self.body
        if body["kind"] == "tool":
            return body["name"], body["arguments"]
        if body["kind"] == "llm":
            return f"llm:{body['name']}", body["prompt"]
        return f"handler:{body['name']}", body["state"]

    def wait(self) -> dict[str, Any]:
        """The answer, once there is one."""
        self._answered.wait()
        return self._answer

    def answer(self, answer: dict[str, Any]) -> None:
        """Let the worker go on with this."""
        self._answer = answer
        self._answered.set()


class StandInServer:
    """Serves on the port of its URL, in threads of this process."""

    def __init__(self, url: str) -> None:
        port = urlsplit(url).port
        assert port is not None
        self._over: set[str] = set()
        self._open: dict[tuple[str, int], OpenCall] = {}
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def start(self) -> None:
        """Take calls from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Take no more calls, and send away whoever waits."""
        for call in list(self._open.values()):
            self.dismiss(call.body["run"])
        self._server.shutdown()
        self._server.server_close()

    def dismiss(self, run_id: str) -> None:
        """Nobody looks at this run any more: its calls are stopped, those still to come at once."""
        with self._lock:
            self._over.add(run_id)
            left = [call for call in self._open.values() if call.body["run"] == run_id]
            self._open = {key: call for key, call in self._open.items() if call not in left}
        for call in left:
            call.answer(STOPPED)

    def open_calls(self) -> dict[tuple[str, int], OpenCall]:
        """The calls that wait now, by claim."""
        with self._lock:
            return dict(self._open)

    def answer(self, call: OpenCall, answer: dict[str, Any]) -> None:
        """Answer a call; it is open no more."""
        with self._lock:
            self._open.pop(call.key, None)
        call.answer(answer)

    def receive(self, body: dict[str, Any]) -> dict[str, Any]:
        """Hold a call until it is answered (in the thread of its connection)."""
        call = OpenCall(body)
        with self._lock:
            if body["run"] in self._over:
                return STOPPED
            self._open[call.key] = call
        return call.wait()


def _handler_of(server: StandInServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """One call, one connection."""

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            answer = json.dumps(server.receive(json.loads(self.rfile.read(length)))).encode()
            with suppress(OSError):  # the worker may have hung up
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        def log_message(self, format: str, *args: Any) -> None:
            """Calls are told in verdicts, not in a log."""

    return Handler
