"""Two runs side by side, and the page on which the second one is chosen."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from editor.language.diff import Difference
from runner.engine.comparing import Moment, Row, Visit
from runner.models import Run, StepRun
from runner.models.fields import to_instant
from runner.serializers.words import Words, count_of, duration_words, money_words, run_words
from runner.services.comparisons import RunsCompared, ValueRow, compare_runs, suggestions, values_of
from runner.views.flow_names import flow_title, run_title, version_title
from runner.views.pages import page, person, signed_in
from runner.views.run_values import COVERED
from runner.views.runs import find_run, run_rows, took
from runner.views.steps import written
from runner.views.steps_table import usage_words
from runner.views.values import Shown, shown, shown_of

ROWS = 200
CHANGES = 50
"""So many places of one value in which it differs are listed."""
PARTS_NAMED = 8
_DIFFERS = {
    "missing": "only in one run",
    "input": "input",
    "status": "outcome",
    "output": "output",
    "writes": "written to the state",
    "route": "way on",
}
_STATUS = {
    "running": Words("Running", "running"),
    "waiting": Words("Waiting", "waiting"),
    "succeeded": Words("Succeeded", "succeeded"),
    "failed": Words("Failed", "failed"),
    "canceled": Words("Canceled", "canceled"),
    "skipped": Words("Skipped (disabled)", "skipped"),
}
_VALUES = {"input": "Input", "output": "Output", "delta": "Written to the state"}
_DIFFERENT = ("added", "removed", "changed")
_LISTS = {"nodes": "node", "edges": "edge", "inputs": "input", "presets": "preset", "artifacts": "artifact"}


@signed_in
@require_safe
def choose(request: HttpRequest, run_id: str) -> HttpResponse:
    """Runs to compare this one with; `?with=` is the id of another, or its beginning."""
    user = person(request)
    run = find_run(user, run_id)
    asked = request.GET.get("with", "").strip().lower()
    if asked:
        found = _by_beginning(user, asked)
        if len(found) == 1:
            return redirect("compare-runs", found[0], run.pk)
    offered = suggestions(run, user)
    rows = run_rows([one.run for one in offered])
    context = {
        "run": run,
        "flow": flow_title(run),
        "asked": asked,
        "offered": [{"why": one.why, "row": row} for one, row in zip(offered, rows, strict=True)],
    }
    return page(request, "runs/compare_with.html", context)


def _by_beginning(user: User, text: str) -> list[str]:
    if not 8 <= len(text) <= 32 or set(text) - set("0123456789abcdef"):
        return []
    rows = Run.objects.visible_to(user).filter(pk__gte=text, pk__lt=text + "g").order_by("pk")
    return list(rows.values_list("pk", flat=True)[:2])


@signed_in
@require_safe
def compare_page(request: HttpRequest, run_id: str, other_id: str) -> HttpResponse:
    """What differs between two runs, and where first. `?path=` and `?visit=`: the step whose values are shown;
    `?show=all`: also the steps in which nothing differs."""
    user = person(request)
    compared = compare_runs(find_run(user, run_id), find_run(user, other_id), user)
    show_all = request.GET.get("show") == "all"
    rows = [row for row in compared.steps.rows if show_all or row.differs]
    start = _number(request.GET.get("from", ""))
    chosen = _chosen(request.GET, compared)
    context = {
        "sides": [_side(run) for run in (compared.before, compared.after)],
        "compared": compared,
        "inputs": [_input(compared, row) for row in compared.inputs],
        "given": [row.name for row in compared.inputs if row.kind in _DIFFERENT],
        "versions": _versions(compared),
        "first": _row(request, compared.steps.first, chosen) if compared.steps.first else None,
        "chosen": _row(request, chosen, chosen) if chosen else None,
        "is_first": chosen is not None and chosen == compared.steps.first,
        "values": [_value(one) for one in values_of(compared, chosen)] if chosen else [],
        "rows": [_row(request, row, chosen) for row in rows[start : start + ROWS]],
        "differing": count_of(sum(1 for row in compared.steps.rows if row.differs), "step"),
        "all": len(compared.steps.rows),
        "show_all": show_all,
        "more": _with(request, {"from": str(start + ROWS)}) if len(rows) > start + ROWS else "",
        "to_start": _with(request, {"from": ""}) if start else "",
    }
    return page(request, "runs/compare.html", context)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0


def _with(request: HttpRequest, changed: dict[str, str]) -> str:
    query = {**request.GET.dict(), **changed}
    return "?" + urlencode({name: value for name, value in query.items() if value})


def _chosen(query: QueryDict, compared: RunsCompared) -> Row | None:
    path = query.get("path", "")
    if not path:
        return compared.steps.first
    visit = _number(query.get("visit", "1"))
    found = next((row for row in compared.steps.rows if row.key == (path, visit)), None)
    if found is None:
        raise Http404("Neither run came to such a step.")
    return found


def _side(run: Run) -> dict[str, Any]:
    return {
        "run": run,
        "words": run_words(run),
        "flow": flow_title(run),
        "version": run_title(run),
        "took": took(run),
        "usage": usage_words(run),
    }


def _input(compared: RunsCompared, row: Any) -> dict[str, Any]:
    if row.is_covered:
        sides = [Shown(row.name, masked=COVERED)] * 2
    else:
        absent = Shown(row.name, absent=True)
        before, after = (
            shown(row.name, value, url=reverse("run-value", args=[run.pk, "inputs"]))
            for run, value in ((compared.before, row.before), (compared.after, row.after))
        )
        sides = [absent if row.kind == "added" else before, absent if row.kind == "removed" else after]
    return {"name": row.name, "sides": sides, "differs": row.kind in _DIFFERENT}


def _versions(compared: RunsCompared) -> dict[str, Any]:
    """In words what the versions differ in, with the page that shows it where it is one flow's."""
    before, after = compared.before, compared.after
    if compared.versions is None:
        return {"told": f"Both ran {version_title(before.version)}."}
    if before.flow_id != after.flow_id or before.flow_id is None:
        return {"told": "The runs are of different flows, so steps are matched by their names alone."}
    numbers = (before.version.number, after.version.number)
    url = ""
    if None not in numbers:
        query = urlencode({"before": str(numbers[0]), "after": str(numbers[1])})
        url = f"{reverse('compare-versions', args=[before.flow_id])}?{query}"
    return {"told": _difference(compared.versions), "url": url}


