"""Erasing a person's data: nobody finds them any more, and every history stays whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.test import Client

from editor import audit, pseudonyms
from editor.comments import add_comment
from editor.invitations import invite
from editor.language.errors import LanguageError
from editor.models import ApiToken, AuditEntry, Erasure
from editor.people import change_profile
from editor.services import create_flow, save_draft
from editor.tokens import make_token
from runner.consumers.feed import _events_after
from runner.models import Approval, Run, SavedView
from runner.services.approvals import decide_approval
from runner.services.audit_trail import Wanted, trail
from runner.services.erasing import erase_person
from runner.services.flow_tests import make_test
from runner.services.history import verify_history
from runner.services.runs import actor_of, cancel_run, start_run
from tests.support.flows import work_on
from tests.support.runs import document, freeze

pytestmark = pytest.mark.django_db(transaction=True)

WAITS = document([{"id": "w", "type": "wait", "config": {"duration_ms": 10**9}}])


@pytest.fixture(autouse=True)
def nobody_known() -> Iterator[None]:
    pseudonyms.forget()
    yield
    pseudonyms.forget()


@pytest.fixture
def admin(db: None) -> User:
    admin = User.objects.create_user("boss", is_staff=True)
    admin.groups.add(Group.objects.get_or_create(name="admin")[0])
    return admin


@pytest.fixture
def ines(db: None) -> User:
    """Somebody of whom traces are everywhere."""
    ines = User.objects.create_user("ines.quill", email="ines@example.org", password="x")
    ines.groups.add(Group.objects.get_or_create(name="analyst")[0])
    change_profile(ines, first_name="Ines", last_name="Quillfeather", email="quill@example.org")
    make_token(ines, name="laptop of Quillfeather", scopes=["read"])
    SavedView.objects.create(person=ines, name="mine", query="status=failed")
    Client().force_login(ines)
    return ines


def traces(word: str) -> list[str]:
    """Tables and columns in which a word stands."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            for column in connection.introspection.get_table_description(cursor, table):
                cursor.execute(
                    f'SELECT count(*) FROM "{table}" WHERE CAST("{column.name}" AS text) LIKE %s', [f"%{word}%"]
                )
                if cursor.fetchone()[0]:
                    found.append(f"{table}.{column.name}")
    return found


def test_nothing_tells_of_an_erased_person_but_what_was_hashed(admin: User, ines: User) -> None:
    run_id = start_run(freeze(WAITS), inputs={}, actor=actor_of(ines), user=ines).run_id
    cancel_run(run_id, actor=actor_of(ines))
    invite(role="analyst", email="quill@example.org", by=admin)
    audit.record(admin, "flow-share", ("flow", "f"), after={"people": {"ines.quill": ["view"]}})
    done = erase_person(ines, by=admin, reason="asked for it")
    pseudonym = f"erased-{ines.pk}"
    ines.refresh_from_db()
    assert (done.pseudonym, ines.username, ines.email, ines.is_active) == (pseudonym, pseudonym, "", False)
    assert not ines.has_usable_password() and not ines.groups.exists()
    for word in ("Quillfeather", "quill@example.org", "ines@example.org"):
        assert traces(word) == [], word
    # The user name stays where it was hashed, and where a row repeats what was hashed.
    assert set(traces("ines.quill")) <= {"runner_event.text", "runner_event.actor", "runner_run.actor"}
    assert verify_history(run_id).is_proven
    assert done.kept["runs_started"] == 1 and done.kept["events"] == 2
    assert done.removed["tokens"] == 1 and done.removed["saved_views"] == 1 and done.removed["links"] == 1
    assert AuditEntry.objects.get(action="flow-share").after == {"people": {pseudonym: ["view"]}}
    entry = AuditEntry.objects.get(action="person-erase")
    assert entry.reason == "asked for it" and entry.after["kept"] == done.kept
    assert not ApiToken.objects.filter(owner=ines).exists()


def test_pages_and_the_live_stream_show_the_pseudonym(admin: User, ines: User) -> None:
    run_id = start_run(freeze(WAITS), inputs={}, actor=actor_of(ines), user=ines).run_id
    token = ApiToken.objects.get(owner=ines)
    by_token = {"kind": "token", "id": str(token.pk), "name": "laptop of Quillfeather of ines.quill"}
    cancel_run(run_id, actor=by_token)
    before = "".join(line.text for line in _events_after(run_id, 0))
    assert "ines.quill" in before
    erase_person(ines, by=admin, reason="asked for it")
    pseudonym = f"erased-{ines.pk}"
    shown = "".join(line.text for line in _events_after(run_id, 0))
    assert "ines.quill" not in shown and pseudonym in shown
    assert [row.action for row in trail(Wanted(who=pseudonym, run_id=run_id))] == ["flow-canceled", "flow-start"]
    client = Client()
    client.force_login(admin)
    for path in (f"/runs/{run_id}/", "/operations/audit/", f"/people/{ines.pk}/", f"/runs/{run_id}/events/", "/runs/"):
        page = client.get(path).content.decode()
        assert "ines.quill" not in page and "Quillfeather" not in page, path
    assert pseudonym in client.get("/operations/audit/").content.decode()


