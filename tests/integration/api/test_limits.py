"""How often somebody may ask, also while Redis is away; and what a busy database answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.db import OperationalError

from editor import rate_limits
from tests.integration.api.conftest import Program, refusal
from tests.integration.pages.samples import WAITS
from tests.support.flows import publish


@pytest.fixture(autouse=True)
def _fresh_counters(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No counter of another test; one window for as long as a test lasts."""
    settings.RATE_LIMITS = {"api": (1000, 3600), "start": (2, 3600), "decide": (1, 3600), "login": (3, 3600)}
    monkeypatch.setattr(rate_limits, "_rest_until", 0.0)
    for cache in caches.all(initialized_only=False):
        cache.clear()


def test_starts_are_limited_for_each_person_and_token(
    analyst: Program, people: dict[str, User], as_person: Callable[[str], Program], with_token: Callable[..., Program]
):
    publish(WAITS, people["analyst"])
    assert [analyst.post("runs/", {"flow": "waits"}).status_code for _ in range(2)] == [201, 201]
    answer = analyst.post("runs/", {"flow": "waits"})
    error = refusal(answer, 429)
    assert error["code"] == "limit_exceeded" and error["details"]["retry_after_s"] == int(answer.headers["Retry-After"])
    assert 0 < int(answer.headers["Retry-After"]) <= 3600
    assert analyst.get("runs/").status_code == 200
    for other in (as_person("admin"), with_token("analyst")):
        assert other.post("runs/", {"flow": "waits"}).status_code == 201


def test_decisions_are_limited(as_person: Callable[[str], Program]):
    reviewer = as_person("reviewer")
    path = f"approvals/{'0' * 32}/decision/"
    assert [reviewer.post(path, {}).status_code for _ in range(2)] == [404, 429]


def test_tries_for_real_count_as_starts(analyst: Program):
    assert [analyst.post("flows/none/tries/start/", {}).status_code for _ in range(3)] == [404, 404, 429]


def test_there_is_a_general_limit(analyst: Program, settings: Any):
    settings.RATE_LIMITS = {"api": (2, 3600)}
    assert [analyst.get("flows/").status_code for _ in range(3)] == [200, 200, 429]


def test_without_redis_each_process_counts_for_itself(
    analyst: Program, people: dict[str, User], settings: Any, monkeypatch: pytest.MonkeyPatch
):
    publish(WAITS, people["analyst"])
    monkeypatch.setattr(caches["default"], "add", _refuse_connection)
    assert analyst.get("runs/").status_code == 200
    began = time.monotonic()
    assert [analyst.post("runs/", {"flow": "waits"}).status_code for _ in range(3)] == [201, 201, 429]
    assert time.monotonic() - began < 3
    assert analyst.get("runs/").status_code == 200


def _refuse_connection(*_: Any, **__: Any) -> None:
    raise ConnectionError("nobody listens")


def test_a_redis_that_listens_nowhere_is_noticed_in_a_moment(settings: Any, monkeypatch: pytest.MonkeyPatch):
    away = {**settings.CACHES["default"], "LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {**settings.CACHES, "default": away}
    began = time.monotonic()
    assert [rate_limits.seconds_to_wait("decide", "somebody") > 0 for _ in range(2)] == [False, True]
    assert time.monotonic() - began < 2
    assert rate_limits._rest_until > time.monotonic()


def test_counters_lie_in_redis_as_numbers(settings: Any):
    assert rate_limits.seconds_to_wait("start", "somebody") == 0
    client = caches["default"]._cache.get_client()
    found = [client.get(key) for key in client.keys("flowsite-cache:*rate:start*")]
    assert found == [b"1"]
    caches["default"].set("other", {"a": [1.5, None]})
    assert caches["default"].get("other") == {"a": [1.5, None]}
    assert client.get(caches["default"].make_key("other")).startswith(b"{")


def test_a_busy_database_is_503(analyst: Program, monkeypatch: pytest.MonkeyPatch):
    def busy(*_: Any, **__: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr("editor.api.flows.page_of", busy)
    answer = analyst.get("flows/")
    assert refusal(answer, 503)["code"] == "run_busy" and answer.headers["Retry-After"] == "1"


def test_what_nobody_foresaw_is_500_in_json_for_programs_only(analyst: Program, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("editor.api.flows.page_of", broken)
    monkeypatch.setattr("runner.views.home.flow_cards", broken)
    analyst.client.raise_request_exception = False
    error = refusal(analyst.get("flows/"), 500)
    assert error["code"] == "internal_error" and "secret" not in error["message"]
    page = analyst.client.get("/")
    assert page.status_code == 500 and page.headers["Content-Type"].startswith("text/html")
