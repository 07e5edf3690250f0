"""A page that does not read: the server stops sending, closes it, and keeps nothing for it."""

from __future__ import annotations

import base64
import os
import resource
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from flowsite.asgi import application
from flowsite.supervisor.valkey import free_port
from runner.consumers import feed
from runner.consumers.run_socket import RunConsumer
from runner.models import Run
from tests.integration.live.conftest import ORIGIN
from tests.support.flows import append_events

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def port() -> Iterator[int]:
    """The port of the site's own application under the server that the site uses."""
    number = free_port()
    server = uvicorn.Server(
        uvicorn.Config(application, port=number, ws_max_size=65_536, log_level="error", timeout_graceful_shutdown=2)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield number
    server.should_exit = True
    thread.join(timeout=15)
    assert not thread.is_alive(), "the server stops although a page does not read"


def connect(port: int, path: str, session: str) -> socket.socket:
    """A socket after its handshake, with a small buffer for what it will not read."""
    page = socket.socket()
    page.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    page.connect(("127.0.0.1", port))
    key = base64.b64encode(os.urandom(16)).decode()
    page.sendall(
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nOrigin: {ORIGIN}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
        f"Cookie: flowsite_session={session}\r\n\r\n".encode()
    )
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += page.recv(1)
    assert b" 101 " in answer.splitlines()[0]
    return page


def memory_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def test_a_page_that_does_not_read_is_closed_and_costs_little(
    run: Run, sessions: dict[str, str], port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RunConsumer, "send_limit_s", 1.0)
    monkeypatch.setattr(RunConsumer, "close_limit_s", 0.2)
    sent: list[int] = []
    send_after = RunConsumer._send_after

    async def counted(self: RunConsumer, reader: feed.RunReader, cursor: int) -> int:
        sent.append(cursor)
        return await send_after(self, reader, cursor)

    left = threading.Event()
    leave = feed.Feeds.leave

    def leaves(self: feed.Feeds, *args: object) -> None:
        leave(self, *args)  # type: ignore[arg-type]
        left.set()

    monkeypatch.setattr(RunConsumer, "_send_after", counted)
    monkeypatch.setattr(feed.Feeds, "leave", leaves)
    append_events(run.pk, 6_000, text="x" * 6_000)
    before = memory_mib()
    page = connect(port, f"/ws/runs/{run.pk}/?after=0", sessions["analyst"])
    assert left.wait(40), "the socket is let go although its page never reads"
    assert memory_mib() - before < 40, "36 MB of history were not gathered for it"
    assert sent
    page.close()
