"""The editor's page: the frame in which frontend/ draws a flow. What is edited goes through the API."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from editor.visibility import EDIT, PUBLISH, RUN, usable_rights
from runner.views.flows import find_flow
from runner.views.pages import page, person, signed_in


@signed_in
@require_safe
def edit_flow(request: HttpRequest, flow_id: str) -> HttpResponse:
    """The canvas of one flow's draft; for those who may not edit it, to look at."""
    user = person(request)
    flow = find_flow(user, flow_id)
    rights = usable_rights(user, flow)
    boot = {
        "flow": {"id": flow.pk, "name": flow.name},
        "me": user.get_username(),
        "may": {"edit": EDIT in rights, "run": RUN in rights, "publish": PUBLISH in rights},
    }
    return page(request, "flows/editor.html", {"flow": flow, "boot": boot})
