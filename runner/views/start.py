"""The page that starts a run: a form made from one version. GET changes nothing."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from editor.models import Flow, FlowVersion
from editor.permissions import demand_right
from editor.visibility import RUN
from runner.engine.errors import RunError
from runner.services.runs import actor_of, start_run
from runner.views.flow_names import definition_of, version_title
from runner.views.flows import find_flow, version_number
from runner.views.input_form import StartForm
from runner.views.pages import page, person, signed_in


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, flow_id: str) -> HttpResponse:
    """Fill in the inputs of a version (`?version=`, else the newest) and start a run of it."""
    user = person(request)
    flow = find_flow(user, flow_id)
    demand_right(user, RUN, flow)
    version = _version(flow, request.GET.get("version", ""))
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = StartForm(definition_of(version), *sent)
    if request.method == "POST" and form.is_valid():
        response = _try_start(request, user, version, form)
        if response is not None:
            return response
    status = 400 if request.method == "POST" else 200
    context = {"flow": flow, "version": version, "version_title": version_title(version), "form": form}
    return page(request, "flows/start.html", context, status=status)


def _version(flow: Flow, text: str) -> FlowVersion:
    versions = FlowVersion.objects.filter(flow=flow).published()
    if text:
        version = versions.filter(number=version_number(text)).first()
    else:
        version = versions.order_by("-number").first()
    if version is None:
        raise Http404("The flow has no such version.")
    return version


def _try_start(request: HttpRequest, user: User, version: FlowVersion, form: StartForm) -> HttpResponse | None:
    """Start the run and go to it; None if it was refused, and the form says why."""
    try:
        started = start_run(
            version,
            inputs=form.inputs,
            preset=form.preset,
            actor=actor_of(user),
            user=user,
            idempotency_key=form.cleaned_data["idempotency_key"],
        )
    except RunError as error:
        _explain(form, error)
        return None
    if not started.is_new:
        messages.info(request, "This form had started this run already; no second one was started.")
    return redirect("run", started.run_id)


def _explain(form: StartForm, error: RunError) -> None:
    if error.code == "idempotency_conflict":
        form.take_new_key()
        earlier = (error.details or {}).get("run", "")
        form.add_error(
            None,
            f"This form has started run {str(earlier)[:8]} with other inputs. Press “Start run” again for another run.",
        )
        return
    problems = (error.details or {}).get("problems")
    for sentence in problems if isinstance(problems, list) and problems else [error.message]:
        form.add_error(None, str(sentence))
