"""Values as files to be saved: never shown in place, never guessed at. What is in them is not looked at."""

from __future__ import annotations

import re

from django.http import HttpResponse
from django.utils.http import content_disposition_header

FILE_HEADERS = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox"}


def file_response(content: str, filename: str, content_type: str) -> HttpResponse:
    """A file to be saved: never shown in place, never guessed at."""
    response = HttpResponse(content.encode("utf-8"), content_type=content_type, headers=FILE_HEADERS)
    response.headers["Content-Disposition"] = _disposition(filename)
    return response


def _disposition(filename: str) -> str:
    name = re.sub(r'[\x00-\x1f\x7f"\\/:*?<>|]+', "_", filename).strip(". ") or "file"
    return content_disposition_header(as_attachment=True, filename=name) or "attachment"
