"""Programs that call the API: by the session of a person, or by a token."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, ClientHandler, encode_multipart

from editor.tokens import SCOPES, make_token
from tests.support.flows import make_people


@cache
def _handler(csrf: bool) -> ClientHandler:
    """One for all clients: each one that is made looks at every static file of the site."""
    return ClientHandler(enforce_csrf_checks=csrf)


def new_client(*, csrf: bool = False) -> Client:
    """A client of nobody; `csrf`: it is checked as a browser's is."""
    client = Client(enforce_csrf_checks=csrf)
    client.handler = _handler(csrf)
    return client


class Parts(dict[str, str]):
    """A body of named parts."""

    def encoded(self) -> tuple[bytes, str]:
        """The body and its content type."""
        return encode_multipart(BOUNDARY, self), MULTIPART_CONTENT


class Program:
    """Calls the API; `token` or the session says for whom. Answers are the test client's, `.json()` reads them."""

    def __init__(self, client: Client, token: str | None = None) -> None:
        self.client = client
        self.headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(f"/api/{path}", headers=self.headers | headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("POST", path, body, **headers)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        text = "" if body is None else body if isinstance(body, (str, bytes)) else json.dumps(body)
        sent = self.headers | headers
        if isinstance(body, Parts):
            return self.client.generic(method, f"/api/{path}", *body.encoded(), headers=sent)
        return self.client.generic(method, f"/api/{path}", text, content_type="application/json", headers=sent)

    def read(self, path: str) -> Any:
        """The JSON of an answer that must be 200."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.content
        return answer.json()


@pytest.fixture(autouse=True)
def _no_rate_limits(settings: Any) -> None:
    """Tests ask faster than people do; those about limits set their own."""
    settings.RATE_LIMITS = {}


@pytest.fixture
def people(db: None) -> dict[str, User]:
    """One person for each role, and an outsider."""
    return make_people()


@pytest.fixture
def as_person(people: dict[str, User]) -> Callable[[str], Program]:
    """A function that gives the program of a signed-in person: what a browser would send, without its CSRF token."""

    def of(name: str) -> Program:
        client = new_client()
        client.force_login(people[name])
        return Program(client)

    return of


@pytest.fixture
def with_token(people: dict[str, User]) -> Callable[..., Program]:
    """A function that gives a program with a token of somebody, for these scopes (all, if none is named)."""

    def of(name: str, *scopes: str) -> Program:
        made = make_token(people[name], name="a test", scopes=scopes or tuple(SCOPES))
        return Program(new_client(csrf=True), made.text)

    return of


@pytest.fixture
def analyst(as_person: Callable[[str], Program]) -> Program:
    """The program of an analyst."""
    return as_person("analyst")


def refusal(answer: Any, status: int) -> dict[str, Any]:
    """The error of an answer that must be refused with this status, in its one shape."""
    assert answer.status_code == status, (answer.status_code, answer.content[:500])
    error: dict[str, Any] = answer.json()
    assert set(error) <= {"code", "message", "step", "path", "details"}, error
    assert isinstance(error["code"], str) and isinstance(error["message"], str) and error["message"]
    return error
