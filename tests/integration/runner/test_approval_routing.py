"""Where an open approval goes: to several people, to somebody else, to another group, and into people's mail."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import Message
from email.policy import default
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message as MessageHandler
from django.contrib.auth.models import User
from django.core import mail
from django.db import DatabaseError, transaction

from editor.models import AuditEntry
from runner.deciding import waiting_counts, waiting_for
from runner.engine.errors import RunError
from runner.models import Approval, Decision, MailBox, Notice, Routing, Run
from runner.services.approvals import decide_approval
from runner.services.history import verify_history
from runner.services.mail import choose_mail, mail_is_due, send_due_mail
from runner.services.routing import delegate_approval, route_due, take_back_approval
from runner.services.runs import actor_of, cancel_run, pause_run
from runner.store.clock import shift_test_clock
from runner.store.purge import purge_run
from tests.integration.pages.samples import ASKS, PAYS
from tests.support.flows import begin, make_people, make_person, publish, work_on
from tests.support.runs import at_once

pytestmark = pytest.mark.django_db(transaction=True)
HOUR = 3_600_000


@pytest.fixture
def people(settings: Any) -> dict[str, User]:
    settings.TEST_CLOCK = True
    found = make_people()
    found["second"] = make_person("second", "reviewer")
    found["boss"] = make_person("boss", "managers")
    for name, person in found.items():
        User.objects.filter(pk=person.pk).update(email=f"{name}@example.org")
    return {name: User.objects.get(username=name) for name in found}


def payment(people: dict[str, User], **rule: Any) -> Approval:
    """An approval of a payment of 900, of a flow of its own."""
    rules = [{"tool": "pay_*", "effect": "ask", "editable": True, **rule}]
    document = {**PAYS, "id": f"pays-{Run.objects.count()}", "permissions": {"rules": rules}}
    run = begin(publish(document, people["analyst"]), people["analyst"])
    return Approval.objects.get(run=run)


def decide(approval: Approval, by: User, verdict: str = "approved", **more: Any) -> Approval:
    now = Approval.objects.get(pk=approval.pk)
    decide_approval(approval.pk, verdict=verdict, digest=now.digest, actor=actor_of(by), user=by, **more)
    return Approval.objects.get(pk=approval.pk)


def mine(person: User) -> list[str]:
    return list(waiting_for(User.objects.get(pk=person.pk)).values_list("pk", flat=True))


# Several people


def test_two_people_have_to_approve_and_each_counts_once(people: dict[str, User]) -> None:
    approval = payment(people, approvals=2)
    first = decide(approval, people["reviewer"], comment="fine by me")
    assert (first.status, len(first.approved_by), first.approved_by[0]["comment"]) == ("open", 1, "fine by me")
    assert not Decision.objects.exists()
    assert (waiting_counts(people["reviewer"]).open, waiting_counts(people["second"]).open) == ("", "1")
    with pytest.raises(RunError, match="You have approved this already"):
        decide(approval, people["reviewer"])
    assert decide(approval, people["second"]).status == "approved"
    assert Decision.objects.get().actor["name"] == "second"
    run = work_on(approval.run_id)
    assert run.status == "succeeded" and verify_history(run.pk).is_whole
    told = [event.data.get("outstanding") for event in run.events.filter(type="approval-decided").order_by("seq")]
    assert told == [1, None]


def test_changed_arguments_have_to_be_approved_anew_and_both_are_kept(people: dict[str, User]) -> None:
    approval = payment(people, approvals=2)
    decide(approval, people["reviewer"])
    asked = approval.value_of("arguments")
    changed = decide(approval, people["second"], arguments=asked | {"amount": 450})
    assert [one["actor"]["name"] for one in changed.approved_by] == ["second"]
    assert (changed.value_of("arguments"), changed.asked_arguments()["amount"]) == (asked, 450)
    with pytest.raises(RunError, match="not what would run"):
        decide_approval(
            approval.pk, verdict="approved", digest=approval.digest, actor=actor_of(people["reviewer"]),
            user=people["reviewer"],
        )  # fmt: skip
    decide(approval, people["reviewer"])
    decision = Decision.objects.get()
    assert (decision.value_of("arguments")["amount"], decision.digest) == (450, changed.digest)
    run = work_on(approval.run_id)
    assert run.status == "succeeded" and run.step_runs.get(path="pay").value_of("input")["arguments"]["amount"] == 450


def test_the_last_two_of_three_at_the_same_moment_make_one_decision(people: dict[str, User]) -> None:
    approval = payment(people, approvals=2)
    crew = [people["second"], people["admin"], people["reviewer"]]
    results = at_once(3, lambda place: decide(approval, crew[place]))
    assert len([one for one in results if isinstance(one, RunError)]) == 1, results
    assert Decision.objects.count() == 1 and len(Approval.objects.get(pk=approval.pk).approved_by) == 2
    assert work_on(approval.run_id).status == "succeeded"


# Handing over


def test_what_is_handed_over_waits_for_one_person_until_it_is_taken_back(people: dict[str, User]) -> None:
    approval = payment(people)
    delegate_approval(approval.pk, to="second", user=people["reviewer"], reason="You know the vendor.")
    assert (mine(people["reviewer"]), mine(people["second"])) == ([], [approval.pk])
    row = Routing.objects.get()
    assert (row.kind, row.person.get_username(), row.actor["name"], row.reason) == (
        "delegated", "second", "reviewer", "You know the vendor.",
    )  # fmt: skip
    entry = AuditEntry.objects.get(action="approval-delegate")
    assert (entry.object_id, entry.before["to"], entry.after["to"]) == (approval.run_id, None, "second")
    take_back_approval(approval.pk, user=people["reviewer"])
    assert mine(people["reviewer"]) == mine(people["second"]) == [approval.pk]
    assert AuditEntry.objects.get(action="approval-take-back").before["to"] == "second"
    delegate_approval(approval.pk, to="second", user=people["reviewer"])
    assert list(Routing.objects.values_list("kind", flat=True)) == ["delegated", "taken_back", "delegated"]
    for deed in (lambda: Routing.objects.update(reason=""), lambda: Routing.objects.all().delete()):
        with pytest.raises(DatabaseError), transaction.atomic():
            deed()
    assert decide(approval, people["second"]).status == "approved"
    with pytest.raises(RunError, match="does not wait any more"):
        delegate_approval(approval.pk, to="admin", user=people["reviewer"])


def test_nobody_gets_a_right_by_being_handed_something(people: dict[str, User], settings: Any) -> None:
    settings.SELF_APPROVAL = "no"
    people["both"] = make_person("both", "analyst", "reviewer")
    own = Approval.objects.get(run=begin(publish(ASKS, people["analyst"]), people["both"]))
    for to, why in (("outsider", "for reviewers"), ("both", "started this run"), ("nobody", "no active person")):
        with pytest.raises(RunError, match=why) as refused:
            delegate_approval(own.pk, to=to, user=people["reviewer"])
        assert refused.value.code == "validation_failed"
    for by, code in (("both", "self_approval"), ("analyst", "permission_denied"), ("outsider", "approval_not_found")):
        with pytest.raises(RunError) as refused:
            delegate_approval(own.pk, to="second", user=people[by])
        assert refused.value.code == code
    assert not Routing.objects.exists() and Approval.objects.get().delegate is None


def test_what_was_handed_to_somebody_who_is_gone_comes_back(people: dict[str, User]) -> None:
    approval = payment(people)
    delegate_approval(approval.pk, to="second", user=people["reviewer"])
    people["second"].groups.clear()
    route_due(10)
    assert mine(people["reviewer"]) == [approval.pk]
    assert Routing.objects.latest("pk").actor == {"kind": "engine"}


def test_however_many_were_handed_over_all_are_looked_at(people: dict[str, User]) -> None:
    approvals = [payment(people) for _ in range(5)]
    last = max(approvals, key=lambda one: one.pk)
    for approval in approvals:
        delegate_approval(approval.pk, to="second" if approval == last else "admin", user=people["admin"])
    people["second"].groups.clear()
    route_due(2)
    assert Approval.objects.get(pk=last.pk).delegate is None
    assert Approval.objects.filter(delegate=people["admin"]).count() == 4


# Reminders and escalation


def test_a_reminder_comes_once_before_the_deadline(people: dict[str, User], settings: Any) -> None:
    settings.APPROVALS = settings.APPROVALS | {"REMIND_BEFORE_MS": HOUR}
    approval, paused = payment(people, expires_ms=10 * HOUR), payment(people, expires_ms=10 * HOUR)
    short = payment(people, expires_ms=HOUR)
    pause_run(paused.run_id, actor=actor_of(people["analyst"]))
    route_due(10)
    assert not Routing.objects.exists(), "half of the short one's time is not over yet"
    shift_test_clock(9 * HOUR + 60_000)
    assert at_once(3, lambda _: route_due(10)) == [None] * 3
    reminded = Routing.objects.values_list("approval", "kind")
    assert sorted(reminded) == sorted([(approval.pk, "reminded"), (short.pk, "reminded")])
    route_due(10)
    assert Routing.objects.count() == 2 and not mine(people["boss"])


def test_what_waits_too_long_is_for_another_group_too(people: dict[str, User], settings: Any) -> None:
    settings.APPROVALS = settings.APPROVALS | {"ESCALATE_AFTER_MS": HOUR, "ESCALATE_TO": "managers"}
    approval = payment(people)
    delegate_approval(approval.pk, to="second", user=people["reviewer"])
    with pytest.raises(RunError, match="no such approval"):
        decide(approval, people["boss"])
    shift_test_clock(HOUR + 60_000)
    assert at_once(3, lambda _: route_due(10)) == [None] * 3
    assert list(Routing.objects.values_list("kind", "group")) == [("delegated", ""), ("escalated", "managers")]
    assert AuditEntry.objects.get(action="approval-escalate").after["group"] == "managers"
    boss = User.objects.get(username="boss")
    assert mine(boss) == mine(people["reviewer"]) == [approval.pk]
    assert Run.objects.visible_to(boss).filter(pk=approval.run_id).exists()
    assert decide(approval, boss).status == "approved"
    run = work_on(approval.run_id)
    purge_run(run.pk, actor=actor_of(people["admin"]), reason="test")
    assert not Routing.objects.exists()


# Mail


@pytest.fixture
def smtp(settings: Any) -> Iterator[list[Message]]:
    """The mails that a server of the test's own received."""
    received: list[Message] = []

    class Keep(MessageHandler):
        def handle_message(self, message: Message) -> None:
            received.append(message_from_bytes(message.as_bytes(), policy=default))

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(Keep(), hostname="127.0.0.1", port=port)
    controller.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.SITE_URL = "https://flows.example"
    yield received
    controller.stop()


