"""The skills of this site: what agents are told, may call and must answer. Registered by apps, shown here."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from editor.visibility import GROUPS, is_one_of
from runner.catalog import CATALOG
from runner.serializers.texts import pretty
from runner.tools.llm import PROVIDERS
from runner.views.pages import page, person, signed_in


@signed_in
@require_safe
def skill_list(request: HttpRequest) -> HttpResponse:
    """Every version of every skill, for members of the site's groups."""
    if not is_one_of(person(request), *GROUPS):
        raise Http404("There are no skills, or they are not for you to see.")
    skills = [
        {"spec": spec, "schema": pretty(spec.output_schema) if spec.output_schema is not None else ""}
        for spec in CATALOG.skills()
    ]
    return page(request, "flows/skills.html", {"skills": skills, "model": PROVIDERS.default_model})
