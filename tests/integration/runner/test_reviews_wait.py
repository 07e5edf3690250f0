"""Reviews before publish in the inbox, on the overview and in mails: who is to review, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from editor import services, waiting_reviews
from editor.language.errors import LanguageError
from editor.models import AuditEntry, Draft, Flow, VersionReview
from editor.reviews import ask_review, decide_review, set_reviewer
from runner.catalog import CATALOG
from runner.deciding import waiting_counts
from runner.models import MailBox, ReviewNotice
from runner.services.mail import choose_mail, mail_is_due, send_due_mail
from tests.support.flows import make_people, make_person

pytestmark = pytest.mark.django_db(transaction=True)
NODE = {"id": "a", "name": "First", "type": "evaluator", "config": {"expression": "1"}}
DOCUMENT: dict[str, Any] = {"format": 1, "id": "looked-at", "name": "Looked at", "nodes": [NODE]}


@pytest.fixture
def people(transactional_db: None) -> dict[str, User]:
    found = {**make_people(), "second": make_person("second", "reviewer"), "author": make_person("author", "analyst")}
    for name, person in found.items():
        User.objects.filter(pk=person.pk).update(email=f"{name}@example.org")
    return {name: User.objects.get(username=name) for name in found}


@pytest.fixture
def flow(people: dict[str, User]) -> Flow:
    made = services.create_flow("looked-at", by=people["analyst"], document=DOCUMENT)
    set_reviewer(made, group="reviewer", by=people["admin"])
    return made


@pytest.fixture
def pages(people: dict[str, User]) -> Callable[..., str]:
    def read(name: str, path: str = "/inbox/reviews/") -> str:
        client = Client()
        client.force_login(people[name])
        answer = client.get(path)
        assert answer.status_code == 200
        return str(answer.content.decode())

    return read


def ask(flow: Flow, by: User, note: str = "") -> VersionReview:
    return ask_review(flow, by=by, note=note, **services.hashes_of_draft(flow, CATALOG))


def change(flow: Flow, by: User, expression: str) -> None:
    nodes = [{**NODE, "config": {"expression": expression}}]
    services.save_draft(flow, {**DOCUMENT, "nodes": nodes}, revision=Draft.objects.get(flow=flow).revision, by=by)


def decide(review: VersionReview, by: User, *, approve: bool = True, note: str = "") -> None:
    decide_review(
        review, approve=approve, content_hash=review.content_hash, content_now=review.content_hash, note=note, by=by
    )


def waits(people: dict[str, User]) -> dict[str, str]:
    fresh = {name: User.objects.get(pk=person.pk) for name, person in people.items()}
    return {name: count for name, one in fresh.items() if (count := waiting_counts(one).reviews)}


def test_a_review_waits_for_reviewers_and_its_decision_for_who_asked(
    flow: Flow, people: dict[str, User], pages: Callable[..., str]
) -> None:
    review = ask(flow, people["analyst"], "Please look")
    assert waits(people) == {"reviewer": "1", "second": "1"}
    listed = pages("reviewer")
    assert "Review the draft of Looked at" in listed and "Please look" in listed
    assert 'href="/flows/looked-at/compare/?after=draft"' in listed
    assert "Review the draft of Looked at" in pages("reviewer", "/")
    assert "for the group reviewer to decide" in pages("analyst"), "who asked sees that it waits"
    assert "No version waits for your review" in pages("admin"), "nobody but reviewers is asked"
    decide(review, people["second"], approve=False, note="Not yet")
    assert waits(people) == {"analyst": "1"}
    assert "Not yet" in pages("analyst") and "Not yet" in pages("analyst", "/")


def test_who_asked_notes_the_decision_and_nobody_else(flow: Flow, people: dict[str, User]) -> None:
    review = ask(flow, people["analyst"])
    path = f"/inbox/reviews/{review.pk}/note/"
    client, other = Client(), Client()
    client.force_login(people["analyst"])
    other.force_login(people["admin"])
    client.post(path)
    assert VersionReview.objects.get().closed_at is None, "there is nothing to note yet"
    decide(review, people["reviewer"])
    assert other.post(path).status_code == 404 and client.get(path).status_code == 405
    assert client.post(path).status_code == 302 and client.post(path).status_code == 302
    assert waits(people) == {}
    assert [one.action for one in AuditEntry.objects.filter(action="review-note")] == ["review-note"]


def test_a_changed_draft_puts_the_request_out_of_date(
    flow: Flow, people: dict[str, User], pages: Callable[..., str]
) -> None:
    ask(flow, people["analyst"])
    change(flow, people["author"], "2")
    assert waits(people) == {}
    assert "Out of date" in pages("reviewer") and "Out of date" in pages("analyst")
    assert "Review the draft" not in pages("reviewer", "/"), "the overview shows what can be done"
    change(flow, people["author"], "1")
    assert waits(people) == {"reviewer": "1", "second": "1"}, "the very content that was asked about"
    change(flow, people["author"], "3")
    ask(flow, people["author"])
    assert waits(people) == {"reviewer": "1", "second": "1"}
    assert "Out of date" not in pages("reviewer"), "the new request takes the old one's place"


def test_the_newest_requests_are_looked_at(
    flow: Flow, people: dict[str, User], pages: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_reviews, "MOST", 1)
    ask(flow, people["analyst"])
    change(flow, people["author"], "2")
    newer = services.create_flow("newer", by=people["analyst"], document={**DOCUMENT, "id": "newer", "name": "Newer"})
    set_reviewer(newer, group="reviewer", by=people["admin"])
    ask(newer, people["analyst"])
    assert waits(people) == {"reviewer": "1", "second": "1"}
    assert "Review the draft of Newer" in pages("reviewer")


def test_what_could_not_be_published_for_a_moment_waits_again(
    flow: Flow, people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> Any:
        raise LanguageError("limit_exceeded", "Not now.")

    ask(flow, people["analyst"])
    waiting_reviews._content_of.cache_clear()
    with monkeypatch.context() as for_now:
        for_now.setattr(waiting_reviews, "installed_catalog", broken)
        assert waits(people) == {}
    assert waits(people) == {"reviewer": "1", "second": "1"}


def test_whoever_changed_the_draft_is_not_asked_and_publishing_ends_it(flow: Flow, people: dict[str, User]) -> None:
    people["author"].groups.add(*people["reviewer"].groups.all())
    change(flow, people["author"], "2")
    review = ask(flow, people["analyst"])
    assert waits(people) == {"reviewer": "1", "second": "1"}
    decide(review, people["reviewer"])
    assert waits(people) == {"analyst": "1"}
    services.publish_version(flow, by=people["analyst"], catalog=CATALOG)
    assert waits(people) == {}


def test_a_flow_that_is_not_theirs_any_more_waits_for_nobody(flow: Flow, people: dict[str, User]) -> None:
    ask(flow, people["analyst"])
    Flow.objects.filter(pk=flow.pk).update(is_restricted=True)
    assert waits(people) == {}


def sent() -> dict[str, Any]:
    return {message.to[0].partition("@")[0]: message for message in mail.outbox}


def rested() -> None:
    mail.outbox.clear()
    MailBox.objects.update(next_at=0)


def test_mails_tell_reviewers_and_who_asked_and_hold_nothing_of_the_draft(flow: Flow, people: dict[str, User]) -> None:
    choose_mail(people["second"], False)
    review = ask(flow, people["analyst"], "A word that is not mailed")
    assert mail_is_due() and send_due_mail() == 1 and not mail_is_due()
    assert sent()["reviewer"].subject == "Review of Looked at waits for you"
    assert "/flows/looked-at/compare/?after=draft" in sent()["reviewer"].body
    assert "not mailed" not in sent()["reviewer"].body
    rested()
    ask(flow, people["analyst"])
    assert send_due_mail() == 0, "told once"
    decide(review, people["reviewer"])
    assert send_due_mail() == 1
    assert sent()["analyst"].subject == "Review of Looked at was approved by reviewer"


def test_what_is_out_of_date_is_not_mailed_and_others_are_told_when_it_is_theirs(
    flow: Flow, people: dict[str, User]
) -> None:
    ask(flow, people["analyst"])
    change(flow, people["author"], "2")
    assert send_due_mail() == 0 and not mail_is_due()
    assert set(ReviewNotice.objects.values_list("dropped", flat=True)) == {True}
    change(flow, people["author"], "1")
    set_reviewer(flow, person="admin", by=people["admin"])
    assert send_due_mail() == 1 and list(sent()) == ["admin"]
    assert waits(people) == {"admin": "1"}


def test_reviewers_are_told_of_a_review_that_is_asked_for_anew_if_they_were_not_told_before(
    flow: Flow, people: dict[str, User]
) -> None:
    ask(flow, people["analyst"])
    change(flow, people["author"], "2")
    assert send_due_mail() == 0, "there was no need to tell them then"
    ask(flow, people["admin"])
    change(flow, people["author"], "1")
    ask(flow, people["analyst"])
    assert send_due_mail() == 2 and set(sent()) == {"reviewer", "second"}
    rested()
    change(flow, people["author"], "2")
    ask(flow, people["analyst"])
    change(flow, people["author"], "1")
    ask(flow, people["analyst"])
    assert send_due_mail() == 0, "told of it once"


def test_who_asks_anew_for_what_somebody_else_has_asked_for_hears_of_the_decision(
    flow: Flow, people: dict[str, User], pages: Callable[..., str]
) -> None:
    ask(flow, people["analyst"], "The first words")
    change(flow, people["author"], "2")
    ask(flow, people["admin"])
    change(flow, people["author"], "1")
    review = ask(flow, people["admin"], "Other words")
    assert "Other words" in pages("reviewer") and "The first words" not in pages("reviewer")
    decide(review, people["reviewer"])
    assert waits(people) == {"admin": "1"}
    change(flow, people["author"], "2")
    ask(flow, people["admin"], "Words of mine")
    assert "Words of mine" in pages("reviewer"), "the same request again, with what is said now"


def test_of_reviews_from_before_only_what_still_waits_for_somebody_is_in_the_inbox(
    flow: Flow, people: dict[str, User]
) -> None:
    published = services.create_flow("published", by=people["analyst"], document={**DOCUMENT, "id": "published"})
    earlier = {"status": "open", "skills_hash": "", "asked_by": people["analyst"]}
    for one, content in ((flow, "superseded"), (flow, "newest"), (published, "published")):
        VersionReview.objects.create(flow=one, content_hash=content, **earlier)
    services.publish_version(published, by=people["analyst"], catalog=CATALOG)
    VersionReview.objects.update(closed_at=None)
    migration = import_module("editor.migrations.0009_reviews_in_the_inbox")
    migration.close_what_waits_for_nobody(apps, None)
    waiting = VersionReview.objects.filter(closed_at__isnull=True)
    assert list(waiting.values_list("content_hash", flat=True)) == ["newest"]