def test_the_api_shows_the_pseudonym(admin: User, ines: User) -> None:
    asking = document([{"id": "ask", "type": "approval", "config": {"title": "Go on?"}}])
    run = work_on(start_run(freeze(asking), inputs={}, actor=actor_of(ines), user=ines).run_id)
    approval = Approval.objects.get(run=run)
    ines.groups.add(Group.objects.get_or_create(name="reviewer")[0])
    ines = User.objects.get(pk=ines.pk)
    decide_approval(approval.pk, verdict="approved", digest=approval.digest, actor=actor_of(ines), user=ines)
    client = Client()
    client.force_login(admin)
    paths = [f"/api/runs/{run.pk}/", f"/api/runs/{run.pk}/events/", f"/api/approvals/{approval.pk}/"]
    assert all("ines.quill" in client.get(path).content.decode() for path in paths)
    erase_person(ines, by=admin, reason="asked for it")
    for path in paths:
        answer = client.get(path).content.decode()
        assert "ines.quill" not in answer and f"erased-{ines.pk}" in answer, path
    again = {"verdict": "approved", "digest": approval.digest}
    refused = client.post(paths[2] + "decision/", again, content_type="application/json")
    assert refused.status_code == 409 and f"erased-{ines.pk}" in refused.content.decode()
    assert "ines.quill" not in refused.content.decode()


def test_what_makes_no_sense_is_refused(admin: User, ines: User, capsys: pytest.CaptureFixture[str]) -> None:
    for person, by, reason, told in (
        (ines, admin, " ", "Say why"),
        (admin, admin, "so", "Somebody else"),
        (admin, None, "so", "only active admin"),
    ):
        with pytest.raises(LanguageError, match=told):
            erase_person(person, by=by, reason=reason)
    assert not Erasure.objects.exists()
    with pytest.raises(SystemExit):
        call_command("erase_person", "nobody", "--reason", "so")
    call_command("erase_person", "ines.quill", "--reason", "so")
    assert "1 tokens" in capsys.readouterr().out
    with pytest.raises(LanguageError, match="erased before"):
        erase_person(User.objects.get(pk=ines.pk), by=admin, reason="again")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE editor_auditentry SET actor_name = 'else'",
        "UPDATE editor_erasure SET reason = 'else'",
        "UPDATE editor_erasure SET is_open = NOT is_open",
        "DELETE FROM editor_erasure",
    ],
)
def test_the_database_lets_nobody_change_what_was_noted(admin: User, ines: User, statement: str) -> None:
    erase_person(ines, by=admin, reason="asked for it")
    with pytest.raises(DatabaseError), connection.cursor() as cursor:
        cursor.execute(statement)


def test_an_admin_erases_on_the_page_of_the_account(admin: User, ines: User) -> None:
    client = Client()
    client.force_login(admin)
    page: Any = client.post(f"/people/{ines.pk}/erase/", {"reason": "asked", "name": "ines"}, follow=True)
    assert "Type the user name" in page.content.decode() and not Erasure.objects.exists()
    page = client.post(f"/people/{ines.pk}/erase/", {"reason": "asked", "name": "ines.quill"}, follow=True)
    assert "The data is erased." in page.content.decode()
    assert json.loads(json.dumps(Erasure.objects.get().kept))["runs_started"] == Run.objects.count() == 0


def test_it_says_where_people_wrote_the_name(admin: User, ines: User, capsys: pytest.CaptureFixture[str]) -> None:
    flow = create_flow("refunds", by=admin)
    asked = {"id": "ask", "type": "approval", "config": {"title": "Pay?", "assignees": ["ines.quill"]}}
    save_draft(flow, {"format": 1, "id": "refunds", "nodes": [asked], "edges": []}, revision=1, by=admin)
    create_flow("others", by=admin)
    kept = make_test(flow, {"name": "of Ines", "inputs": {"to": "QUILL@example.org"}, "expect": {}}, by=admin)
    make_test(flow, {"name": "of nobody", "expect": {}}, by=admin)
    add_comment(flow, node="ask", text="Ines Quillfeather knows.", by=admin)
    call_command("erase_person", "ines.quill", reason="asked for it")
    places = ["draft of refunds", f"test {kept.pk} of refunds", "comment on ask of refunds"]
    assert f"until they change it: {', '.join(places)}." in capsys.readouterr().out
    assert AuditEntry.objects.get(action="person-erase").after["named_in"] == places
    client = Client()
    client.force_login(admin)
    assert ", ".join(places) in client.get(f"/people/{ines.pk}/").content.decode()
