"""One version on a sheet to print: picture, description, inputs, nodes, permissions, hash, who published it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from editor.language.describing import describe, picture_of
from editor.models import FlowVersion
from runner.views.flow_names import definition_of
from runner.views.flows import find_flow
from runner.views.pages import page, person, signed_in


@signed_in
@require_safe
def version_sheet(request: HttpRequest, flow_id: str, number: int) -> HttpResponse:
    """A published version as a page for paper. Its looks for print are the style sheet's."""
    flow = find_flow(person(request), flow_id)
    found = FlowVersion.objects.filter(flow=flow).published().select_related("created_by")
    version = found.filter(number=number).first()
    if version is None:
        raise Http404("The flow has no such version.")
    definition = definition_of(version)
    context = {
        "flow": flow,
        "version": version,
        "definition": definition,
        "description": describe(definition),
        "picture": picture_of(definition),
        "rules": definition.permissions.rules,
        "limits": definition.policy.values,
    }
    return page(request, "flows/sheet.html", context)
