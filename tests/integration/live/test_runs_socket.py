"""The list of runs, live: a page is told that runs have started or ended, and no run is named."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User

from editor.models import FlowVersion
from runner import streaming
from runner.consumers import hints, runs_feed
from runner.consumers.chores import chores
from runner.models import Run
from runner.services.runs import actor_of, cancel_run
from tests.integration.live.conftest import Opens, in_database
from tests.integration.pages.samples import WAITS
from tests.support.flows import begin, publish

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/ws/runs/"


@pytest.fixture(autouse=True)
async def _all_over() -> AsyncIterator[None]:
    """Nothing of a test goes on behind it."""
    yield
    await chores().idle()


async def version(socket: WebsocketCommunicator) -> str:
    """The next version that comes; beats are passed over."""
    while True:
        frame: dict[str, Any] = json.loads(await socket.receive_from(timeout=8))
        if frame["type"] == "runs":
            assert set(frame) == {"type", "version"}
            return str(frame["version"])


async def test_a_start_and_an_end_are_told_at_once(
    run: Run, people: dict[str, User], opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs_feed, "POLL_S", 1_000.0)  # so that it can only be the hint
    socket = await opens(PATH, "outsider")
    told = [await version(socket)]
    flow = await in_database(FlowVersion.objects.get)(pk=run.version_id)
    await in_database(begin)(flow, people["analyst"])
    told.append(await version(socket))
    await in_database(cancel_run)(run.pk, actor=actor_of(people["analyst"]))
    while len(told) < 3 or told[-1] == told[-2]:
        told.append(await version(socket))
    assert len(set(told)) >= 3


async def test_what_nobody_told_is_found_all_the_same(
    people: dict[str, User], opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs_feed, "POLL_S", 0.2)
    monkeypatch.setattr(streaming, "publish_runs", lambda: None)
    monkeypatch.setattr(hints, "get_channel_layer", lambda: None)
    socket = await opens(PATH)
    first = await version(socket)
    flow = await in_database(publish)(WAITS, people["analyst"])
    await in_database(begin)(flow, people["analyst"])
    assert await version(socket) != first


async def test_a_stranger_is_told_nothing(opens: Opens) -> None:
    socket = await opens(PATH, None)
    output = await socket.receive_output(timeout=8)
    assert (output["type"], output["code"]) == ("websocket.close", 4401)
