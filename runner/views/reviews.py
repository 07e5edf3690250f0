"""The tab of the inbox for reviews before publish: which versions wait for a person, and what became of those they
asked for. A version is looked at, approved and declined on the page that compares."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST, require_safe

from editor.language.errors import LanguageError
from editor.models import VersionReview
from editor.reviews import note_decision, reviewer_of
from editor.waiting_reviews import asked_by, asked_of
from runner.serializers.words import Words
from runner.views.pages import page, person, signed_in

_WORDS = {
    "open": Words("Waits for a review", "approval"),
    "approved": Words("Approved", "succeeded"),
    "declined": Words("Declined", "failed"),
    "outdated": Words("Out of date", "warned"),
}


def review_lists(user: Any) -> dict[str, Any]:
    """The reviews that wait for a person, and those that they asked for, as lists show them."""
    return {
        "reviews": [_shown(one) for one in asked_of(user)],
        "requests": [_shown(one) for one in asked_by(user)],
    }


def _shown(review: VersionReview) -> dict[str, Any]:
    current: bool = review.current  # type: ignore[attr-defined]
    status = review.status if current or review.status != VersionReview.Status.OPEN else "outdated"
    who = reviewer_of(review.flow)
    named = who["person"] or (f"the group {who['group']}" if who["group"] else "nobody any more")
    return {"review": review, "words": _WORDS[status], "current": current, "who": named}


@signed_in
@require_safe
def reviews(request: HttpRequest) -> HttpResponse:
    """Versions that wait for this person's review, and the reviews that they asked for."""
    return page(request, "inbox/reviews.html", {"tab": "reviews", **review_lists(person(request))})


@signed_in
@require_POST
def note(request: HttpRequest, review_id: int) -> HttpResponse:
    """Who asked has noted how a review was decided."""
    user = person(request)
    review = get_object_or_404(VersionReview, pk=review_id, asked_by=user)
    try:
        note_decision(review, by=user)
    except LanguageError as error:
        messages.error(request, error.message)
    return redirect("inbox-reviews")
