"""The list of runs: filters, counts, saved views, and what a page that stays open asks for when runs have changed."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from editor.models import Flow, FlowVersion
from runner.engine.errors import RunError
from runner.models import Run, RunQuerySet
from runner.models.saved_views import SavedView
from runner.services.run_filters import ORDER, Counts, Narrowed, count_by_status, narrow
from runner.services.saved_views import remove_view, save_view
from runner.views.flow_names import definition_of
from runner.views.pages import page, person, signed_in
from runner.views.paging import Slice, before, cut
from runner.views.run_filter_form import STATUS_WORDS, RunFilterForm
from runner.views.runs import run_rows

PAGE = 30
FLOWS_OFFERED = 200
NEW_COUNTED = 99
"""So many new runs are counted; more are "99+"."""
_GO_TOGETHER = {"input": ("value",), "flow": ("version",)}
"""What makes no sense without a filter goes with it."""
_FURTHER = ("version", "preset", "since", "until", "input", "value", "error", "parent_run", "forked_from")


@signed_in
@require_safe
def run_list(request: HttpRequest) -> HttpResponse:
    """The runs a person sees, newest first. The address holds all filters."""
    user = person(request)
    form = RunFilterForm(request.GET)
    found = _found(user, form)
    shown = cut(found.rows, request.GET, order=ORDER, size=PAGE, seek=found.seek) if found else Slice[Run]([])
    query = form.query()
    flow = Flow.objects.visible_to(user).filter(pk=form.given.get("flow", "")).first()
    context = {
        "form": form,
        "query": query,
        "rows": run_rows(shown.rows),
        "slice": shown,
        "is_first": "after" not in request.GET,
        "flows": Flow.objects.visible_to(user).order_by("name", "pk")[:FLOWS_OFFERED],
        "flow": flow,
        "statuses": _statuses(user, form),
        "set": [
            {"told": told, "without": form.query(**dict.fromkeys((name, *_GO_TOGETHER.get(name, ())), ""))}
            for name, told in form.in_words()
        ],
        "further": any(name in form.given for name in _FURTHER),
        "views": SavedView.objects.of(user),
        **_offers(flow),
    }
    return page(request, "runs/list.html", context)


def _visible(user: User) -> RunQuerySet:
    return Run.objects.listed_for(user).for_lists().defer("error")


def _found(user: User, form: RunFilterForm) -> Narrowed | None:
    wanted = form.wanted()
    return None if wanted is None else narrow(_visible(user), wanted)


def _statuses(user: User, form: RunFilterForm) -> list[dict[str, Any]]:
    """Each status with how many runs there are, and the address that shows them."""
    wanted = form.wanted()
    counts = count_by_status(user, wanted) if wanted else Counts(0, {}, is_all=True)
    chosen = form.given.get("status", "")
    total = {"value": "", "label": "All", "mark": "", "count": _number(counts.total, counts)}
    found = [total]
    for value, (label, mark) in STATUS_WORDS.items():
        count = _number(counts.by_status.get(value, 0), counts, value)
        found.append({"value": value, "label": label, "mark": mark, "count": count})
    return [{**one, "query": form.query(status=str(one["value"])), "chosen": one["value"] == chosen} for one in found]


def _number(number: int, counts: Counts, status: str = "") -> str:
    return f"{min(number, counts.bound):,}{'+' if counts.at_least(status) else ''}"


def _offers(flow: Flow | None) -> dict[str, list[str]]:
    """Names that the fields offer: presets and inputs of a flow's newest version."""
    newest = FlowVersion.objects.filter(flow=flow).published().order_by("-number").first() if flow else None
    if newest is None:
        return {"presets": [], "inputs": []}
    definition = definition_of(newest)
    return {
        "presets": [preset.id for preset in definition.presets],
        "inputs": [one.name for one in definition.inputs if not one.sensitive],
    }


@signed_in
@require_safe
def news(request: HttpRequest) -> HttpResponse:
    """Parts of a list that is open: the rows it shows (`?rows=`, ids) as they are now, the counts, and how many fitting
    runs are newer than the first of it (`?first=`)."""
    user = person(request)
    form = RunFilterForm(request.GET)
    ids = [one for one in request.GET.get("rows", "").split(".") if one.isalnum() and len(one) <= 32][:PAGE]
    rows = list(Run.objects.visible_to(user).filter(pk__in=ids).for_lists().defer("error")) if ids else []
    found = _found(user, form)
    newer = 0
    if found is not None and "first" in request.GET:
        ahead = before(found.rows, request.GET["first"], order=ORDER, seek=found.seek)
        newer = ahead.order_by().values("pk")[: NEW_COUNTED + 1].count()
    context = {
        "rows": run_rows(rows),
        "statuses": _statuses(user, form),
        "newer": f"{min(newer, NEW_COUNTED)}{'+' if newer > NEW_COUNTED else ''}" if newer else "",
        "one": newer == 1,
    }
    return render(request, "runs/news.html", context)


@signed_in
@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Keep the filters of the list (`query`) under a name."""
    query = RunFilterForm(QueryDict(request.POST.get("query", ""))).query()
    try:
        view = save_view(person(request), request.POST.get("name", ""), query)
    except RunError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, f"The view “{view.name}” is saved. Its address shows the same to others.")
    return redirect(f"{reverse('runs')}?{query}" if query else "runs")


@signed_in
@require_POST
def remove(request: HttpRequest, view_id: int) -> HttpResponse:
    """Forget a view."""
    try:
        name = remove_view(person(request), view_id)
    except RunError as error:
        raise Http404(error.message) from None
    messages.success(request, f"The view “{name}” is removed.")
    return redirect("runs")
