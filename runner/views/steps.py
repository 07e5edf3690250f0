"""One attempt with everything it had and gave, and the whole of its large values. The table is steps_table.py's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from runner.models import Run, StepRun
from runner.models.fields import HoldsValues
from runner.serializers.previews import MOST_BYTES, preview_of, too_large
from runner.serializers.texts import pieces, pretty
from runner.serializers.words import size_words
from runner.services.sensitive import sensitive_inputs, touches_sensitive
from runner.services.step_logs import log_of
from runner.store.clock import now_ms
from runner.views.flow_names import flow_title, run_title
from runner.views.pages import page, person, signed_in
from runner.views.run_values import COVERED
from runner.views.runs import find_run
from runner.views.steps_table import attempt_row
from runner.views.values import Shown, has_value, shown, shown_of, value_response

_VALUES = {
    "input": "Input",
    "output": "Output",
    "delta": "Written to the state",
    "inputs": "Inputs",
    "result": "Result",
}
RUN_VALUES = ("inputs", "result")
STEP_VALUES = ("input", "output", "delta")


def find_step(run: Run, step_id: str) -> StepRun:
    """An attempt of a run that the person may see. Raises Http404."""
    step: StepRun | None = StepRun.objects.filter(run=run, pk=step_id).first()
    if step is None:
        raise Http404("The run has no such attempt.")
    return step


@signed_in
@require_safe
def step_page(request: HttpRequest, run_id: str, step_id: str) -> HttpResponse:
    """One attempt: a page of its own, or (`?part`) the piece that opens inside the table."""
    run = find_run(person(request), run_id)
    step = find_step(run, step_id)
    context = _attempt(run, step)
    if "part" in request.GET:
        return render(request, "runs/attempt.html", context)
    siblings = StepRun.objects.filter(run=run, path=step.path).only("run_id", "path", "visit", "attempt", "status")
    context |= {
        "flow": flow_title(run),
        "version": run_title(run),
        "siblings": siblings.order_by("visit", "attempt")[:200],
    }
    return page(request, "runs/step.html", context)


def _attempt(run: Run, step: StepRun) -> dict[str, Any]:
    covered = touches_sensitive(run, step)

    def value(name: str, label: str, told: Callable[[Any], Any] | None = None) -> Shown:
        if covered:
            return Shown(label, masked=COVERED)
        return shown_of(step, name, label, reverse("step-value", args=[run.pk, step.pk, name]), told=told)

    details = (step.error or {}).get("details")
    return {
        "run": run,
        "row": attempt_row(run, step, now_ms()),
        "step": step,
        "values": [
            value("input", "Input"),
            value("output", "Output"),
            value("delta", "Written to the state", written),
        ],
        "error": step.error,
        "error_message": pieces(str((step.error or {}).get("message", ""))),
        "error_details": pieces(pretty(details)) if details else [],
        "log": log_of(run, step),
        "notes": shown("Notes", step.notes) if step.notes else None,
        "late_output": shown("Late output", step.late_output) if step.late_output is not None and not covered else None,
    }


@signed_in
@require_safe
def step_value(request: HttpRequest, run_id: str, step_id: str, name: str) -> HttpResponse:
    """A whole value of an attempt: a file, or with `?text` plain text."""
    run = find_run(person(request), run_id)
    step = find_step(run, step_id)
    if name not in STEP_VALUES or touches_sensitive(run, step):
        raise Http404("An attempt has no such value, or it is sensitive.")
    filename = f"{step.path}-{step.visit}-{step.attempt}-{name}"
    return value_response(step, name, filename, as_text="text" in request.GET)


@signed_in
@require_safe
def step_value_preview(request: HttpRequest, run_id: str, step_id: str, name: str) -> HttpResponse:
    """A whole value of an attempt as a page."""
    run = find_run(person(request), run_id)
    step = find_step(run, step_id)
    if name not in STEP_VALUES or touches_sensitive(run, step):
        raise Http404("An attempt has no such value, or it is sensitive.")
    url = reverse("step-value", args=[run.pk, step.pk, name])
    return page(request, "runs/preview.html", _previewed(run, step, name, url) | {"made_by": step})


@signed_in
@require_safe
def run_value(request: HttpRequest, run_id: str, name: str) -> HttpResponse:
    """A whole value of a run: a file, or with `?text` plain text."""
    run = find_run(person(request), run_id)
    if name not in RUN_VALUES or (name == "inputs" and sensitive_inputs(run)):
        raise Http404("A run has no such value, or it holds something sensitive.")
    return value_response(run, name, f"run-{run.pk[:8]}-{name}", as_text="text" in request.GET)


@signed_in
@require_safe
def run_value_preview(request: HttpRequest, run_id: str, name: str) -> HttpResponse:
    """A whole value of a run as a page."""
    run = find_run(person(request), run_id)
    if name not in RUN_VALUES or (name == "inputs" and sensitive_inputs(run)):
        raise Http404("A run has no such value, or it holds something sensitive.")
    url = reverse("run-value", args=[run.pk, name])
    return page(request, "runs/preview.html", _previewed(run, run, name, url))


def _previewed(run: Run, row: HoldsValues, name: str, url: str) -> dict[str, Any]:
    size: int = getattr(row, f"{name}_size")
    if not has_value(row, name):
        raise Http404("There is no such value.")
    return {
        "run": run,
        "flow": flow_title(run),
        "version": run_title(run),
        "title": _VALUES[name],
        "facts": size_words(size) if size else "",
        "preview": too_large(size) if size > MOST_BYTES else preview_of(row.value_of(name)),
        "download": url,
        "download_label": "Download as JSON",
    }


def written(delta: Any) -> Any:
    """A delta for people: `{variable: value}`, with the way of writing where it is not a plain set."""
    return {key if mode == "set" else f"{key} ({mode})": operand for key, mode, operand in delta}