def test_a_mail_names_flow_step_and_tool_and_no_value(people: dict[str, User], smtp: list[Message]) -> None:
    approval = payment(people)
    assert mail_is_due() and send_due_mail() == 3
    assert sorted(message["To"] for message in smtp) == [f"{n}@example.org" for n in ("admin", "reviewer", "second")]
    message = next(one for one in smtp if one["To"] == "reviewer@example.org")
    text = message.get_body().get_content()  # type: ignore[attr-defined]
    assert f"https://flows.example/inbox/{approval.pk}/\n" in text and "pay_invoice" in text and "A payment" in text
    said = (text + message["Subject"]).replace(approval.pk, "")  # an id may hold any digits
    assert not any(value in said for value in ("ACME", "900", "DE89", "A-1"))
    assert send_due_mail() == 0 and not mail_is_due(), "each is told once"
    assert approval.status == Approval.objects.get().status == "open"


def test_many_are_one_mail_and_what_was_decided_meanwhile_is_none(people: dict[str, User]) -> None:
    choose_mail(people["admin"], False)
    approvals = [payment(people) for _ in range(3)]
    decide(approvals[0], people["second"])
    delegate_approval(approvals[1].pk, to="second", user=people["reviewer"])
    assert send_due_mail() == 2
    sent = {message.to[0].partition("@")[0]: message for message in mail.outbox}
    assert sorted(sent) == ["reviewer", "second"]
    assert sent["second"].subject == "2 approvals wait for you" and approvals[0].pk not in sent["second"].body
    assert "was handed to you" in sent["second"].body
    assert approvals[2].pk in sent["reviewer"].body and approvals[1].pk not in sent["reviewer"].body
    payment(people)
    assert send_due_mail() == 0, "nobody gets a second mail at once"
    shift_test_clock(61_000)
    assert send_due_mail() == 2
    cancel_run(approvals[2].run_id, actor=actor_of(people["analyst"]))
    assert AuditEntry.objects.get(action="person-mail").after == {"mail": False}


