"""Flows with their versions and runs. Editing and publishing are the editor's."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import OuterRef, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from editor.models import Flow, FlowVersion, VersionReview
from editor.permissions import may_archive
from editor.reviews import may_decide, reviews_of
from editor.visibility import RUN, usable_rights
from runner.models import Run
from runner.models.visibility import is_admin, is_analyst
from runner.views.flow_names import definition_of
from runner.views.pages import page, person, signed_in
from runner.views.runs import run_rows

FLOWS_SHOWN = 200
VERSIONS_SHOWN = 50
RUNS_SHOWN = 20
LATELY = 100
"""Among so many of the newest runs that somebody sees, the latest of each flow is looked for."""


def flow_cards(user: User, limit: int = FLOWS_SHOWN, *, archived: bool = False) -> list[dict[str, Any]]:
    """The flows that this person sees, each with the number of its newest version and its latest run.

    Those in use, or those that were put away.
    """
    rows = Flow.objects.visible_to(user).filter(archived_at__isnull=not archived)
    flows = list(rows.order_by("name", "pk")[:limit])
    latest = _latest_runs(user, flows)
    return [
        {
            "flow": flow,
            "newest": flow.last_number,
            "latest": latest.get(flow.pk),
            "may_run": RUN in usable_rights(user, flow),
        }
        for flow in flows
    ]


def _latest_runs(user: User, flows: list[Flow]) -> dict[str, dict[str, Any]]:
    """The newest run of each flow that this person sees; who does not see all runs of a flow, sees those of late."""
    shown = [flow.pk for flow in flows]
    if is_admin(user) or is_analyst(user):
        of_flow = Run.objects.visible_to(user).filter(flow=OuterRef("pk")).order_by("-started_at", "-pk")
        found = Flow.objects.filter(pk__in=shown).annotate(newest=Subquery(of_flow.values("pk")[:1]))
        newest = dict(found.values_list("pk", "newest"))
    else:
        lately = Run.objects.listed_for(user).order_by("-started_at", "-pk").values_list("flow_id", "pk")[:LATELY]
        newest = dict(reversed(list(lately)))
    keys = [newest[flow] for flow in shown if newest.get(flow)]
    runs = list(Run.objects.filter(pk__in=keys).for_lists().defer("error").order_by())
    return {row["run"].flow_id: row for row in run_rows(runs)}


@signed_in
@require_safe
def flow_list(request: HttpRequest) -> HttpResponse:
    """All flows of this person that are in use, or with `?archived` those that were put away."""
    archived = "archived" in request.GET
    context = {"flows": flow_cards(person(request), archived=archived), "archived": archived}
    return page(request, "flows/list.html", context)


def find_flow(user: User, flow_id: str) -> Flow:
    """A flow that this person may see. Raises Http404."""
    flow = Flow.objects.visible_to(user).filter(pk=flow_id).first()
    if flow is None:
        raise Http404("There is no such flow.")
    return flow


def version_number(text: str) -> int:
    """The number of a version out of an address. Raises Http404 for what is none."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Http404("The flow has no such version.")
    return int(text)


def _review_for(user: User, flow: Flow) -> VersionReview | None:
    """The review that this person is asked for, if there is one."""
    if not flow.needs_review:
        return None
    newest = reviews_of(flow).first()
    return newest if newest is not None and newest.status == "open" and may_decide(newest, user) else None


@signed_in
@require_safe
def flow_page(request: HttpRequest, flow_id: str) -> HttpResponse:
    """One flow: what it does, its versions, its newest runs."""
    user = person(request)
    flow = find_flow(user, flow_id)
    versions = list(
        FlowVersion.objects.filter(flow=flow)
        .published()
        .defer("document")
        .select_related("created_by")
        .order_by("-number")[:VERSIONS_SHOWN]
    )
    newest = FlowVersion.objects.get(pk=versions[0].pk) if versions else None
    runs = Run.objects.listed_for(user).filter(flow=flow).for_lists().defer("error")[:RUNS_SHOWN]
    context = {
        "flow": flow,
        "versions": versions,
        "newest": newest,
        "definition": definition_of(newest) if newest else None,
        "rows": run_rows(list(runs)),
        "may": dict.fromkeys(usable_rights(user, flow), True),
        "may_archive": may_archive(user),
        "review": _review_for(user, flow),
    }
    return page(request, "flows/page.html", context)
