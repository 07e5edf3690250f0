"""Endpoints of reviews before publish: who has to approve, asking for a review, deciding it."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from editor import services
from editor.api.base import ApiView, body_of, find_flow
from editor.api.documenting import describe
from editor.api.paging import PageQuery, PageShape, page_of
from editor.installed import installed_catalog
from editor.language.errors import LanguageError
from editor.models import Flow, VersionReview
from editor.permissions import demand_right
from editor.reviews import ask_review, decide_review, may_decide, reviewer_of, reviews_of, set_reviewer
from editor.serializers.reviews import (
    ReviewDecision,
    ReviewGiven,
    ReviewSettingGiven,
    ReviewSettingShape,
    ReviewShape,
)
from editor.visibility import PUBLISH, SHARE


class ReviewPage(PageShape):
    """Reviews, the newest first."""

    items = ReviewShape(many=True)


class ReviewSetting(ApiView):
    """Who has to approve a version before it is published."""

    scopes: ClassVar = {"PUT": "admin"}

    @describe("review_setting_read", "Read who approves versions", answers=ReviewSettingShape)
    def get(self, request: Request, flow_id: str) -> Response:
        """A person, a group, or nobody."""
        return Response(_setting(find_flow(request.user, flow_id)))

    @describe("review_setting_save", "Say who approves versions", body=ReviewSettingGiven, answers=ReviewSettingShape)
    def put(self, request: Request, flow_id: str) -> Response:
        """Nobody named: versions need no review. For the owner and admins."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, SHARE, flow)
        set_reviewer(flow, by=request.user, **body_of(request, ReviewSettingGiven))
        return Response(_setting(flow))


class Reviews(ApiView):
    """The reviews of a flow's draft."""

    scopes: ClassVar = {"POST": "edit"}

    @describe("reviews_list", "List reviews", query=PageQuery, answers=ReviewPage)
    def get(self, request: Request, flow_id: str) -> Response:
        """The newest first; those of a draft that has changed since are not `current`."""
        flow = find_flow(request.user, flow_id)
        page = page_of(reviews_of(flow), self.asked, order=("-id",))
        now = _content_now(flow) if page.items else ""
        return Response({"next": page.next, "items": [_shown(row, request.user, now) for row in page.items]})

    @describe(
        "reviews_ask",
        "Ask for a review",
        body=ReviewGiven,
        status=201,
        answers=ReviewShape,
        errors={
            400: "The draft has errors (`flow_invalid`), or the flow needs no review (`validation_failed`).",
            409: "The draft has another revision than the one that was sent (`revision_conflict`).",
        },
    )
    def post(self, request: Request, flow_id: str) -> Response:
        """Of the draft as it is now. Asking again for the same content gives the review that is open."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, PUBLISH, flow)
        given = body_of(request, ReviewGiven)
        hashes = services.hashes_of_draft(flow, installed_catalog(), given.get("revision"))
        row = ask_review(flow, note=given.get("note", ""), by=request.user, **hashes)
        return Response(_shown(row, request.user, hashes["content_hash"]), status=201)


class DecisionOfReview(ApiView):
    """The decision about one review."""

    scopes: ClassVar = {"POST": "edit"}

    @describe(
        "review_decide",
        "Decide a review",
        body=ReviewDecision,
        answers=ReviewShape,
        errors={
            409: "It has been decided (`review_decided`); or is about another content than was looked at, or than the "
            "draft has that would be approved (`review_void`)."
        },
    )
    def post(self, request: Request, flow_id: str, review_id: int) -> Response:
        """Approve or decline, once. Nobody decides about their own work. What the draft was before it was changed can
        be declined, but not approved."""
        flow = find_flow(request.user, flow_id)
        row = reviews_of(flow).filter(pk=review_id).first()
        if row is None:
            raise NotFound(f"The flow {flow.pk!r} has no review {review_id}.")
        given, now = body_of(request, ReviewDecision), _content_now(flow)
        decided = decide_review(row, by=request.user, content_now=now, **given)
        return Response(_shown(decided, request.user, now))


def _setting(flow: Flow) -> dict[str, Any]:
    return {"needed": flow.needs_review, **reviewer_of(flow)}


def _content_now(flow: Flow) -> str:
    """The hash of the draft as it is; empty where nothing could be published."""
    try:
        return services.hashes_of_draft(flow, installed_catalog())["content_hash"]
    except LanguageError:
        return ""


def _shown(row: VersionReview, user: Any, now: str) -> dict[str, Any]:
    row.current = row.content_hash == now  # type: ignore[attr-defined]
    row.yours = row.status == VersionReview.Status.OPEN and may_decide(row, user)  # type: ignore[attr-defined]
    shown: dict[str, Any] = ReviewShape(row).data
    return shown
