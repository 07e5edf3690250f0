"""Comments beside a draft, and reviews that a version needs before it is published."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from editor import services
from editor.comments import add_comment, comments_of, resolve_comment
from editor.installed import installed_catalog
from editor.language.errors import LanguageError
from editor.models import AuditEntry, Draft, Flow, VersionReview
from editor.reviews import ask_review, decide_review, set_reviewer
from tests.integration.api.conftest import Program, new_client
from tests.support.flows import make_people

DOCUMENT: dict[str, Any] = {
    "format": 1,
    "id": "spoken",
    "nodes": [{"id": "a", "name": "First", "type": "evaluator", "config": {"expression": "1"}}],
}


@pytest.fixture
def people(db: None) -> dict[str, User]:
    return make_people()


@pytest.fixture
def flow(people: dict[str, User]) -> Flow:
    return services.create_flow("spoken", by=people["analyst"], document=DOCUMENT)


def refused(code: str) -> Any:
    return pytest.raises(LanguageError, check=lambda error: error.code == code)


def acts() -> list[str]:
    return list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))


def test_a_comment_stays_when_its_node_is_gone(flow: Flow, people: dict[str, User]):
    said = add_comment(flow, node="a", text=" Why 1? ", by=people["reviewer"])
    with refused("not_found"):
        add_comment(flow, node="b", text="?", by=people["reviewer"])
    with refused("validation_failed"):
        add_comment(flow, node="a", text=" \n", by=people["reviewer"])
    services.save_draft(flow, {**DOCUMENT, "nodes": []}, revision=1, by=people["analyst"])
    (kept,) = comments_of(flow)
    assert (kept.node, kept.node_name, kept.text, kept.author) == ("a", "First", "Why 1?", people["reviewer"])
    done = resolve_comment(said, resolved=True, by=people["analyst"])
    assert done.resolved_by == people["analyst"] and done.resolved_at is not None
    resolve_comment(said, resolved=True, by=people["admin"])
    assert resolve_comment(said, resolved=False, by=people["admin"]).resolved_at is None
    assert acts()[-3:] == ["comment-add", "comment-resolve", "comment-reopen"]


def publish(flow: Flow, people: dict[str, User]) -> int:
    return int(services.publish_version(flow, by=people["analyst"], catalog=installed_catalog()).number or 0)


def ask(flow: Flow, people: dict[str, User]) -> VersionReview:
    return ask_review(flow, by=people["analyst"], **services.hashes_of_draft(flow, installed_catalog()))


def decide(
    review: VersionReview, by: User, *, approve: bool = True, looked_at: str | None = None, note: str = ""
) -> None:
    """Decide a review whose draft has not changed since; `looked_at`: another content than it is about."""
    now = review.content_hash
    decide_review(review, approve=approve, content_hash=looked_at or now, content_now=now, note=note, by=by)


def change(flow: Flow, people: dict[str, User], expression: str) -> None:
    nodes = [{**DOCUMENT["nodes"][0], "config": {"expression": expression}}]
    revision = Draft.objects.get(flow=flow).revision
    services.save_draft(flow, {**DOCUMENT, "nodes": nodes}, revision=revision, by=people["analyst"])


def test_a_version_is_published_once_its_content_is_approved(flow: Flow, people: dict[str, User]):
    with refused("validation_failed"):
        ask(flow, people)
    set_reviewer(flow, group="reviewer", by=people["admin"])
    with refused("review_required"):
        publish(flow, people)
    review = ask(flow, people)
    assert ask(flow, people).pk == review.pk, "asked once, however often"
    for name in ("analyst", "admin", "outsider"):
        with refused("permission_denied"):
            decide(review, people[name])
    with refused("review_void"):
        decide(review, people["reviewer"], looked_at="v1:other")
    with refused("validation_failed"):
        decide(review, people["reviewer"], approve=False)
    decide(review, people["reviewer"], note="Fine")
    with refused("review_decided"):
        decide(review, people["reviewer"], approve=False, note="No")
    change(flow, people, "2")
    with refused("review_required"):
        publish(flow, people)
    change(flow, people, "1")
    assert publish(flow, people) == 1, "the same content as was approved"
    assert [act for act in acts() if "review" in act] == ["flow-review-setting", "review-ask", "review-approve"]


def test_what_was_declined_last_is_not_published_and_nobody_approves_their_own(flow: Flow, people: dict[str, User]):
    people["analyst"].groups.add(*people["reviewer"].groups.all())
    set_reviewer(flow, group="reviewer", by=people["admin"])
    review = ask(flow, people)
    with refused("permission_denied"):
        decide(review, people["analyst"])
    asked_by_other = ask_review(flow, content_hash="v1:1", skills_hash="", by=people["admin"])
    with refused("permission_denied"):
        decide(asked_by_other, people["analyst"])
    decide(review, people["reviewer"], approve=False, note="Not yet")
    with refused("review_required"):
        publish(flow, people)
    set_reviewer(flow, by=people["admin"])
    assert publish(flow, people) == 1


def test_a_reviewer_who_is_gone_approves_nothing(flow: Flow, people: dict[str, User]):
    with refused("validation_failed"):
        set_reviewer(flow, person="nobody", by=people["admin"])
    set_reviewer(flow, person="reviewer", by=people["admin"])
    people["reviewer"].delete()
    with refused("review_required"):
        publish(flow, people)
    assert json.loads(Draft.objects.get(flow=flow).document)["id"] == "spoken"


def test_a_review_of_what_the_draft_was_is_declined_but_not_approved(flow: Flow, people: dict[str, User]):
    set_reviewer(flow, group="reviewer", by=people["admin"])
    review = ask(flow, people)
    change(flow, people, "2")
    client = new_client()
    client.force_login(people["reviewer"])
    path = f"flows/{flow.pk}/reviews/{review.pk}/decision/"
    refused_it = Program(client).post(path, {"approve": True, "content_hash": review.content_hash})
    assert (refused_it.status_code, refused_it.json()["code"]) == (409, "review_void")
    assert "ask for another." in refused_it.json()["message"]
    change(flow, people, "1")
    assert Program(client).post(path, {"approve": True, "content_hash": review.content_hash}).status_code == 200
    change(flow, people, "3")
    review = ask(flow, people)
    change(flow, people, "4")
    body = {"approve": False, "content_hash": review.content_hash, "note": "No"}
    path = f"flows/{flow.pk}/reviews/{review.pk}/decision/"
    assert Program(client).post(path, body).json()["status"] == "declined"
