"""Artifacts: a page that shows one within bounds, and its download, which is always a file and never shown in place."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from runner.models import Artifact
from runner.serializers.files import artifact_response
from runner.serializers.previews import MOST_BYTES, preview_of, too_large
from runner.serializers.words import size_words
from runner.views.flow_names import flow_title, run_title
from runner.views.pages import page, person, signed_in


def find_artifact(user: User, run_id: str, artifact_id: str) -> Artifact:
    """An artifact of a run that the person may see. Raises Http404."""
    rows = Artifact.objects.visible_to(user).filter(run=run_id, pk=artifact_id)
    artifact: Artifact | None = rows.select_related("run__flow", "run__version", "step_run").defer(*_UNREAD).first()
    if artifact is None:
        raise Http404("There is no such artifact.")
    return artifact


_UNREAD = (
    "run__inputs", "run__result", "run__policy", "run__error", "run__given_ends", "run__version__document",
    "step_run__input", "step_run__output", "step_run__delta", "step_run__error",
)  # fmt: skip


@signed_in
@require_safe
def artifact_file(request: HttpRequest, run_id: str, artifact_id: str) -> HttpResponse:
    """The content of an artifact: a text as it is, anything else as JSON."""
    return artifact_response(find_artifact(person(request), run_id, artifact_id))


@signed_in
@require_safe
def artifact_preview(request: HttpRequest, run_id: str, artifact_id: str) -> HttpResponse:
    """The artifact as a page: Markdown, a table, a tree or text; of anything else its measures."""
    artifact = find_artifact(person(request), run_id, artifact_id)
    name = artifact.filename or artifact.artifact
    if artifact.content_size > MOST_BYTES:
        shown = too_large(artifact.content_size)
    else:
        shown = preview_of(artifact.value_of("content"), artifact.type, name)
    context = {
        "run": artifact.run,
        "flow": flow_title(artifact.run),
        "version": run_title(artifact.run),
        "title": name,
        "made_by": artifact.step_run,
        "facts": f"{artifact.type or 'artifact'}, {size_words(artifact.content_size)}",
        "preview": shown,
        "download": reverse("artifact", args=[run_id, artifact.pk]),
        "download_label": "Download",
    }
    return page(request, "runs/preview.html", context)
