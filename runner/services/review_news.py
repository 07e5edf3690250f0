"""Telling people of reviews before publish: the inbox at once, and by e-mail who is to review and who has asked.

Who is to be told is written down in the transaction of what they are told of; mail.py sends it. A mail names the flow
and what was asked or decided, never what the draft holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse

from editor.models import VersionReview
from editor.waiting_reviews import asked_by, asked_of, reviewers
from runner import streaming
from runner.models import ReviewNotice
from runner.store.routings import add_review_notices

MOST_PEOPLE = 200
"""So many people are told of one review at most."""


def heard(review: VersionReview | None, kind: str, **_: Any) -> None:
    """A review was asked, decided or closed: listens to `editor.signals.review_moved`, inside the transaction."""
    transaction.on_commit(streaming.publish_inbox, robust=True)
    if review is None or kind not in ReviewNotice.Kind.values or not settings.APPROVALS["MAIL"]:
        return
    people = reviewers(review)[:MOST_PEOPLE] if kind == ReviewNotice.Kind.ASKED else [review.asked_by]
    add_review_notices(review, kind, [one.pk for one in people if one is not None and one.email])


def unsent() -> QuerySet[ReviewNotice]:
    """What nobody has been told yet."""
    return ReviewNotice.objects.filter(sent_at__isnull=True, dropped=False)


def unsent_of(person: User, limit: int) -> list[ReviewNotice]:
    """What one person is to be told, the oldest first."""
    return list(
        unsent().filter(person=person).select_related("review__flow", "review__decided_by").order_by("pk")[:limit]
    )


def still_of_use(person: User, notices: Sequence[ReviewNotice]) -> list[ReviewNotice]:
    """Of these, those of reviews that wait for this person still, and of decisions that they have not noted."""
    if not notices:
        return []
    asked = {one.pk for one in asked_of(person) if one.current}  # type: ignore[attr-defined]
    decided = {one.pk for one in asked_by(person) if one.status != VersionReview.Status.OPEN}
    wanted = {ReviewNotice.Kind.ASKED: asked, ReviewNotice.Kind.DECIDED: decided}
    return [one for one in notices if one.review_id in wanted[ReviewNotice.Kind(one.kind)]]


def subject_of(notice: ReviewNotice) -> str:
    """The subject of a mail about this alone."""
    return f"Review of {_flow(notice)} {_why(notice)}"


def line_of(notice: ReviewNotice) -> str:
    """What a mail says of it, with the page that shows it."""
    compare = reverse("compare-versions", args=[notice.review.flow_id]) + "?after=draft"
    path = compare if notice.kind == ReviewNotice.Kind.ASKED else reverse("inbox-reviews")
    return f"The review of the draft of {_flow(notice)} {_why(notice)}.\n{settings.SITE_URL}{path}"


def _flow(notice: ReviewNotice) -> str:
    return " ".join((notice.review.flow.name or notice.review.flow_id).split())


def _why(notice: ReviewNotice) -> str:
    if notice.kind == ReviewNotice.Kind.ASKED:
        return "waits for you"
    by = notice.review.decided_by
    return f"was {notice.review.status} by {by.get_username() if by is not None else 'somebody'}"
