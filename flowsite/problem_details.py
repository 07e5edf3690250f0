"""Every refusal of the API in its one shape, with its HTTP status. What is refused, others decide.

An error that nobody foresaw is none of ours: it goes on, is logged with its traceback, and answers 500.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from django.views.defaults import server_error
from rest_framework import exceptions
from rest_framework.response import Response

from editor.language.errors import LanguageError
from runner.engine.errors import RunError, make_error

STATUSES = {
    "permission_denied": 403,
    "self_approval": 403,
    "not_found": 404,
    "approval_not_found": 404,
    "revision_conflict": 409,
    "review_decided": 409,
    "review_required": 409,
    "review_void": 409,
    "idempotency_conflict": 409,
    "run_busy": 409,
    "run_finished": 409,
    "not_paused": 409,
    "step_not_failed": 409,
    "awaiting_approval": 409,
    "approval_already_decided": 409,
    "approval_expired": 409,
    "approval_digest_mismatch": 409,
    "flow_changed": 409,
    "value_too_large": 413,
}
"""HTTP status of a code; every other is 400."""

BUSY = "The database is busy. Try again in a moment; a run is started once if you send an Idempotency-Key."


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """The answer to an error of an endpoint; None for one that nobody foresaw."""
    if isinstance(error, RunError):
        return Response(error.as_json(), status=STATUSES.get(error.code, 400))
    if isinstance(error, LanguageError):
        return Response(error.as_dict(), status=STATUSES.get(error.code, 400))
    if isinstance(error, OperationalError):
        return Response(make_error("run_busy", BUSY), status=503, headers={"Retry-After": "1"})
    if isinstance(error, SuspiciousOperation):
        too_big = isinstance(error, RequestDataTooBig)
        code, status = ("value_too_large", 413) if too_big else ("validation_failed", 400)
        return Response(make_error(code, "The request cannot be read: it is too large or malformed."), status=status)
    if isinstance(error, Http404):
        error = exceptions.NotFound(str(error) or None)
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied(str(error) or None)
    if not isinstance(error, exceptions.APIException):
        return None
    return _of_framework(error, getattr(context.get("view"), "allowed_methods", ()))


_CODES = {400: "validation_failed", 401: "permission_denied", 403: "permission_denied", 404: "not_found"}


def _of_framework(error: exceptions.APIException, allowed: Sequence[str]) -> Response:
    headers = {}
    if getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = str(error.auth_header)  # type: ignore[attr-defined]
    if isinstance(error, exceptions.Throttled):
        seconds = math.ceil(getattr(error, "wait", None) or 1)
        told = f"Too many requests. Wait {seconds} s, then try again."
        headers["Retry-After"] = str(seconds)
        return Response(make_error("limit_exceeded", told, details={"retry_after_s": seconds}), 429, headers=headers)
    if isinstance(error, exceptions.ValidationError):
        return Response(_refused(error), status=400)
    if isinstance(error, exceptions.MethodNotAllowed):
        return Response(_no_such_method(error, allowed), status=405, headers=headers)
    code = _CODES.get(error.status_code, "validation_failed")
    return Response(make_error(code, str(error.detail)), status=error.status_code, headers=headers)


def _no_such_method(error: exceptions.MethodNotAllowed, allowed: Sequence[str]) -> dict[str, object]:
    """The code of what is not as documented: there is none for a wrong method alone."""
    told = f"This address takes {', '.join(allowed) or 'no such method'}. {error.detail}"
    return make_error("validation_failed", told, details={"allowed": list(allowed)})


def _refused(error: exceptions.ValidationError) -> dict[str, object]:
    """All that is wrong with a body or a query, each with its place as a JSON pointer."""
    problems = list(_problems(error.detail, ""))
    told = " ".join(f"{one['path'].strip('/') or 'The body'}: {one['message']}" for one in problems[:5])
    return make_error("validation_failed", told, details={"problems": problems})


def _problems(detail: Any, path: str) -> Any:
    if isinstance(detail, dict):
        for key, inner in detail.items():
            name = str(key).replace("~", "~0").replace("/", "~1")
            yield from _problems(inner, path if key == "non_field_errors" else f"{path}/{name}")
    elif isinstance(detail, list):
        for place, inner in enumerate(detail):
            # A list of sentences belongs to one place; a list of objects is one for each item.
            yield from _problems(inner, path if isinstance(inner, str) else f"{path}/{place}")
    else:
        yield {"path": path, "message": str(detail)}


def failed(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
    """The answer where something failed that nobody foresaw: JSON for programs, a page for people."""
    if not request.path.startswith("/api/"):
        return server_error(request, *args, **kwargs)
    told = "Something went wrong on our side; it is in the site's log. Try again, or tell an admin."
    return JsonResponse(make_error("internal_error", told), status=500)
