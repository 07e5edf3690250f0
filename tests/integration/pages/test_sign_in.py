"""Wrong passwords too often: signing in is locked for a while, by name and by address, wherever a password is asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.db import connections
from django.db.models import F
from django.test import Client

from editor.models import AuditEntry, SignInCount
from tests.support.flows import PASSWORD, make_people


@pytest.fixture(autouse=True)
def _few_tries(settings: Any) -> None:
    settings.SIGN_IN_LOCK = {"name": 3, "address": 6, "seconds": 3600}


def sign_in(name: str, password: str, address: str = "127.0.0.1", path: str = "/sign-in/") -> Any:
    return Client().post(path, {"username": name, "password": password}, REMOTE_ADDR=address)


def lock(name: str, address: str = "127.0.0.1") -> Any:
    assert [sign_in(name, "wrong", address).status_code for _ in range(3)] == [200] * 3
    return sign_in(name, "wrong", address)


def as_told(answer: Any) -> str:
    """What a page says, without what differs from one answer to the next."""
    page = re.sub(r'value="[^"]*"', "", answer.content.decode())
    return re.sub(r"<time.*?</time>", "", page)


def test_after_too_many_tries_even_the_right_password_has_to_wait(people: dict[str, User]) -> None:
    lock("analyst")
    refused = sign_in("Analyst ", PASSWORD)
    assert refused.status_code == 429 and 0 < int(refused.headers["Retry-After"]) <= 3600
    page = refused.content.decode()
    until = SignInCount.objects.get(kind="name", locked_until__isnull=False).locked_until
    assert until is not None and until.strftime("%Y-%m-%d %H:%M:%S") in page and "do not fit" not in page
    assert "_auth_user_id" not in refused.wsgi_request.session
    assert sign_in("reviewer", PASSWORD).status_code == 302


def test_a_name_that_nobody_has_is_locked_alike(people: dict[str, User]) -> None:
    assert as_told(lock("analyst")) == as_told(lock("nobody", "127.0.0.2"))
    assert not SignInCount.objects.filter(who__icontains="nobody").exists()  # what is typed is not kept


def test_a_disabled_person_is_told_nothing_else(people: dict[str, User]) -> None:
    User.objects.filter(username="analyst").update(is_active=False)
    assert as_told(sign_in("analyst", PASSWORD)) == as_told(sign_in("nobody", PASSWORD))


def test_an_address_may_not_try_all_names(people: dict[str, User]) -> None:
    assert [sign_in(f"nobody-{number}", "wrong").status_code for number in range(7)] == [200] * 6 + [429]
    assert sign_in("analyst", PASSWORD).status_code == 429
    assert sign_in("analyst", PASSWORD, "127.0.0.2").status_code == 302


def test_signing_in_begins_the_count_anew(people: dict[str, User]) -> None:
    for _ in range(3):
        assert [sign_in("analyst", "wrong").status_code for _ in range(2)] == [200] * 2
        assert sign_in("analyst", PASSWORD, "127.0.0.3").status_code == 302
        SignInCount.objects.filter(kind="address").delete()
    assert not AuditEntry.objects.filter(action="sign-in-lock").exists()


def test_a_lock_ends_by_itself(people: dict[str, User]) -> None:
    assert lock("analyst").status_code == 429
    ago = timedelta(seconds=3601)
    SignInCount.objects.update(locked_until=F("locked_until") - ago, since=F("since") - ago)
    assert [sign_in("analyst", "wrong").status_code for _ in range(2)] == [200] * 2
    assert sign_in("analyst", PASSWORD).status_code == 302


def test_a_lock_is_in_the_audit_once(people: dict[str, User]) -> None:
    lock("analyst")
    sign_in("analyst", "wrong")
    entry = AuditEntry.objects.get(action="sign-in-lock")
    assert (entry.object_type, entry.object_id, entry.after["failures"]) == ("sign-in-name", "analyst", 3)


def test_an_admin_lifts_a_lock_and_nobody_else(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    lock("analyst")
    path = f"/people/{people['analyst'].pk}/"
    for other, status in (("analyst", 403), ("reviewer", 403), ("outsider", 404)):
        assert client_of(other).post(f"{path}unlock/").status_code == status
    admin = client_of("admin")
    assert "locked until" in admin.get(path).content.decode()
    assert admin.post(f"{path}unlock/").status_code == 302
    assert "locked until" not in admin.get(path).content.decode()
    assert sign_in("analyst", PASSWORD).status_code == 302
    entry = AuditEntry.objects.get(action="sign-in-unlock")
    assert (entry.actor_name, entry.object_id) == ("admin", "analyst")


def test_an_admin_lifts_the_lock_of_an_address(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    for number in range(7):
        sign_in(f"nobody-{number}", "wrong", "203.0.113.7")
    assert "203.0.113.7" in client_of("admin").get("/people/").content.decode()
    client_of("admin").post("/people/unlock-address/", {"address": "203.0.113.7"})
    assert "203.0.113.7" not in client_of("admin").get("/people/").content.decode()
    assert sign_in("analyst", PASSWORD, "203.0.113.7").status_code == 302


def test_the_old_password_on_the_profile_counts_too(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    client = client_of("analyst")
    sent = {"old_password": "wrong", "new_password1": "quite another one", "new_password2": "quite another one"}
    for _ in range(3):
        assert client.post("/profile/password/", sent).status_code == 400
    refused = client.post("/profile/password/", {**sent, "old_password": PASSWORD})
    assert refused.status_code == 400 and "locked until" in refused.content.decode()
    assert User.objects.get(username="analyst").check_password(PASSWORD)
    assert sign_in("analyst", PASSWORD).status_code == 429


def test_the_admin_has_no_door_of_its_own(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    answer = Client().get("/admin/")
    assert answer.headers["Location"] == "/admin/login/?next=/admin/"
    answer = Client().post("/admin/login/?next=/admin/", {"username": "admin", "password": PASSWORD})
    assert answer.headers["Location"] == "/sign-in/?next=%2Fadmin%2F"
    assert "_auth_user_id" not in answer.wsgi_request.session
    assert client_of("analyst").get("/admin/", follow=True).status_code == 403
    assert client_of("admin").get("/admin/password_change/").headers["Location"] == "/profile/"


def test_a_program_without_a_request_is_counted_as_well(people: dict[str, User]) -> None:
    for _ in range(3):
        assert authenticate(username="analyst", password="wrong") is None
    assert authenticate(username="analyst", password=PASSWORD) is None


@pytest.mark.django_db(transaction=True)
def test_many_tries_at_once_are_no_way_around(settings: Any) -> None:
    make_people()
    settings.SIGN_IN_LOCK = {"name": 3, "address": 100, "seconds": 3600}

    def attempt(number: int) -> int:
        try:
            return int(sign_in("analyst", f"wrong-{number}").status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        answers = sorted(pool.map(attempt, range(12)))
    assert answers == [200] * 3 + [429] * 9
