"""Who is at a draft, and that its comments change: told live, to those who may see the flow, and kept nowhere."""

from __future__ import annotations

import json
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User

from editor.comments import add_comment
from editor.models import Draft, Flow
from editor.services import save_draft
from runner.consumers import DraftConsumer, hints
from runner.models import Run
from tests.integration.live.conftest import Opens, in_database
from tests.integration.live.test_socket import close_code, frame

pytestmark = pytest.mark.django_db(transaction=True)


async def until(socket: WebsocketCommunicator, wanted: Any) -> dict[str, Any]:
    """The first frame for which `wanted` holds; those before it are passed over."""
    while True:
        got = await frame(socket, 15)
        if wanted(got):
            return got


def shows(*people: tuple[str, str | None]) -> Any:
    def wanted(got: dict[str, Any]) -> bool:
        return got["type"] == "people" and [(one["name"], one["node"]) for one in got["people"]] == list(people)

    return wanted


@pytest.mark.parametrize(("name", "code"), [(None, 4401), ("outsider", 4404)])
async def test_only_who_sees_the_flow_hears_of_its_draft(run: Run, opens: Opens, name: str | None, code: int) -> None:
    assert await close_code(await opens(f"/ws/drafts/{run.flow_id}/", name)) == code


async def test_two_people_see_one_another_come_choose_and_go(run: Run, opens: Opens, people: dict[str, User]) -> None:
    path = f"/ws/drafts/{run.flow_id}/"
    analyst = await opens(path, "analyst")
    await until(analyst, shows())
    admin = await opens(path, "admin")
    await until(analyst, shows(("admin", None)))
    await until(admin, shows(("analyst", None)))
    await admin.send_to('{"type":"at","node":"before"}')
    await until(analyst, shows(("admin", "before")))
    flow = await in_database(Flow.objects.get)(pk=run.flow_id)
    node = await in_database(first_node)(flow)
    await in_database(add_comment)(flow, node=node, text="Why?", by=people["admin"])
    await until(analyst, lambda got: got["type"] == "changed")
    await admin.disconnect(timeout=5)
    await until(analyst, shows())


async def test_a_newer_draft_is_told_at_once_with_who_saved_it(
    run: Run, opens: Opens, people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DraftConsumer, "beat_s", 1_000.0)  # so that it can only be the news
    reviewer = await opens(f"/ws/drafts/{run.flow_id}/", "reviewer")
    assert (await until(reviewer, saved))["revision"] == 1
    await in_database(save_again)(run.flow_id, people["admin"])
    assert await until(reviewer, saved) == {"type": "saved", "revision": 2, "by": "admin"}


async def test_a_newer_draft_whose_news_were_lost_is_found(
    run: Run, opens: Opens, people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DraftConsumer, "beat_s", 0.3)
    monkeypatch.setattr(hints, "get_channel_layer", lambda: None)
    reviewer = await opens(f"/ws/drafts/{run.flow_id}/", "reviewer")
    assert (await until(reviewer, saved))["revision"] == 1
    await in_database(save_again)(run.flow_id, people["admin"])
    assert (await until(reviewer, saved))["revision"] == 2


def saved(got: dict[str, Any]) -> bool:
    return got["type"] == "saved"


def save_again(flow_id: str, by: User) -> None:
    draft = Draft.objects.get(flow=flow_id)
    save_draft(draft.flow, draft.document, revision=draft.revision, by=by)


async def test_what_is_no_frame_closes_the_socket(run: Run, opens: Opens) -> None:
    socket = await opens(f"/ws/drafts/{run.flow_id}/", "analyst")
    await until(socket, shows())
    await socket.send_to('{"type":"at","node":5}')
    assert await close_code(socket) == 4400


def first_node(flow: Flow) -> str:
    found: str = json.loads(flow.draft.document)["nodes"][0]["id"]
    return found
