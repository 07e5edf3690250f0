"""The editor's page: the frame in which frontend/ draws a flow. What is edited goes through the API."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from editor.permissions import may_publish, may_write_flows
from runner.permissions import may_start_runs
from runner.views.flows import find_flow
from runner.views.pages import page, person, signed_in


@signed_in
@require_safe
def edit_flow(request: HttpRequest, flow_id: str) -> HttpResponse:
    """The canvas of one flow's draft; for those who may not edit it, to look at."""
    user = person(request)
    flow = find_flow(user, flow_id)
    boot = {
        "flow": {"id": flow.pk, "name": flow.name},
        "me": user.get_username(),
        "may": {"edit": may_write_flows(user), "run": may_start_runs(user), "publish": may_publish(user)},
    }
    return page(request, "flows/editor.html", {"flow": flow, "boot": boot})
