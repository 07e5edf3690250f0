"""What proves a run: checking it, and its dossier. A page, and two things to do on it."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from runner import dossier_key
from runner.engine.errors import RunError
from runner.permissions import demand_control, may_control_run, may_operate
from runner.services.checking import check_run, earlier_checks
from runner.services.dossier.making import make_dossier
from runner.services.sensitive import sensitive_inputs
from runner.views.flow_names import flow_title
from runner.views.pages import page, person, signed_in
from runner.views.runs import find_run

LONGEST_REASON = 2_000


@signed_in
@require_safe
def proof_page(request: HttpRequest, run_id: str) -> HttpResponse:
    """How a run is proven, when it was checked, and its dossier."""
    user = person(request)
    run = find_run(user, run_id)
    context = {
        "run": run,
        "flow": flow_title(run),
        "may_check": may_operate(user),
        "may_take": may_control_run(user, run),
        "may_reveal": may_operate(user) and may_control_run(user, run),
        "sealed": sorted(sensitive_inputs(run)),
        "checks": earlier_checks(run.pk),
        "key_id": dossier_key.key_id(),
        "public_key": dossier_key.public_key(),
    }
    return page(request, "runs/proof.html", context)


@signed_in
@require_POST
def check(request: HttpRequest, run_id: str) -> HttpResponse:
    """Check the run now."""
    user = person(request)
    run = find_run(user, run_id)
    if not may_operate(user):
        raise PermissionDenied("Admins check runs. Ask one of them.")
    verdict = check_run(run.pk, by=user)
    if verdict.fault is not None:
        messages.error(request, f"The run was altered: {verdict.fault}")
    elif verdict.is_proven:
        told = f"The run is whole: {verdict.events:,} events and {verdict.rows:,} rows are as they were written."
        messages.success(request, told)
    else:
        messages.warning(request, f"Nothing was found, but not all could be proven. {' '.join(verdict.notes)}")
    return redirect("run-proof", run.pk)


@signed_in
@require_POST
def dossier(request: HttpRequest, run_id: str) -> HttpResponseBase:
    """Download the run's dossier."""
    user = person(request)
    run = find_run(user, run_id)
    demand_control(user, run)
    reveal = request.POST.get("reveal") == "yes"
    if reveal and not may_operate(user):
        raise PermissionDenied("Only admins take sealed values along. Ask one of them.")
    reason = request.POST.get("reason", "").strip()[:LONGEST_REASON]
    try:
        file = make_dossier(run.pk, by=user, reveal=reveal, reason=reason)
    except RunError as error:
        messages.error(request, error.message)
        return redirect("run-proof", run.pk)
    name = f"run-{run.pk[:8]}{'-with-sealed-values' if reveal else ''}.zip"
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")
