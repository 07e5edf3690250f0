"""The inbox: what waits for a person, what waits for others, and what was decided. One approval is approval.py's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from runner.catalog import CATALOG
from runner.deciding import has_approved, refusal, waiting_counts, waiting_for
from runner.models import Approval, Decision
from runner.serializers.texts import pieces
from runner.serializers.words import actor_words, approval_words, count_of, who_decides
from runner.views.flow_names import flow_title, run_title
from runner.views.pages import page, person, signed_in
from runner.views.paging import Slice, cut

PAGE = 30
LAST_DECISIONS = 200
"""Among so many of the newest decisions the last one of a person's approvals is looked for."""
WITH_RUN = ("run", "run__flow", "run__version", "run__started_by", "delegate")
UNREAD = (
    "arguments", "offer", "form", "reasons", "instructions", "run__inputs", "run__result", "run__policy", "run__error",
    "run__flow_test", "run__given_ends", "run__snapshot", "run__version__document",
)  # fmt: skip
"""Columns that lists do not read: they may be long."""
_RISKS = {
    "at_most_once": ("Cannot be repeated", "This call is made at most once: nobody can take it back or try it again."),
}


def asks(user: Any, approvals: Sequence[Approval]) -> list[dict[str, Any]]:
    """Approvals as lists show them, with the reason where this person may not decide."""
    decided = _decided_before(approvals)
    return [_ask(user, approval, decided.get(approval.run_id, 0)) for approval in approvals]


def _ask(user: Any, approval: Approval, decided: int) -> dict[str, Any]:
    refused = refusal(user, approval)
    tool = CATALOG.tool(approval.tool) if approval.tool else None
    return {
        "approval": approval,
        "title": pieces(approval.title or approval.tool or approval.node),
        "words": approval_words(approval),
        "flow": flow_title(approval.run),
        "version": run_title(approval.run),
        "who": who_decides(approval.group, approval.assignees),
        "asked_by": actor_words(approval.run.actor),
        "risk": _RISKS.get(tool.effect) if tool else None,
        "before": f"{count_of(decided, 'decision')} in this run before" if decided else "",
        "refused": refused.message if refused else "",
        "several": _several_words(user, approval),
        "handed": _handed_words(user, approval),
    }


def _handed_words(user: Any, approval: Approval) -> str:
    if approval.delegate is None:
        return ""
    return "handed to you" if approval.delegate == user else f"handed to {approval.delegate.get_username()}"


def _several_words(user: Any, approval: Approval) -> str:
    if approval.needed == 1:
        return ""
    yours = ", one of them yours" if has_approved(user, approval) else ""
    return f"{len(approval.approved_by)} of {approval.needed} approvals{yours}"


def _decided_before(approvals: Sequence[Approval]) -> dict[str, int]:
    """How many approvals of each run were approved or rejected so far. One query for all."""
    runs = {approval.run_id for approval in approvals}
    counted = Approval.objects.filter(run__in=runs).values("run_id").order_by()
    return dict(
        counted.annotate(decided=Count("pk", filter=Q(status__in=("approved", "rejected")))).values_list(
            "run_id", "decided"
        )
    )


@signed_in
@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """Open approvals that this person may decide: what expires first comes first."""
    return _open_ones(request, "mine")


@signed_in
@require_safe
def team(request: HttpRequest) -> HttpResponse:
    """All open approvals that this person sees, whoever decides them."""
    return _open_ones(request, "team")


def _open_ones(request: HttpRequest, tab: str) -> HttpResponse:
    user = person(request)
    open_ones = waiting_for(user) if tab == "mine" else Approval.objects.visible_to(user).open()
    rows = open_ones.with_deadline()
    rows = rows.select_related("decision", *WITH_RUN).defer(*UNREAD)
    order = ("deadline", "pk")
    found: Slice[Approval] = cut(rows, request.GET, order=order, size=PAGE, places=Approval.objects.with_deadline())
    context = {"tab": tab, "asks": asks(user, found.rows), "slice": found}
    if not found.rows:
        context |= _nothing_waits(user, tab)
    return page(request, "inbox/list.html", context)


def _nothing_waits(user: User, tab: str) -> dict[str, Any]:
    """What an empty inbox can still tell: the last decision, and whether others have something to decide."""
    visible = Approval.objects.visible_to(user)
    newest = Decision.objects.order_by("-pk").values("pk")[:LAST_DECISIONS]
    last = (
        Decision.objects.filter(pk__in=list(newest.values_list("pk", flat=True)), approval__in=visible)
        .defer("arguments", "form")
        .order_by("-pk")
        .first()
    )
    return {
        "last": last,
        "last_by": actor_words(last.actor) if last else "",
        "others": tab == "mine" and visible.open().exists(),
    }


@signed_in
@require_safe
def decided(request: HttpRequest) -> HttpResponse:
    """What is not open any more, newest first: decided, expired or withdrawn."""
    user = person(request)
    rows = (
        Approval.objects.listed_for(user)
        .exclude(status="open")
        .select_related("decision", *WITH_RUN)
        .defer("decision__arguments", "decision__form", *UNREAD)
    )
    found = cut(rows, request.GET, order=("-created_at", "-pk"), size=PAGE)
    entries = asks(user, found.rows)
    for entry in entries:
        decision = getattr(entry["approval"], "decision", None)
        entry["decision"] = decision
        entry["decided_by"] = actor_words(decision.actor) if decision else ""
        entry["before"] = ""
    return page(request, "inbox/decided.html", {"tab": "decided", "asks": entries, "slice": found})


@signed_in
@require_safe
def count(request: HttpRequest) -> JsonResponse:
    """How much waits for this person, for a page whose socket cannot be opened."""
    return JsonResponse(asdict(waiting_counts(person(request))))
