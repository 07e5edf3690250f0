"""Values as files to be saved: never shown in place, never guessed at. What is in them is not looked at."""

from __future__ import annotations

import re
from typing import Any

from django.http import HttpResponse
from django.utils.http import content_disposition_header

from editor.language.canonical import canonical_text

FILE_HEADERS = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox"}


def file_response(content: str, filename: str, content_type: str) -> HttpResponse:
    """A file to be saved: never shown in place, never guessed at."""
    response = HttpResponse(content.encode("utf-8"), content_type=content_type, headers=FILE_HEADERS)
    response.headers["Content-Disposition"] = _disposition(filename)
    return response


def artifact_response(artifact: Any) -> HttpResponse:
    """The content of an artifact as a file: a text as it is, anything else as JSON."""
    content = artifact.value_of("content")
    name = artifact.filename or artifact.artifact
    if isinstance(content, str):
        return file_response(content, name, "text/plain; charset=utf-8")
    return file_response(canonical_text(content), name, "application/json; charset=utf-8")


def _disposition(filename: str) -> str:
    name = re.sub(r'[\x00-\x1f\x7f"\\/:*?<>|]+', "_", filename).strip(". ") or "file"
    return content_disposition_header(as_attachment=True, filename=name) or "attachment"
