"""Pages for whoever looks after the site: the incident switch, and what stands still; and the line on every page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from editor.models import Flow
from editor.visibility import GROUPS, is_one_of
from runner.catalog import CATALOG
from runner.engine.errors import RunError
from runner.models import Stop
from runner.permissions import may_operate
from runner.serializers.words import duration_words
from runner.services.stops import LONGEST_TEXT, release, stop
from runner.services.stuck import HOUR_MS, find_stuck
from runner.views.pages import page, person, signed_in

PAST_SHOWN = 50
STILL = ((1, "an hour"), (24, "a day"), (168, "a week"))
"""Hours without an event that the page offers."""


def stops_on_pages(request: HttpRequest) -> dict[str, Callable[[], list[Stop]]]:
    """For every template: `active_stops`, which asks the database where a page shows it. A context processor."""

    def active_stops() -> list[Stop]:
        user = getattr(request, "user", None)
        if user is None or not user.is_authenticated:
            return []
        return list(Stop.objects.visible_to(user).active().order_by("pk"))

    return {"active_stops": active_stops}


class StopForm(forms.Form):
    """What is to be stopped, and why."""

    what = forms.ChoiceField(label="Stop", help_text="Runs of a flow, or calls of a tool, or everything at once.")
    reason = forms.CharField(
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Shown on every page and on the page of each run that waits for it.",
    )

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        flows = Flow.objects.visible_to(user).in_use().order_by("name", "pk").values_list("pk", "name")
        tools = sorted(tool.name for tool in CATALOG.tools())
        field = self.fields["what"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            ("", "Choose what to stop"),
            ("all:", "Everything: no run starts, and none goes on"),
            ("One flow", [(f"flow:{pk}", name or pk) for pk, name in flows]),
            ("One tool", [(f"tool:{name}", name) for name in tools]),
        ]


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def stops(request: HttpRequest) -> HttpResponse:
    """What is stopped now, what was, and a form that stops."""
    demand_operator(request)
    form = StopForm(request.POST if request.method == "POST" else None, user=request.user)
    if request.method == "POST" and form.is_valid() and _stop(request, form):
        return redirect("stops")
    rows = Stop.objects.visible_to(request.user)
    context = {
        "form": form,
        "active": rows.active().order_by("-pk"),
        "past": rows.filter(released_at__isnull=False).order_by("-released_at", "-pk")[:PAST_SHOWN],
    }
    return page(request, "operations/stops.html", context, status=400 if request.method == "POST" else 200)


def _stop(request: HttpRequest, form: StopForm) -> bool:
    scope, _, target = form.cleaned_data["what"].partition(":")
    try:
        made = stop(scope, target, reason=form.cleaned_data["reason"], user=person(request))
    except RunError as error:
        form.add_error(None, error.message)
        return False
    messages.success(request, f"Stopped: {made.what}. Steps that run now go on to their end.")
    return True


@signed_in
@require_POST
def release_stop(request: HttpRequest, stop_id: int) -> HttpResponse:
    """Let go on what a stop holds back."""
    demand_operator(request)
    try:
        released = release(stop_id, note=request.POST.get("note", ""), user=person(request))
    except RunError as error:
        if error.code == "not_found":
            raise Http404(error.message) from None
        messages.error(request, error.message)
    else:
        messages.success(request, f"Released: {released.what}. What it held back goes on by itself.")
    return redirect("stops")


@signed_in
@require_safe
def stuck(request: HttpRequest) -> HttpResponse:
    """What stands still, and what to do about it. `?hours`: how long a run must have stood still."""
    demand_operator(request)
    offered = {str(hours) for hours, _ in STILL}
    wanted = request.GET.get("hours", "")
    hours = int(wanted) if wanted in offered else 1
    report = find_stuck(person(request), still_ms=hours * HOUR_MS)
    context = {
        "report": report,
        "hours": hours,
        "choices": STILL,
        "sections": [
            {"section": one, "rows": [(row, duration_words(row.age_ms)) for row in one.rows]} for one in report.sections
        ],
        "processes": [(one, duration_words(one.age_ms)) for one in report.processes],
    }
    return page(request, "operations/stuck.html", context)


def demand_operator(request: HttpRequest) -> None:
    """Raise Http404 for whoever does not work on this site, PermissionDenied for whoever does not look after it."""
    if not is_one_of(request.user, *GROUPS):
        raise Http404("There is no such page.")
    if not may_operate(request.user):
        raise PermissionDenied("Admins look after the site. Ask one of them.")