def test_a_mail_that_fails_is_tried_again_and_two_workers_send_one(
    people: dict[str, User], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    payment(people)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    assert send_due_mail() == 0
    box = MailBox.objects.get(person=people["reviewer"])
    assert box.failures == 1 and "refused" in box.error.lower()
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert send_due_mail() == 0, "it rests first"
    shift_test_clock(10 * 60_000)
    at_once(3, lambda _: send_due_mail())
    assert len(mail.outbox) == Notice.objects.filter(sent_at__isnull=False).count() == 3
    assert MailBox.objects.get(person=people["reviewer"]).failures == 0


def test_a_link_of_a_mail_decides_nothing(people: dict[str, User], client_of: Callable[[str], Any]) -> None:
    approval = payment(people)
    send_due_mail()
    before = Approval.objects.values().get()
    links = {word for message in mail.outbox for word in message.body.split() if word.startswith("http")}
    assert any(f"/inbox/{approval.pk}/" in link for link in links)
    for link in links:
        path = "/" + link.split("/", 3)[3]
        for name in ("reviewer", "outsider"):
            client = client_of(name)
            for ask in (client.get, client.head):
                assert ask(path).status_code in (200, 404)
            assert client.get(path.rstrip("/") + "/decide/").status_code in (404, 405)
    assert Approval.objects.values().get() == before and approval.status == "open"


@pytest.fixture
def client_of(people: dict[str, User]) -> Callable[[str], Any]:
    from django.test import Client

    def signed_in(name: str) -> Client:
        client = Client()
        client.force_login(people[name])
        return client

    return signed_in
