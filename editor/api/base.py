"""What every endpoint is made of. Which doors there are is access.py's, how errors are told the site's."""

from __future__ import annotations

from typing import Any, ClassVar

from django.http import HttpRequest
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import NotFound
from rest_framework.parsers import BaseParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from editor.api.access import HasScope, RateLimit
from editor.api.authentication import TokenAuthentication
from editor.api.documenting import QUERY
from editor.api.parsing import AlwaysJson, GateParser
from editor.models import Flow
from editor.serializers.fields import Given, Query
from editor.visibility import VIEW, may


class ApiView(APIView):
    """An endpoint: `scopes` and `limits` say, by method, what a token must be for and which limit counts."""

    authentication_classes = (TokenAuthentication, SessionAuthentication)
    permission_classes = (IsAuthenticated, HasScope)
    throttle_classes = (RateLimit,)
    parser_classes: tuple[type[BaseParser], ...] = (GateParser,)
    content_negotiation_class = AlwaysJson
    http_method_names = ("get", "head", "post", "put", "patch", "delete")
    scopes: ClassVar[dict[str, str]] = {}
    limits: ClassVar[dict[str, str]] = {}
    asked: dict[str, Any]
    """The parameters of the address, as the method's documentation says."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Open the doors, then read the parameters. Raises ValidationError for unknown and wrong ones."""
        super().initial(request, *args, **kwargs)
        name = (request.method or "").lower()
        if name in self.http_method_names and hasattr(self, name):  # else it is refused for that
            shape: type[Query] | None = getattr(getattr(self, name), QUERY, None)
            self.asked = (shape or Query).read(request.query_params)

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """What people see is theirs: no cache keeps it."""
        finished = super().finalize_response(request, response, *args, **kwargs)
        finished.headers.setdefault("Cache-Control", "private, no-store")
        return finished


class Nowhere(ApiView):
    """Every address below /api/ that leads nowhere."""

    schema = None

    def http_method_not_allowed(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:
        raise NotFound("There is no such address. /api/docs/ lists them all; each ends with a slash.")


def body_of(request: Request, shape: type[Given]) -> dict[str, Any]:
    """The body of a request in this shape. Raises ValidationError."""
    given = shape(data=request.data)
    given.is_valid(raise_exception=True)
    found: dict[str, Any] = given.validated_data
    return found


def find_flow(user: Any, flow_id: str) -> Flow:
    """A flow that this user may see. Raises NotFound for every other, there or not."""
    flow = Flow.objects.filter(pk=flow_id).select_related("owner").first()
    if flow is None or not may(user, VIEW, flow):  # of one flow that is quicker to ask than the rule of all
        raise NotFound(f"There is no flow {flow_id!r}, or it is not for you to see.")
    return flow
