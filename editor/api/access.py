"""The doors of every endpoint: what a token is for, and how often. Who sees what is `visible_to`."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from editor.models import ApiToken
from editor.rate_limits import seconds_to_wait
from editor.tokens import SCOPES


class HasScope(BasePermission):
    """A token must be for what the method of the view asks; a session is for everything."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Raises PermissionDenied that names the missing scope."""
        if not isinstance(request.auth, ApiToken) or request.method is None:
            return True
        needed = scope_of(view, request.method)
        if needed in request.auth.scopes:
            return True
        told = f"This token is not for that: it needs the scope “{needed}” ({SCOPES[needed]}). Make one that has it."
        raise PermissionDenied(told)


def scope_of(view: Any, method: str) -> str:
    """The scope that a method of a view asks for: `read` to read; to change, what the view says."""
    if method in ("GET", "HEAD"):
        return "read"
    scopes: dict[str, str] = view.scopes
    return scopes.get(method, "admin")


class RateLimit(BaseThrottle):
    """The general limit, and those that a view sets on some of its methods."""

    def __init__(self) -> None:
        self._wait_s = 0

    def allow_request(self, request: Request, view: APIView) -> bool:
        limits: dict[str, str] = getattr(view, "limits", {})
        names = ["api"] + [limits[method] for method in (request.method or "",) if method in limits]
        self._wait_s = max(seconds_to_wait(name, _who(request)) for name in names)
        return self._wait_s == 0

    def wait(self) -> float:
        return self._wait_s


def _who(request: Request) -> str:
    """A person with all sessions, or one token."""
    if isinstance(request.auth, ApiToken):
        return f"token:{request.auth.pk}"
    return f"user:{request.user.pk}"


def demand(is_allowed: bool, told: str) -> None:
    """Raise PermissionDenied with this sentence unless it is allowed."""
    if not is_allowed:
        raise PermissionDenied(told)
