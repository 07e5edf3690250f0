"""What people do to runs from pages: by POST only. Each calls one service and goes back to the run's page."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.forms import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from runner.engine.errors import RunError
from runner.models import Run
from runner.permissions import demand_control
from runner.services.runs import actor_of, cancel_run, pause_run, resume_run, retry_step, send_signal
from runner.views.json_input import parse_json
from runner.views.pages import person, signed_in
from runner.views.runs import find_run
from runner.views.steps import find_step

LONGEST_REASON = 2_000


def _controlled(request: HttpRequest, run_id: str) -> Run:
    """The run, for somebody who may control it. Raises Http404 or PermissionDenied."""
    user = person(request)
    run = find_run(user, run_id)
    demand_control(user, run)
    return run


def _act(request: HttpRequest, run: Run, action: Callable[[], object], done: str) -> HttpResponseRedirect:
    try:
        action()
    except RunError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, done)
    return redirect("run", run.pk)


@signed_in
@require_POST
def cancel(request: HttpRequest, run_id: str) -> HttpResponse:
    """Stop the run for good."""
    run = _controlled(request, run_id)
    reason = request.POST.get("reason", "").strip()[:LONGEST_REASON]
    actor = actor_of(person(request))
    return _act(request, run, lambda: cancel_run(run.pk, actor=actor, reason=reason), "The run is canceled.")


@signed_in
@require_POST
def pause(request: HttpRequest, run_id: str) -> HttpResponse:
    """Start nothing new until resumed."""
    run = _controlled(request, run_id)
    actor = actor_of(person(request))
    return _act(request, run, lambda: pause_run(run.pk, actor=actor), "The run is paused.")


@signed_in
@require_POST
def resume(request: HttpRequest, run_id: str) -> HttpResponse:
    """Go on after a pause."""
    run = _controlled(request, run_id)
    actor = actor_of(person(request))
    return _act(request, run, lambda: resume_run(run.pk, actor=actor), "The run goes on.")


@signed_in
@require_POST
def retry(request: HttpRequest, run_id: str, step_id: str) -> HttpResponse:
    """Try the step again whose failure ended the run."""
    run = _controlled(request, run_id)
    step = find_step(run, step_id)
    actor = actor_of(person(request))
    done = f"{step.path} is tried again."
    return _act(request, run, lambda: retry_step(run.pk, step.pk, actor=actor), done)


@signed_in
@require_POST
def signal(request: HttpRequest, run_id: str) -> HttpResponse:
    """Send a value to a wait of the run."""
    run = _controlled(request, run_id)
    key, text = request.POST.get("key", ""), request.POST.get("value", "").strip()
    try:
        value = parse_json(text, "the value") if text else None
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("run", run.pk)
    actor = actor_of(person(request))
    return _act(request, run, lambda: send_signal(run.pk, key, value, actor=actor), f"The signal “{key}” was sent.")
