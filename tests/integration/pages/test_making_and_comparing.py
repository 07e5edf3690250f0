"""The page that makes a flow out of a foreign document, and the page that compares two versions."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.test import Client

from editor import services
from editor.models import Flow
from tests.integration.pages.samples import INPUTS
from tests.support.flows import publish

FOREIGN = {
    "name": "Foreign",
    "version": 1,
    "startStep": "a",
    "mood": "cheerful",
    "steps": [{"id": "a", "type": "end", "colour": "red"}],
}


def test_losses_of_an_import_are_told_in_sentences(client_of: Callable[..., Client]) -> None:
    form = {"name": "Foreign", "begin": "document", "text": json.dumps(FOREIGN)}
    answer = client_of("analyst").post("/new-flow/", form)
    assert answer.status_code == 302, answer.content
    (told,) = [str(one) for one in get_messages(answer.wsgi_request)]
    assert "means nothing here. It is kept as" in told
    assert ".," not in told and ".." not in told


@pytest.fixture
def client(people: dict[str, User], client_of: Callable[..., Client]) -> Client:
    version = publish(INPUTS, people["analyst"])
    assert version.number == 1 and version.flow is not None
    services.create_flow("young", by=people["analyst"])
    return client_of("analyst")


@pytest.mark.parametrize(
    ("address", "before", "after"),
    [
        ("/flows/inputs/compare/", "1", "draft"),
        ("/flows/inputs/compare/?before=draft&after=1", "draft", "1"),
        ("/flows/inputs/compare/?after=1", "1", "1"),
        ("/flows/young/compare/", "draft", "draft"),
    ],
)
def test_the_newest_version_and_the_draft_are_compared_unless_others_are_named(
    client: Client, address: str, before: str, after: str
) -> None:
    boot = client.get(address).context["boot"]
    assert (boot["before"], boot["after"]) == (before, after)


@pytest.mark.parametrize("which", ["2", "0", "x", "<b>", "9" * 5_000, ""])
def test_a_version_that_is_none_is_told(client: Client, which: str) -> None:
    for side in ("before", "after"):
        answer = client.get("/flows/inputs/compare/", {side: which})
        assert answer.status_code == 404
        page = answer.content.decode()
        assert "has no version" in page and "Its newest is version 1" in page and "<b>" not in page
    assert "None of it is published yet" in client.get(f"/flows/young/compare/?before={which}").content.decode()


def test_the_page_of_a_flow_says_what_the_version_is_called_and_that_the_draft_is_not(client: Client) -> None:
    same = client.get("/flows/inputs/").content.decode()
    assert "What version 1 does" in same and "in another way" not in same
    flow = Flow.objects.get(pk="inputs")
    called = flow.name
    services.rename_flow(flow, by=None, name="Other", description="Something else")
    page = client.get("/flows/inputs/").content.decode()
    assert "<h1>Other</h1>" in page and f"<dt>Name</dt><dd>{called}</dd>" in page
    assert "The draft is named or described in another way" in page
