"""Signing in too often: refused for a while, by name and by address, without a look at the password."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.test import Client

from tests.support.flows import PASSWORD


@pytest.fixture(autouse=True)
def _fresh_counters(settings: Any) -> None:
    settings.RATE_LIMITS = {"login": (3, 3600), "login_address": (6, 3600)}
    for cache in caches.all(initialized_only=False):
        cache.clear()


def sign_in(name: str, password: str, address: str = "127.0.0.1") -> Any:
    return Client().post("/sign-in/", {"username": name, "password": password}, REMOTE_ADDR=address)


def test_after_too_many_tries_even_the_right_password_has_to_wait(people: dict[str, User]) -> None:
    assert [sign_in("analyst", "wrong").status_code for _ in range(3)] == [200] * 3
    refused = sign_in("Analyst ", PASSWORD)
    assert refused.status_code == 429 and 0 < int(refused.headers["Retry-After"]) <= 3600
    assert "tried too often" in refused.content.decode() and "do not fit" not in refused.content.decode()
    assert "_auth_user_id" not in refused.wsgi_request.session
    assert sign_in("reviewer", PASSWORD).status_code == 302


def test_an_address_may_not_try_all_names(people: dict[str, User]) -> None:
    assert [sign_in(f"nobody-{number}", "wrong").status_code for number in range(7)] == [200] * 6 + [429]
    assert sign_in("analyst", PASSWORD).status_code == 429
    assert sign_in("analyst", PASSWORD, "127.0.0.2").status_code == 302
