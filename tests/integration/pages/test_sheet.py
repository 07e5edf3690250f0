"""A version on a sheet to print, and what explains flows over the API."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from editor.language.problems import CODES
from tests.integration.pages.samples import INPUTS
from tests.support.flows import publish


@pytest.fixture
def client(people: dict[str, User], client_of: Callable[..., Client]) -> Client:
    publish(INPUTS, people["analyst"])
    return client_of("analyst")


def test_a_sheet_says_what_a_version_is(client: Client) -> None:
    answer = client.get("/flows/inputs/versions/1/sheet/")
    page = answer.content.decode()
    version = client.get("/api/flows/inputs/versions/1/").json()
    for said in (version["content_hash"], "by analyst", "What it does", "Step by step", "Permissions and limits"):
        assert said in page
    assert all(one["id"] in page for one in version["document"]["nodes"])
    assert client.get("/flows/inputs/versions/2/sheet/").status_code == 404
    assert "/flows/inputs/versions/1/sheet/" in client.get("/flows/inputs/").content.decode()


def test_checks_are_explained_and_a_flow_is_described(client: Client) -> None:
    explained: list[dict[str, Any]] = client.get("/api/explanations/").json()["items"]
    assert {one["code"] for one in explained} == set(CODES)

    def described(**given: Any) -> dict[str, Any]:
        answer = client.post("/api/flows/inputs/description/", json.dumps(given), content_type="application/json")
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        return found

    assert {one["node"] for one in described()["steps"]} == {one["id"] for one in INPUTS["nodes"]}
    sent = {"format": 1, "id": "inputs", "nodes": [{"id": "e", "type": "evaluator", "config": {"expression": "1 + 1"}}]}
    assert described(document=sent)["steps"] == [{"node": "e", "name": "e", "level": 0, "text": "Computes 1 + 1."}]
