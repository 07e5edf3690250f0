"""Putting a flow away and bringing it back, for admins: by POST only."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from editor.models import Flow
from editor.permissions import may_archive
from editor.services import archive_flow, restore_flow
from runner.views.flows import find_flow
from runner.views.pages import person, signed_in

LONGEST_REASON = 2_000


def _found(request: HttpRequest, flow_id: str) -> tuple[Flow, str]:
    """The flow, for somebody who may put it away, and why. Raises Http404 or PermissionDenied."""
    flow = find_flow(person(request), flow_id)
    if not may_archive(person(request)):
        raise PermissionDenied("Admins put flows away and bring them back. Ask one of them.")
    return flow, request.POST.get("reason", "").strip()[:LONGEST_REASON]


@signed_in
@require_POST
def archive(request: HttpRequest, flow_id: str) -> HttpResponse:
    """Put a flow away: nothing of it is changed, published or started any more."""
    flow, reason = _found(request, flow_id)
    archive_flow(flow, by=person(request), reason=reason)
    messages.success(request, "The flow is archived. Its runs go on, and it can be brought back.")
    return redirect("flow", flow.pk)


@signed_in
@require_POST
def restore(request: HttpRequest, flow_id: str) -> HttpResponse:
    """Bring a flow back."""
    flow, reason = _found(request, flow_id)
    restore_flow(flow, by=person(request), reason=reason)
    messages.success(request, "The flow is back.")
    return redirect("flow", flow.pk)