def _difference(found: Difference) -> str:
    told = []
    for name, noun in _LISTS.items():
        for part in found.lists[name].parts[:PARTS_NAMED]:
            told.append(f"{noun} {part.id} {part.kind}")
        left = len(found.lists[name].parts) - PARTS_NAMED
        told += [f"{count_of(left, f'more {noun}')}"] if left > 0 else []
    told += [f"{change.path.strip('/')} {change.kind}" for change in found.top[:PARTS_NAMED]]
    return f"Between the versions: {', '.join(told)}." if told else "The versions differ in their layout only."


def _row(request: HttpRequest, row: Row, chosen: Row | None) -> dict[str, Any]:
    path, visit = row.key
    query = _with(request, {"path": path, "visit": str(visit)})
    return {
        "path": path,
        "visit": visit,
        "sides": [_visit(one) for one in (row.before, row.after)],
        "differs": [_DIFFERS[name] for name in row.differs],
        "names": row.differs,
        "is_covered": row.is_covered,
        "is_open": row.is_open,
        "is_chosen": chosen is not None and row.key == chosen.key,
        "href": f"{query}#values",
    }


def _visit(visit: Visit | None) -> dict[str, Any] | None:
    if visit is None:
        return None
    ran = duration_words(visit.ended_ms - visit.began_ms) if visit.ended_ms and visit.began_ms else ""
    return {
        "words": _STATUS[visit.status],
        "code": (visit.error or {}).get("code", ""),
        "took": ran,
        "cost": money_words(visit.usage.cost_micros) if visit.usage.cost_micros else "",
        "attempts": visit.attempts,
        "route": [target or f"ended on {on}" for on, target in visit.route],
        "began": to_instant(visit.began_ms) if visit.began_ms else None,
        "href": _at(visit.at, visit.node),
        "seq": visit.at.seq,
    }


def _at(moment: Moment, node: str) -> str:
    return f"{reverse('run', args=[moment.run])}?{urlencode({'node': node, 'seq': moment.seq})}"


def _value(value: ValueRow) -> dict[str, Any]:
    label = _VALUES[value.name]
    return {
        "label": label,
        "sides": [_shown(value, step, label) for step in (value.before, value.after)],
        "changes": [
            {
                "path": change.path,
                "sides": [
                    shown("", change.before) if change.kind != "added" else Shown("", absent=True),
                    shown("", change.after) if change.kind != "removed" else Shown("", absent=True),
                ],
            }
            for change in value.changes[:CHANGES]
            if change.path  # else the whole values, which stand above
        ],
        "differs": bool(value.changes),
        "more": max(0, len(value.changes) - CHANGES),
        "is_large": value.is_large,
        "is_covered": value.is_covered,
    }


def _shown(value: ValueRow, step: StepRun | None, label: str) -> Shown:
    if value.is_covered:
        return Shown(label, masked=COVERED)
    if step is None:
        return Shown(label, absent=True)
    url = reverse("step-value", args=[step.run_id, step.pk, value.name])
    return shown_of(step, value.name, label, url, told=written if value.name == "delta" else None)
