"""Downloads of artifacts: always as a file, never shown in place."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from editor.language.canonical import canonical_text
from runner.models import Artifact
from runner.serializers.files import file_response
from runner.views.pages import person, signed_in


@signed_in
@require_safe
def artifact_file(request: HttpRequest, run_id: str, artifact_id: str) -> HttpResponse:
    """The content of an artifact: a text as it is, anything else as JSON."""
    artifact = Artifact.objects.visible_to(person(request)).filter(run=run_id, pk=artifact_id).first()
    if artifact is None:
        raise Http404("There is no such artifact.")
    content = artifact.value_of("content")
    name = artifact.filename or artifact.artifact
    if isinstance(content, str):
        return file_response(content, name, "text/plain; charset=utf-8")
    return file_response(canonical_text(content), name, "application/json; charset=utf-8")
