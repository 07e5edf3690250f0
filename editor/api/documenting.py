"""How endpoints are documented: one line at each method, and the answers that all of them may give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, TypeVar

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse, extend_schema

from editor.api.access import scope_of
from editor.serializers.errors import Error
from editor.serializers.fields import Query

QUERY = "query_shape"
"""The attribute under which a method carries the shape of its parameters."""

F = TypeVar("F", bound=Callable[..., Any])

_ALWAYS = {
    400: "A parameter or the body is not as documented (`validation_failed`), or is nested too deep.",
    401: "Nobody is signed in, or the token is not valid any more.",
    403: "You see it, but may not do that, or your token is not for that (`permission_denied`).",
    429: "Too many requests (`limit_exceeded`): wait for the seconds in `Retry-After`.",
    503: "The database is busy (`run_busy`): try again after the seconds in `Retry-After`.",
}
_WITH_PATH = {404: "There is no such thing, or it is not for you to see (`not_found`)."}
_WITH_BODY = {
    413: "The body or a value in it is too large (`value_too_large`).",
    415: "The body is no `application/json`.",
}


def describe(
    operation_id: str,
    summary: str,
    *,
    answers: Any,
    status: int = 200,
    query: type[Query] | None = None,
    body: Any = None,
    parameters: Sequence[Any] = (),
    errors: dict[int, str] | None = None,
    more: dict[Any, Any] | None = None,
) -> Callable[[F], F]:
    """Document a method: its name, what it takes, what it answers, and which errors are its own.

    The method's docstring is the description. `more`: further answers that are no errors, or all of them. The
    view's base reads the parameters of the address as `query` says, into `self.asked`.
    """
    responses = {} if answers is None else {status: answers}
    responses |= {**(more or {}), **{code: _error(told) for code, told in (errors or {}).items()}}
    given = [*([query] if query is not None else []), *parameters]
    documented = extend_schema(
        operation_id=operation_id, summary=summary, parameters=given, request=body, responses=responses
    )

    def mark(method: F) -> F:
        setattr(method, QUERY, query)
        return documented(method)

    return mark


def _error(told: str) -> OpenApiResponse:
    return OpenApiResponse(Error, told)


class Schema(AutoSchema):
    """Adds to each operation its scope, and the errors that every endpoint of its kind may answer with."""

    def _is_list_view(self, serializer: Any = None) -> bool:
        return False  # our lists are objects: a page with its items and the next cursor

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        """The operation, with the scope that a token needs as `x-scope`, and what ids in its path are made of."""
        operation = super().get_operation(*args, **kwargs)
        if operation is not None:
            operation["x-scope"] = scope_of(self.view, self.method)
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path":
                    of_numbers = parameter["schema"]["type"] == "integer"
                    parameter["schema"] |= {"minimum": 0} if of_numbers else {"pattern": "^[-a-zA-Z0-9_]+$"}
        return operation

    def get_serializer_name(self, serializer: Any, direction: Any) -> str:
        """Names without our own endings: RunShape is Run."""
        return str(super().get_serializer_name(serializer, direction)).removesuffix("Shape").removesuffix("Given")

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        usual = dict(_ALWAYS)
        if "{" in self.path:
            usual |= _WITH_PATH
        if self.get_request_serializer() is not None:
            usual |= _WITH_BODY
        for status, told in usual.items():
            if str(status) not in bodies:
                answer = self._get_response_for_code(_error(told), str(status))  # type: ignore[no-untyped-call]
                bodies[str(status)] = answer
        for code, body in bodies.items():
            body["description"] = body["description"] or HTTPStatus(int(code)).phrase
        return dict(sorted(bodies.items()))


def close_objects(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Say of each described object that it has no other keys: a hook of the generator."""
    for part in result.get("components", {}).get("schemas", {}).values():
        if part.get("type") == "object" and "properties" in part:
            part.setdefault("additionalProperties", False)
    _strip(result)
    return result


def _strip(part: Any) -> None:
    """Take away what the generator notes for itself."""
    if isinstance(part, dict):
        part.pop("x-spec-enum-id", None)
        for inner in part.values():
            _strip(inner)
    elif isinstance(part, list):
        for inner in part:
            _strip(inner)
