"""The pages on which frontend/ draws flows: the editor, two versions compared. What is edited goes through the API."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from editor import services
from editor.language.errors import LanguageError
from editor.visibility import EDIT, PUBLISH, RUN, usable_rights
from runner.views.flows import find_flow, version_number
from runner.views.pages import page, person, signed_in

DRAFT = "draft"


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


@signed_in
@require_safe
def compare_versions(request: HttpRequest, flow_id: str) -> HttpResponse:
    """Two versions, or a version and the draft (`?before=` and `?after=`), on one canvas and as a list.

    What is left out is the newest version before, and the draft after.
    """
    flow = find_flow(person(request), flow_id)
    numbers = [str(number) for number in services.versions(flow).values_list("number", flat=True)]
    sides = {
        "before": request.GET.get("before", numbers[0] if numbers else DRAFT),
        "after": request.GET.get("after", DRAFT),
    }
    unknown = [which for which in sides.values() if which not in {DRAFT, *numbers}]
    if unknown:
        about = {"flow": flow, "unknown": unknown[0], "newest": numbers[0] if numbers else None}
        return page(request, "flows/no_version.html", about, status=404)
    boot = {"flow": {"id": flow.pk, "name": flow.name}, **sides}
    return page(request, "flows/compare.html", {"flow": flow, "boot": boot})


@signed_in
@require_safe
def export_flow(request: HttpRequest, flow_id: str) -> HttpResponse:
    """The document as a file: of the draft, or of a version (`?version=`)."""
    flow = find_flow(person(request), flow_id)
    which = request.GET.get("version", "")
    try:
        text = services.export_flow(flow, version_number(which) if which else None)
    except LanguageError as error:
        raise Http404(error.message) from None
    name = f"{flow.pk}-v{which}.json" if which else f"{flow.pk}.json"
    response = HttpResponse(text, content_type="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
