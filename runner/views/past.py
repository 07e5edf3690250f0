"""The page of a run's state at one of its events, with the form that forks it there; moving and running again."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.forms import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from editor.models import FlowVersion
from runner.engine.errors import RunError
from runner.models import Run
from runner.models.fields import to_instant
from runner.permissions import demand_control, may_control_run
from runner.serializers.words import size_words
from runner.services.forks import ForkPlan, fork_run, move_run, plan_fork, run_again
from runner.services.runs import StartedRun, actor_of
from runner.services.states import PlaceAt, StateAt, ValueAt, state_at, value_at
from runner.views.flow_names import fitting_versions, flow_title, run_title, version_title
from runner.views.json_input import parse_json
from runner.views.pages import page, person, signed_in
from runner.views.run_values import COVERED
from runner.views.runs import find_run
from runner.views.values import Shown, shown

#: Further on in a history the page does not work out what a fork would start: the API tells it to whoever asks.
PLANNED = 3_000
_OVER = ("succeeded", "failed", "canceled")
_KINDS = {"v": "State", "s": "Results of steps", "a": "Artifacts"}


@signed_in
@require_safe
def state_page(request: HttpRequest, run_id: str, seq: int) -> HttpResponse:
    """What a run was after an event (`?key=` and `?scope=`: one value, whole), and the way to fork it there."""
    user = person(request)
    run = find_run(user, run_id)
    try:
        state = state_at(run, seq)
        whole = _asked(request, run, seq)
    except RunError as error:
        raise Http404(error.message) from None
    context = {
        "run": run,
        "flow": flow_title(run),
        "version": run_title(run),
        "state": state,
        "at": to_instant(state.event.ts),
        "groups": _groups(state, reverse("run-at", args=[run.pk, seq])),
        "whole": whole,
        **_forking(user, run, seq, state),
    }
    return page(request, "runs/at.html", context)


def _asked(request: HttpRequest, run: Run, seq: int) -> Shown | None:
    key, scope = request.GET.get("key", ""), request.GET.get("scope", "1")
    if not key:
        return None
    found = value_at(run, seq, key, int(scope) if scope.isascii() and scope.isdigit() and len(scope) < 10 else 0)
    return _shown(found, "")


def _groups(state: StateAt, url: str) -> list[dict[str, Any]]:
    """Values by place and kind, each with a title."""
    found = []
    for place in state.places:
        for kind, title in _KINDS.items():
            values = [one for one in place.values if one.kind == kind]
            if values or (kind == "v" and place.scope == 1):
                told = title if place.scope == 1 else f"{title} of {place.label}, not joined yet"
                found.append({"title": told, "values": [_row(one, place, url) for one in values]})
    return found


def _row(value: ValueAt, place: PlaceAt, url: str) -> dict[str, Any]:
    link = f"{url}?key={value.key}&scope={place.scope}" if value.kind == "v" and not value.is_covered else ""
    return {"shown": _shown(value, link), "link": "" if value.is_told else link, "size": size_words(value.size)}


def _shown(value: ValueAt, link: str) -> Shown:
    if value.is_covered:
        return Shown(value.key, masked=COVERED)
    if not value.is_told:
        return Shown(value.key)
    return shown(value.key, value.value, whole=not link)


def _forking(user: User, run: Run, seq: int, state: StateAt) -> dict[str, Any]:
    """What the form says: what would start, what may repeat, or why it cannot be."""
    if not may_control_run(user, run):
        return {"may_fork": False}
    plan: ForkPlan | None = None
    refused = ""
    if state.status in _OVER:
        refused = "The run had ended here. Choose an event before its end to fork it."
    elif seq <= PLANNED:
        try:
            plan = plan_fork(run, seq)
        except RunError as error:
            refused = error.message
    versions = fitting_versions(run) if not refused else []
    key = secrets.token_hex(16)
    return {"may_fork": True, "plan": plan, "refused": refused, "versions": versions, "idempotency_key": key}


def _controlled(request: HttpRequest, run_id: str) -> Run:
    user = person(request)
    run = find_run(user, run_id)
    demand_control(user, run)
    return run


def _version(run: Run, text: str) -> FlowVersion | None:
    """The version that a form names by its number; None: the run's own. Raises RunError `not_found`."""
    if not text:
        return None
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    found = next((one for one in fitting_versions(run) if one.number == number), None)
    if found is None:
        raise RunError("not_found", "The flow has no such version of the same structure. Choose one of the list.")
    return FlowVersion.objects.get(pk=found.pk)


@signed_in
@require_POST
def fork(request: HttpRequest, run_id: str) -> HttpResponse:
    """Start a run that goes on from an event of this one."""
    run = _controlled(request, run_id)
    posted, user = request.POST, person(request)
    text = posted.get("seq", "")
    seq = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
    try:
        state = parse_json(posted.get("state", "").strip() or "{}", "the state")
        if not isinstance(state, dict):
            raise RunError("validation_failed", "Write the state as a JSON object, with a value for each key.")
        started = fork_run(
            run,
            seq,
            actor=actor_of(user),
            user=user,
            state=state,
            version=_version(run, posted.get("version", "")),
            idempotency_key=posted.get("idempotency_key") or None,
        )
    except (RunError, ValidationError) as error:
        told = error.message if isinstance(error, RunError) else " ".join(error.messages)
        messages.error(request, f"The run was not forked. {told}")
        return redirect("run-at", run.pk, seq) if 1 <= seq <= run.seq else redirect("run", run.pk)
    return _to(request, started, f"This run goes on from event {seq} of run {run.pk[:8]}.")


@signed_in
@require_POST
def move(request: HttpRequest, run_id: str) -> HttpResponse:
    """Let the run go on as another version."""
    run = _controlled(request, run_id)
    try:
        version = _version(run, request.POST.get("version", ""))
        if version is None:
            raise RunError("validation_failed", "Choose the version that the run is to go on as.")
        move_run(run, version, actor=actor_of(person(request)))
    except RunError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, f"The run goes on as {version_title(version)}.")
    return redirect("run", run.pk)


@signed_in
@require_POST
def again(request: HttpRequest, run_id: str) -> HttpResponse:
    """Start a new run with the same inputs."""
    run = _controlled(request, run_id)
    user = person(request)
    newest = request.POST.get("version") == "newest"
    key = request.POST.get("idempotency_key", "")
    try:
        started = run_again(
            run,
            actor=actor_of(user),
            user=user,
            newest=newest,
            # Whoever goes back and chooses the other version asks for another run.
            idempotency_key=f"{key}-newest" if key and newest else key or None,
        )
    except RunError as error:
        problems = (error.details or {}).get("problems")
        told = " ".join(map(str, problems)) if isinstance(problems, list) and problems else error.message
        messages.error(request, f"The run was not started again. {told}")
        return redirect("run", run.pk)
    return _to(request, started, f"This run has the inputs of run {run.pk[:8]}.")


def _to(request: HttpRequest, started: StartedRun, done: str) -> HttpResponse:
    if started.is_new:
        messages.success(request, done)
    else:
        messages.info(request, "This form had started this run already; no second one was started.")
    return redirect("run", started.run_id)
