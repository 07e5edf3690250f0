"""People, a run to watch, and sockets to the site's own ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client

from flowsite.asgi import application
from runner.consumers.chores import chores
from runner.models import Run
from tests.integration.pages.samples import WAITS
from tests.support.flows import begin, make_people, publish

ORIGIN = "http://127.0.0.1:8000"
in_database: Any = database_sync_to_async
Opens = Callable[..., Awaitable[WebsocketCommunicator]]


@pytest.fixture
def people(transactional_db: None) -> dict[str, User]:
    """One person for each role, and an outsider."""
    return make_people()


@pytest.fixture
def run(people: dict[str, User]) -> Run:
    """A run that waits for a signal."""
    return begin(publish(WAITS, people["analyst"]), people["analyst"])


@pytest.fixture
def sessions(people: dict[str, User]) -> dict[str, str]:
    """The key of a session for each person."""
    keys = {}
    for name, person in people.items():
        client = Client()
        client.force_login(person)
        keys[name] = str(client.session.session_key)
    return keys


@pytest.fixture
async def opens(sessions: dict[str, str]) -> AsyncIterator[Opens]:
    """A function that opens a socket as somebody, from an origin; all are closed after the test."""
    assert ORIGIN in settings.WEBSOCKET_ORIGINS
    opened: list[WebsocketCommunicator] = []

    async def open_socket(
        path: str, name: str | None = "analyst", origin: str | None = ORIGIN
    ) -> WebsocketCommunicator:
        headers = [(b"host", b"127.0.0.1:8000")]
        if origin is not None:
            headers.append((b"origin", origin.encode()))
        if name is not None:
            headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={sessions[name]}".encode()))
        socket = WebsocketCommunicator(application, path, headers=headers)
        accepted, _ = await socket.connect(timeout=10)
        socket.accepted = accepted
        if accepted:
            opened.append(socket)
        return socket

    yield open_socket
    for socket in opened:
        await socket.disconnect(timeout=5)
    await chores().idle()
    # The communicators of Channels keep connections from being closed.
    await in_database(connections.close_all)()
