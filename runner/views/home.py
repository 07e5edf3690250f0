"""The first page: what waits for this person, the runs they look at most likely, the flows to start."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from runner.models import Approval, Run
from runner.views.flows import flow_cards
from runner.views.inbox import UNREAD, WITH_RUN, asks
from runner.views.pages import page, person, signed_in
from runner.views.reviews import review_lists
from runner.views.runs import run_rows

SHOWN = 5


@signed_in
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """A short overview."""
    user = person(request)
    open_ones = (
        Approval.objects.visible_to(user)
        .open()
        .select_related("decision", *WITH_RUN)
        .defer(*UNREAD)
        .order_by("created_at", "pk")[:SHOWN]
    )
    runs = Run.objects.listed_for(user).for_lists().defer("error")[:SHOWN]
    waiting = review_lists(user)
    context = {
        "reviews": [one for one in waiting["reviews"] if one["current"]][:SHOWN],
        "decided_requests": [one for one in waiting["requests"] if one["review"].status != "open"][:SHOWN],
        "asks": asks(user, list(open_ones)),
        "rows": run_rows(list(runs)),
        "flows": flow_cards(user, limit=SHOWN),
    }
    return page(request, "home.html", context)
