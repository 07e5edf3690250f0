"""Accounts: one's own page, and what admins do: invite, change groups, disable and enable, each in the audit."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core import mail
from django.db import connections
from django.db.models import F
from django.test import Client

from editor.invitations import invite, join, offer_password
from editor.language.errors import LanguageError
from editor.models import ApiToken, AuditEntry, BrowserSession, Invitation
from editor.people import change_groups, disable, enable
from editor.tokens import find_token, make_token
from runner.models import Run
from tests.integration.pages.samples import ASKS
from tests.support.flows import PASSWORD, begin, make_people, make_person, publish

NEW = "quite another horse"


def signed_in_by_form(name: str, password: str = PASSWORD) -> Client:
    client = Client(headers={"User-Agent": f"Browser of {name}"})
    assert client.post("/sign-in/", {"username": name, "password": password}).status_code == 302
    return client


def is_in(client: Client) -> bool:
    return client.get("/profile/").status_code == 200


def link_on(page: Any) -> str:
    (text,) = re.findall(r"http://testserver(/join/[\w-]{43}/)", page.content.decode())
    return str(text)


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))


# --- one's own account ----------------------------------------------------------------------------------


def test_a_profile_says_who_one_is_and_keeps_changes(people: dict[str, User]) -> None:
    people["analyst"].groups.add(Group.objects.create(name="crew"))
    client = signed_in_by_form("analyst")
    page = client.get("/profile/").content.decode()
    assert "As analyst you are somebody who" in page and "crew" in page and "Browser of analyst" in page
    sent = {"first_name": "Ada", "last_name": "Lovelace", "email": "ada@example.org"}
    assert client.post("/profile/save/", sent).status_code == 302
    assert client.post("/profile/save/", sent).status_code == 302
    assert "Ada Lovelace" in client.get("/profile/").content.decode()
    entry = AuditEntry.objects.get(action="person-profile")
    assert entry.after == sent and entry.actor_name == "analyst"
    assert client.post("/profile/save/", {**sent, "email": "nonsense"}).status_code == 400
    assert User.objects.get(username="analyst").email == "ada@example.org"


def test_a_new_password_signs_all_other_browsers_out(people: dict[str, User]) -> None:
    here, there = signed_in_by_form("analyst"), signed_in_by_form("analyst")
    token = make_token(people["analyst"], name="nightly", scopes=["read"])
    sent = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert here.post("/profile/password/", sent).headers["Location"] == "/profile/"
    assert is_in(here) and not is_in(there) and find_token(token.text) is not None
    assert BrowserSession.objects.filter(person=people["analyst"]).count() == 1
    assert is_in(signed_in_by_form("analyst", NEW))
    assert "person-password" in actions()


@pytest.mark.parametrize("weak", ["short1!", "password123", "1234567890123", "analystanal"])
def test_weak_passwords_are_refused(people: dict[str, User], weak: str) -> None:
    client = signed_in_by_form("analyst")
    sent = {"old_password": PASSWORD, "new_password1": weak, "new_password2": weak}
    assert client.post("/profile/password/", sent).status_code == 400
    assert User.objects.get(username="analyst").check_password(PASSWORD)


def test_signing_out_everywhere_leaves_this_browser(people: dict[str, User]) -> None:
    here, there, other = (signed_in_by_form(name) for name in ("analyst", "analyst", "reviewer"))
    assert here.post("/profile/sign-out-everywhere/").status_code == 302
    assert is_in(here) and not is_in(there) and is_in(other)
    assert AuditEntry.objects.get(action="person-sign-out").after["sessions_closed"] == 1
    here.post("/profile/sign-out-everywhere/")
    assert actions().count("person-sign-out") == 1


# --- invitations ----------------------------------------------------------------------------------------

JOINS = {
    "username": "grace",
    "first_name": "Grace",
    "last_name": "",
    "email": "grace@example.org",
    "new_password1": NEW,
    "new_password2": NEW,
}


def test_a_newcomer_joins_by_a_link_that_works_once(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    admin = client_of("admin")
    path = link_on(admin.post("/people/invite/", {"role": "analyst", "email": "grace@example.org"}))
    assert path not in admin.get("/people/").content.decode()
    newcomer = Client()
    for _ in range(2):  # looking uses nothing up
        page = newcomer.get(path)
        assert page.status_code == 200 and "as analyst" in page.content.decode()
        assert "no-store" in page.headers["Cache-Control"]
    assert newcomer.post(path, JOINS | {"username": "Analyst"}).status_code == 400  # taken, but for its case
    assert newcomer.post(path, JOINS | {"new_password2": "other"}).status_code == 400
    assert newcomer.post(path, JOINS).headers["Location"] == "/"
    assert is_in(newcomer)
    person = User.objects.get(username="grace")
    assert [group.name for group in person.groups.all()] == ["analyst"] and person.check_password(NEW)
    assert (person.is_staff, person.is_superuser, person.email) == (False, False, "grace@example.org")
    assert Client().get(path).status_code == 404
    assert Client().post(path, JOINS | {"username": "eve"}).status_code == 404
    assert not User.objects.filter(username="eve").exists()
    assert actions() == ["person-invite", "person-join"]
    assert AuditEntry.objects.get(action="person-join").after["invited_by"] == "admin"


@pytest.mark.parametrize("how", ["taken back", "too old", "inviter disabled", "wrong"])
def test_a_link_that_does_not_hold_opens_nothing(
    how: str, people: dict[str, User], client_of: Callable[..., Client]
) -> None:
    make_person("second", "admin")
    admin = client_of("admin")
    path = link_on(admin.post("/people/invite/", {"role": "admin"}))
    link = Invitation.objects.get()
    if how == "taken back":
        assert admin.post(f"/people/links/{link.pk}/end/").status_code == 302
    elif how == "too old":
        Invitation.objects.update(expires_at=F("expires_at") - timedelta(days=8))
    elif how == "inviter disabled":
        disable(people["admin"], by=User.objects.get(username="second"))
    else:
        path = path[:-3] + ("xx/" if not path.endswith("xx/") else "yy/")
    for answer in (Client().get(path), Client().post(path, JOINS)):
        assert answer.status_code == 404 and "opens nothing" in answer.content.decode()
    assert not User.objects.filter(username="grace").exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_who_use_a_link_at_once_one_joins() -> None:
    made = invite(role="analyst", by=make_people()["admin"])

    def use(name: str) -> bool:
        try:
            join(made.text, username=name, password=NEW)
            return True
        except LanguageError as error:
            assert error.code == "not_found"
            return False
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        joined = list(pool.map(use, ("one", "two", "three", "four")))
    assert joined.count(True) == 1
    assert User.objects.filter(username__in=("one", "two", "three", "four")).count() == 1


def test_a_link_is_mailed_where_the_site_sends_mail(
    people: dict[str, User], client_of: Callable[..., Client], settings: Any
) -> None:
    settings.SENDS_MAIL = True
    page = client_of("admin").post("/people/invite/", {"role": "reviewer", "email": "grace@example.org"})
    assert mail.outbox[0].to == ["grace@example.org"] and link_on(page) in mail.outbox[0].body
    assert "sent by e-mail" in page.content.decode()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    page = client_of("admin").post("/people/invite/", {"role": "reviewer", "email": "grace@example.org"})
    assert page.status_code == 200 and "could not be sent" in page.content.decode() and link_on(page)


def test_somebody_who_forgot_the_password_gets_a_link_for_a_new_one(
    people: dict[str, User], client_of: Callable[..., Client]
) -> None:
    elsewhere = signed_in_by_form("reviewer")
    path = link_on(client_of("admin").post(f"/people/{people['reviewer'].pk}/password-link/"))
    older = offer_password(people["analyst"], by=people["admin"]).text
    offer_password(people["analyst"], by=people["admin"])
    assert Client().get(f"/join/{older}/").status_code == 404  # a newer one takes its place
    assert is_in(elsewhere)
    sent = {"new_password1": NEW, "new_password2": NEW}
    client = Client()
    assert client.post(path, {**sent, "new_password1": "1", "new_password2": "1"}).status_code == 400
    assert client.post(path, sent).status_code == 302
    assert is_in(client) and not is_in(elsewhere) and is_in(signed_in_by_form("reviewer", NEW))
    assert Client().post(path, sent).status_code == 404


# --- accounts -------------------------------------------------------------------------------------------


def test_an_admin_changes_roles_and_groups(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    Group.objects.create(name="crew")
    admin, path = client_of("admin"), f"/people/{people['analyst'].pk}/groups/"
    for _ in range(2):
        admin.post(path, {"groups": ["admin", "crew"], "reason": "moves up"})
    person = User.objects.get(username="analyst")
    assert {group.name for group in person.groups.all()} == {"admin", "crew"} and person.is_staff
    entry = AuditEntry.objects.get(action="person-groups")
    assert (entry.before["groups"], entry.after["groups"]) == (["analyst"], ["admin", "crew"])
    assert (entry.actor_name, entry.reason, entry.object_id) == ("admin", "moves up", str(person.pk))
    assert client_of("analyst").get("/people/").status_code == 200
    admin.post(path, {"groups": ["reviewer"]})
    person.refresh_from_db()
    assert not person.is_staff and client_of("analyst").get("/people/").status_code == 403
    assert "no group" in admin.post(path, {"groups": ["ghosts"]}, follow=True).content.decode()


def test_a_superuser_who_is_no_admin_any_more_is_no_superuser_either(people: dict[str, User]) -> None:
    root = User.objects.create_superuser("root", password=PASSWORD)
    change_groups(root, ["analyst"], by=people["admin"])
    root.refresh_from_db()
    assert (root.is_superuser, root.is_staff) == (False, False)


def test_the_last_admin_stays(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    admin, path = client_of("admin"), f"/people/{people['admin'].pk}/"
    for deed, sent in (("disable", {}), ("groups", {"groups": ["analyst"]})):
        page = admin.post(f"{path}{deed}/", sent, follow=True).content.decode()
        assert "the only active admin" in page
    second = make_person("second", "admin")
    disable(second, by=people["admin"])  # one who is disabled is no other admin
    with pytest.raises(LanguageError, match="the only active admin"):
        disable(people["admin"], by=people["admin"])
    enable(second, by=people["admin"])
    disable(people["admin"], by=people["admin"])
    assert not User.objects.get(username="admin").is_active


@pytest.mark.django_db(transaction=True)
def test_two_admins_who_step_down_at_once_do_not_both_go() -> None:
    people = make_people()
    make_person("second", "admin")

    def step_down(name: str) -> bool:
        try:
            person = User.objects.get(username=name)
            change_groups(person, [], by=person)
            return True
        except LanguageError:
            return False
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        went = list(pool.map(step_down, ("admin", "second")))
    assert sorted(went) == [False, True]
    assert people["admin"].pk


def test_disabling_closes_everything_at_once_and_hides_nothing(
    people: dict[str, User], client_of: Callable[..., Client]
) -> None:
    run = begin(publish(ASKS, people["analyst"]), people["analyst"])
    theirs = signed_in_by_form("analyst")
    token = make_token(people["analyst"], name="nightly", scopes=["read"])
    admin, path = client_of("admin"), f"/people/{people['analyst'].pk}/"
    for _ in range(2):
        assert admin.post(f"{path}disable/", {"reason": "left"}).status_code == 302
    assert not is_in(theirs) and find_token(token.text) is None
    assert not BrowserSession.objects.filter(person=people["analyst"]).exists()
    assert theirs.post("/sign-in/", {"username": "analyst", "password": PASSWORD}).status_code == 200
    assert "analyst" in admin.get(f"/runs/{run.pk}/").content.decode()
    assert Run.objects.get().started_by == people["analyst"]
    page = admin.get(path).content.decode()
    assert "Disabled" in page and "left" in page and "person-disable" in page
    for _ in range(2):
        admin.post(f"{path}enable/")
    assert not is_in(theirs) and find_token(token.text) is None and is_in(signed_in_by_form("analyst"))
    assert ApiToken.objects.get().revoked_at is not None
    assert [one for one in actions() if one.startswith("person")] == ["person-disable", "person-enable"]


def test_a_group_is_made_and_removed(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    admin = client_of("admin")
    admin.post("/people/groups/", {"name": " accounting "})
    group = Group.objects.get(name="accounting")
    people["reviewer"].groups.add(group)
    assert "already" in admin.post("/people/groups/", {"name": "accounting"}, follow=True).content.decode()
    page = admin.post(f"/people/groups/{group.pk}/remove/", follow=True).content.decode()
    assert "still has members" in page
    people["reviewer"].groups.remove(group)
    admin.post(f"/people/groups/{group.pk}/remove/")
    assert not Group.objects.filter(name="accounting").exists()
    role = Group.objects.get(name="analyst")
    assert "stays" in admin.post(f"/people/groups/{role.pk}/remove/", follow=True).content.decode()
    assert actions() == ["group-make", "group-remove"]


def test_people_are_found_and_listed_in_pages(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    for number in range(60):
        User.objects.create(username=f"person-{number:02}", email=f"p{number}@example.org")
    admin = client_of("admin")
    page = admin.get("/people/").content.decode()
    following = re.search(r'href="(\?[^"]*)"[^>]*rel="next"', page)
    assert following and "person-59" in admin.get(f"/people/{following[1]}").content.decode()
    found = admin.get("/people/?q=p42@").content.decode()
    assert "person-42" in found and "person-41" not in found
    for after in ("x", "9" * 30, "-1"):
        assert admin.get(f"/people/?after={after}").status_code == 200


def test_djangos_admin_changes_no_account(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    admin, person = client_of("admin"), people["analyst"]
    page = admin.get(f"/admin/auth/user/{person.pk}/change/")
    assert page.status_code == 200 and person.password not in page.content.decode()
    for path in ("user/add/", f"user/{person.pk}/change/", f"user/{person.pk}/delete/", "group/add/"):
        assert admin.post(f"/admin/auth/{path}", {}).status_code == 403
