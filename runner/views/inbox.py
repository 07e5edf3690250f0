"""The inbox: what waits for a person, and what was decided. One approval is approval.py's."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from runner.models import Approval, Decision
from runner.serializers.texts import pieces
from runner.serializers.words import actor_words, approval_words, who_decides
from runner.services.approvals import refusal
from runner.views.flow_names import flow_title, version_title
from runner.views.pages import page, person, signed_in
from runner.views.paging import cut

PAGE = 30


def asks(user: Any, approvals: list[Approval]) -> list[dict[str, Any]]:
    """Approvals as lists show them, with the reason where this person may not decide."""
    found = []
    for approval in approvals:
        refused = refusal(user, approval)
        found.append(
            {
                "approval": approval,
                "title": pieces(approval.title or approval.tool or approval.node),
                "words": approval_words(approval),
                "flow": flow_title(approval.run),
                "version": version_title(approval.run.version),
                "who": who_decides(approval.group, approval.assignees),
                "asked_by": actor_words(approval.run.actor),
                "refused": refused.message if refused else "",
            }
        )
    return found


_WITH_RUN = ("run", "run__flow", "run__version", "run__started_by")
_UNREAD = (
    "arguments",
    "form",
    "run__inputs",
    "run__result",
    "run__policy",
    "run__error",
    "run__version__document",
)


@signed_in
@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """Open approvals that this person may see, oldest first: who waits longest comes first."""
    user = person(request)
    rows = Approval.objects.visible_to(user).open().select_related(*_WITH_RUN).defer(*_UNREAD)
    found = cut(rows, request.GET, order=("created_at", "pk"), size=PAGE)
    last = Decision.objects.filter(approval__in=Approval.objects.visible_to(user)).order_by("-at").first()
    context = {
        "tab": "open",
        "asks": asks(user, found.rows),
        "slice": found,
        "last": last,
        "last_by": actor_words(last.actor) if last else "",
    }
    return page(request, "inbox/list.html", context)


@signed_in
@require_safe
def decided(request: HttpRequest) -> HttpResponse:
    """What is not open any more, newest first: decided, expired or withdrawn."""
    user = person(request)
    rows = (
        Approval.objects.visible_to(user)
        .exclude(status="open")
        .select_related("decision", *_WITH_RUN)
        .defer("decision__arguments", "decision__form", *_UNREAD)
    )
    found = cut(rows, request.GET, order=("-created_at", "-pk"), size=PAGE)
    entries = asks(user, found.rows)
    for entry in entries:
        decision = getattr(entry["approval"], "decision", None)
        entry["decision"] = decision
        entry["decided_by"] = actor_words(decision.actor) if decision else ""
    return page(request, "inbox/decided.html", {"tab": "decided", "asks": entries, "slice": found})
