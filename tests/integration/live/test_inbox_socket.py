"""The inbox, live: the count of each person, again when something was asked or decided, and no storm of questions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User

from editor.models import BrowserSession, VersionReview
from editor.reviews import ask_review, decide_review, set_reviewer
from editor.services import hashes_of_draft, import_flow
from runner import streaming
from runner.catalog import CATALOG
from runner.consumers import access, hints, inbox_feed, socket
from runner.consumers.chores import chores
from runner.deciding import Waiting
from runner.models import Run
from tests.integration.live.conftest import Opens, in_database
from tests.integration.pages.samples import ASKS
from tests.support.flows import begin, decide, publish

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/ws/inbox/"


@pytest.fixture(autouse=True)
async def _all_over() -> AsyncIterator[None]:
    """Nothing of a test goes on behind it."""
    yield
    await chores().idle()


@pytest.fixture
def asking(people: dict[str, User]) -> Run:
    return begin(publish(ASKS, people["analyst"]), people["analyst"])


async def count(socket: WebsocketCommunicator, timeout: float = 8) -> str:
    """The next count that comes; beats are passed over."""
    while True:
        frame: dict[str, Any] = json.loads(await socket.receive_from(timeout=timeout))
        if frame["type"] == "inbox":
            return str(frame["open"])


async def close_code(socket: WebsocketCommunicator) -> int:
    while True:
        output = await socket.receive_output(timeout=8)
        if output["type"] == "websocket.close":
            return int(output["code"])


async def test_each_gets_the_count_of_what_they_may_decide(asking: Run, opens: Opens) -> None:
    counts = {name: await count(await opens(PATH, name)) for name in ("analyst", "reviewer", "admin", "outsider")}
    assert counts == {"analyst": "", "reviewer": "1", "admin": "1", "outsider": ""}


async def test_what_is_decided_shows_at_once(
    asking: Run, people: dict[str, User], opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox_feed, "REST_S", 0.1)
    monkeypatch.setattr(inbox_feed, "POLL_S", 1_000.0)  # so that it can only be the hint
    socket = await opens(PATH, "reviewer")
    assert await count(socket) == "1"
    await in_database(decide)(asking, people["reviewer"], "approved", form={"grade": "good"})
    streaming.publish_inbox()
    assert await count(socket) == ""


async def test_a_review_is_counted_at_once_for_who_decides_and_then_for_who_asked(
    people: dict[str, User], opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox_feed, "REST_S", 0.1)
    monkeypatch.setattr(inbox_feed, "POLL_S", 1_000.0)  # so that it can only be the hint
    reviewer, analyst = await opens(PATH, "reviewer"), await opens(PATH, "analyst")
    assert (await count(reviewer), await count(analyst)) == ("", "")
    review = await in_database(ask_for_review)(people)
    assert await count(reviewer) == "1"
    await in_database(decide_review)(
        review, approve=True, content_hash=review.content_hash, content_now=review.content_hash, by=people["reviewer"]
    )
    assert await count(reviewer) == ""
    while await count(analyst) != "1":
        pass


def ask_for_review(people: dict[str, User]) -> VersionReview:
    flow = import_flow({"format": 1, **ASKS}, by=people["analyst"])
    set_reviewer(flow, person="reviewer", by=people["admin"])
    return ask_review(flow, by=people["analyst"], **hashes_of_draft(flow, CATALOG))


async def test_what_nobody_told_is_found_all_the_same(
    people: dict[str, User], opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox_feed, "REST_S", 0.1)
    monkeypatch.setattr(inbox_feed, "POLL_S", 0.2)
    monkeypatch.setattr(streaming, "publish_inbox", lambda: None)
    monkeypatch.setattr(hints, "get_channel_layer", lambda: None)
    socket = await opens(PATH, "reviewer")
    assert await count(socket) == ""
    version = await in_database(publish)(ASKS, people["analyst"])
    await in_database(begin)(version, people["analyst"])
    assert await count(socket) == "1"


async def test_one_person_with_many_pages_is_asked_about_once(
    asking: Run, people: dict[str, User], opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox_feed, "REST_S", 0.3)
    asked: list[int] = []
    waiting = access.waiting_counts

    def counted(user: User) -> Waiting:
        asked.append(user.pk)
        return waiting(user)

    monkeypatch.setattr(access, "waiting_counts", counted)
    sockets = [await opens(PATH, "reviewer") for _ in range(8)]
    assert [await count(socket) for socket in sockets] == ["1"] * 8
    before = len(asked)
    assert before <= 2
    await in_database(decide)(asking, people["reviewer"], "approved", form={"grade": "good"})
    for _ in range(20):
        streaming.publish_inbox()
        await asyncio.sleep(0.01)
    assert [await count(socket) for socket in sockets] == [""] * 8
    assert len(asked) - before <= 2


async def test_only_who_is_signed_in_may_listen(people: dict[str, User], opens: Opens) -> None:
    assert await close_code(await opens(PATH, None)) == 4401
    assert not (await opens(PATH, "reviewer", origin="http://evil.example")).accepted  # type: ignore[attr-defined]


async def test_a_socket_ends_with_its_session(
    people: dict[str, User], opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket.ReadingSocket, "recheck_s", 0.1)
    opened = await opens(PATH, "reviewer")
    assert await count(opened) == ""
    await in_database(BrowserSession.objects.all().delete)()
    assert await close_code(opened) == 4401


async def test_pings_are_answered_and_all_else_is_refused(people: dict[str, User], opens: Opens) -> None:
    opened = await opens(PATH, "reviewer")
    assert await count(opened) == ""
    await opened.send_to(text_data='{"type": "ping"}')
    while (frame := json.loads(await opened.receive_from(timeout=8)))["type"] != "pong":
        assert frame["type"] in ("inbox", "beat")
    await opened.send_to(text_data='{"type": "decide"}')
    assert await close_code(opened) == 4400
