"""The page of skills, and where a flow's own are shown."""

from __future__ import annotations

import html
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from runner.checks import check_skills
from runner.tools import SKILLS, register_skill
from tests.support.flows import publish
from tests.support.runs import document

ASKS = document([{"id": "ask", "type": "agent", "config": {"skill": "speaker", "prompt": "x"}}])


@pytest.fixture(autouse=True)
def skills(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SKILLS, "_skills", {})


def nothing() -> dict[str, str]:
    return {}


def test_every_version_is_listed_with_what_it_says(client_of: Callable[..., Client]) -> None:
    client = client_of("analyst")
    assert "No app of this site brings skills." in client.get("/skills/").content.decode()
    said = {"instructions": "Say <b>it</b> & more.", "output_schema": {"type": "object"}, "tools": ["look"]}
    specs = [
        register_skill("speaker", "1.0.0", **said).spec,
        register_skill("speaker", "1.1.0", **(said | {"tools": []}), description="Speaks.", offline=nothing).spec,
    ]
    page = html.unescape(client.get("/skills/").content.decode())
    assert page.index("speaker@1.1.0") < page.index("speaker@1.0.0")
    for text in (*(one.content_hash for one in specs), "Speaks.", "It needs a model.", "rules of its own", "look"):
        assert text in page
    assert "<b>it</b>" not in client.get("/skills/").content.decode()


def test_a_flow_shows_what_its_newest_version_pins(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    register_skill("speaker", "2.3.4", instructions="Say it.")
    version = publish(ASKS, people["analyst"])
    page = client_of("analyst").get(f"/flows/{version.flow_id}/").content.decode()
    assert "speaker</a>" in page and "2.3.4" in page


def test_a_run_that_may_not_start_for_its_skill_says_so_in_the_form(
    people: dict[str, User], client_of: Callable[..., Client]
) -> None:
    register_skill("speaker", "1.0.0", instructions="Say it.")
    version = publish(ASKS, people["analyst"])
    SKILLS._skills.clear()
    response = client_of("analyst").post(f"/flows/{version.flow_id}/start/", {"idempotency_key": "k"})
    assert response.status_code == 400
    assert "The skill speaker 1.0.0 is not installed here any more." in response.content.decode()


def test_a_skill_that_allows_tools_nobody_brings_is_warned_of() -> None:
    register_skill("speaker", "1.0.0", instructions="Say it.", tools=["read_invoices_csv"])
    assert check_skills() == []
    register_skill("speaker", "1.0.1", instructions="Say it.", tools=["read_invoices_csv", "gone"])
    assert [
        (message.id, "speaker@1.0.1 allows tools that are not here: gone." in message.msg) for message in check_skills()
    ] == [("runner.W002", True)]
