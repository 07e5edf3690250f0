"""The page of a person's own tokens."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from editor.models import ApiToken
from editor.tokens import find_token, make_token

GIVEN = {"name": "nightly", "scopes": ["read", "run"], "days": "30"}


@pytest.fixture
def client(client_of: Callable[..., Client]) -> Client:
    return client_of("analyst")


def test_a_new_token_is_shown_once(client: Client, people: dict[str, User]) -> None:
    page = client.post("/tokens/", GIVEN)
    assert page.status_code == 200 and "no-store" in page.headers["Cache-Control"]
    (text,) = re.findall(r"fst_[0-9a-f]{10}_[\w-]{43}", page.content.decode())
    token = find_token(text)
    assert token is not None and token.owner == people["analyst"] and token.scopes == ["read", "run"]
    assert token.expires_at is not None
    again = client.get("/tokens/").content.decode()
    assert text not in again and "nightly" in again and f"fst_{token.prefix}" in again


@pytest.mark.parametrize("wrong", [{"name": ""}, {"scopes": []}, {"scopes": ["all"]}, {"days": "5"}])
def test_a_form_that_is_not_filled_in_right_makes_none(client: Client, wrong: dict[str, object]) -> None:
    page = client.post("/tokens/", GIVEN | wrong)
    assert page.status_code == 400 and "No token was made" in page.content.decode()
    assert not ApiToken.objects.exists()


def test_a_token_is_revoked_by_its_owner_alone(
    client: Client, client_of: Callable[..., Client], people: dict[str, User]
) -> None:
    made = make_token(people["analyst"], name="mine", scopes=["read"])
    path = f"/tokens/{made.row.pk}/revoke/"
    for other in ("admin", "reviewer", "outsider"):
        assert client_of(other).post(path).status_code == 404
        assert "mine" not in client_of(other).get("/tokens/").content.decode()
    assert find_token(made.text) is not None
    assert client.get(path).status_code == 405
    page = client.post(path, follow=True)
    assert "is revoked" in page.content.decode() and find_token(made.text) is None
    assert "Revoked" in client.get("/tokens/").content.decode()
