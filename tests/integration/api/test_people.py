"""Accounts and invitations over the API: what admins do, each once, and never past the last of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from editor.models import AuditEntry, Invitation
from tests.integration.api.conftest import Program, refusal


@pytest.fixture
def admin(as_person: Callable[[str], Program]) -> Program:
    return as_person("admin")


def test_people_are_listed_with_their_groups(people: dict[str, User], admin: Program):
    people["outsider"].is_active = False
    people["outsider"].save()
    root = User.objects.create_superuser("root")
    page = admin.read("people/")
    assert [one["username"] for one in page["items"]] == ["admin", "analyst", "outsider", "reviewer", "root"]
    assert page["items"][1] == admin.read(f"people/{people['analyst'].pk}/")
    assert page["items"][4]["groups"] == ["admin"] and root.is_superuser
    assert [one["username"] for one in admin.read("people/?active=false")["items"]] == ["outsider"]
    assert not any("password" in one for one in page["items"])


def test_a_list_of_many_people_asks_no_more_often(people: dict[str, User], admin: Program):
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            admin.read("people/?limit=200")
        return len(captured)

    few = statements()
    made = User.objects.bulk_create(User(username=f"person-{number}") for number in range(150))
    for person in made:
        person.groups.add(Group.objects.get(name="analyst"))
    assert statements() == few


def test_groups_and_state_change_together_or_not_at_all(people: dict[str, User], admin: Program):
    path = f"people/{people['analyst'].pk}/"
    sent = {"groups": ["reviewer"], "active": False, "reason": "left"}
    for _ in range(2):
        answer = admin.send("PATCH", path, sent)
        assert answer.status_code == 200
    assert (answer.json()["groups"], answer.json()["active"]) == (["reviewer"], False)
    entries = AuditEntry.objects.filter(object_type="user").order_by("pk").values_list("action", "reason", "actor_name")
    assert list(entries) == [("person-groups", "left", "admin"), ("person-disable", "left", "admin")]
    refusal(admin.send("PATCH", path, {"groups": ["ghosts"], "active": True}), 400)
    assert not User.objects.get(username="analyst").is_active
    refusal(admin.send("PATCH", path, {"groups": "admin"}), 400)
    refusal(admin.send("PATCH", "people/999999/", {"active": False}), 404)


def test_the_last_admin_stays(people: dict[str, User], admin: Program):
    path = f"people/{people['admin'].pk}/"
    for sent in ({"active": False}, {"groups": []}):
        assert "only active admin" in refusal(admin.send("PATCH", path, sent), 400)["message"]
    assert admin.read("me/")["roles"] == ["admin"]


def test_an_invitation_is_told_once_and_taken_back(people: dict[str, User], admin: Program):
    made = admin.post("invitations/", {"role": "reviewer", "email": "grace@example.org"})
    assert made.status_code == 201
    path = made.json()["path"]
    assert Client().get(path).status_code == 200
    (listed,) = admin.read("invitations/")["items"]
    assert (listed["role"], listed["email"], listed["made_by"]) == ("reviewer", "grace@example.org", "admin")
    assert "path" not in listed
    for _ in range(2):
        assert admin.send("DELETE", f"invitations/{listed['id']}/").status_code == 204
    assert Client().get(path).status_code == 404
    assert admin.read("invitations/")["items"] == []
    assert list(AuditEntry.objects.values_list("action", flat=True)) == ["person-invite", "person-invite-end"]
    for wrong in ({"role": "owner"}, {"role": "admin", "email": "nonsense"}, {}):
        refusal(admin.post("invitations/", wrong), 400)
    assert Invitation.objects.count() == 1
