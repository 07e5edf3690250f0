"""People, and a client for each of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.flows import make_people


@pytest.fixture
def people(db: None) -> dict[str, User]:
    """One person for each role, and an outsider."""
    return make_people()


@pytest.fixture
def client_of(people: dict[str, User]) -> Callable[[str], Client]:
    """A function that gives a signed-in client; it checks CSRF tokens, as a browser's requests are checked."""

    def signed_in(name: str, *, csrf: bool = False) -> Client:
        client = Client(enforce_csrf_checks=csrf)
        client.force_login(people[name])
        return client

    return signed_in
