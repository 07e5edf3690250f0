"""The page of one run, and the parts of it that a live page asks for again."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from editor.visibility import EDIT, usable_rights
from runner.engine.rows import CONTAINER_TYPES
from runner.engine.statuses import RunStatus
from runner.models import Approval, Artifact, Run, StepRun, to_ms
from runner.permissions import may_control_run
from runner.serializers.texts import pieces
from runner.serializers.words import approval_words, duration_words, money_words, run_words, size_words
from runner.store.clock import now_ms
from runner.views.flow_names import fitting_versions, flow_title, run_title
from runner.views.pages import page, person, signed_in
from runner.views.run_values import run_values
from runner.views.steps_table import SORTED_BY_TIME, attempts, usage_words
from runner.views.waiting import waits_of

EVENTS_AT_FIRST = 200
"""How many of the newest events a page asks its socket for; earlier ones come on demand."""
ARTIFACTS_SHOWN = 100
FORKS_SHOWN = 10
_MOVABLE = (RunStatus.PAUSED, RunStatus.AWAITING_APPROVAL, RunStatus.FAILED)


def run_rows(runs: list[Run]) -> list[dict[str, Any]]:
    """Runs as lists show them: status in honest words, flow, version, time taken."""
    return [
        {
            "run": run,
            "words": run_words(run),
            "flow": flow_title(run),
            "version": run_title(run),
            "took": took(run),
            "cost": money_words(run.cost_micros) if run.cost_micros else "",
        }
        for run in runs
    ]


def took(run: Run) -> str:
    """How long an ended run took."""
    return duration_words(to_ms(run.ended_at) - to_ms(run.started_at)) if run.ended_at else ""


def find_run(user: User, run_id: str) -> Run:
    """A run that this person may see. Raises Http404 for every other, there or not."""
    rows = Run.objects.visible_to(user).select_related("flow", "version", "started_by").defer("snapshot")
    run = rows.filter(pk=run_id).first()
    if run is None:
        raise Http404("There is no such run.")
    return run


@signed_in
@require_safe
def run_page(request: HttpRequest, run_id: str) -> HttpResponse:
    """Everything about one run; a script keeps it up to date."""
    run = find_run(person(request), run_id)
    context = _parts(request, run)
    context["boot"] = {"run": run.pk, "pins_to": run.flow_id if _may_edit(person(request), run) else None}
    context["first_events_after"] = max(0, run.seq - EVENTS_AT_FIRST)
    return page(request, "runs/page.html", context)


@signed_in
@require_safe
def run_parts(request: HttpRequest, run_id: str) -> HttpResponse:
    """The parts of a run's page that change while it lives, without the frame around them."""
    run = find_run(person(request), run_id)
    return render(request, "runs/parts.html", _parts(request, run))


def _parts(request: HttpRequest, run: Run) -> dict[str, Any]:
    user = person(request)
    now = now_ms()
    rows, steps = attempts(run, request.GET, now)
    approvals = Approval.objects.filter(run=run).visible_to(user).select_related("decision")
    artifacts = Artifact.objects.filter(run=run).defer("content").order_by("created_at", "pk")
    controls = may_control_run(user, run)
    return {
        "run": run,
        "words": run_words(run),
        "flow": flow_title(run),
        "version": run_title(run),
        "took": took(run),
        "usage": usage_words(run),
        "waits": waits_of(run, user, now),
        "values": run_values(run),
        "attempts": rows,
        "steps": steps,
        "choice": request.GET.get("steps", ""),
        "by_path": run.steps > SORTED_BY_TIME and request.GET.get("steps") != "latest",
        "failed_step": _failed_step(run),
        "approvals": [
            {"approval": one, "words": approval_words(one), "title": pieces(one.title or one.node)}
            for one in approvals.defer("arguments", "form").order_by("-created_at", "-pk")[:50]
        ],
        "artifacts": [{"artifact": one, "size": size_words(one.content_size)} for one in artifacts[:ARTIFACTS_SHOWN]],
        "may_control": controls,
        "again_key": secrets.token_hex(16),
        "may_pause": controls and run.status in (RunStatus.ACTIVE, RunStatus.AWAITING_APPROVAL),
        "may_resume": controls and run.status == RunStatus.PAUSED,
        "may_cancel": controls and run.is_live,
        "running_steps": _running_paths(run) if controls and run.is_live else [],
        "may_record": run.trial is None and run.forked_from is None and _may_edit(user, run),
        "may_move": controls and run.flow_id is not None and run.status in _MOVABLE,
        "fitting": fitting_versions(run) if controls and run.status in _MOVABLE else [],
        "forks": Run.objects.visible_to(user)
        .filter(forked_from=run.pk)
        .only("forked_seq")
        .order_by("pk")[:FORKS_SHOWN],
    }


def _may_edit(user: User, run: Run) -> bool:
    """Whether this person may change the draft of a run's flow."""
    return run.flow is not None and EDIT in usable_rights(user, run.flow)


def _failed_step(run: Run) -> StepRun | None:
    """The attempt whose failure ended the run, as far as its error names it."""
    path = (run.error or {}).get("path")
    if run.status != RunStatus.FAILED or not path:
        return None
    rows = StepRun.objects.filter(run=run, path=path, restorable=True).only("run_id", "path", "visit", "attempt")
    found: StepRun | None = rows.order_by("-visit", "-attempt").first()
    return found


def _running_paths(run: Run) -> list[str]:
    running = StepRun.objects.filter(run=run, status="running").exclude(type__in=CONTAINER_TYPES)
    rows = running.order_by("created_at", "pk")
    return list(rows.values_list("path", flat=True)[:10])
