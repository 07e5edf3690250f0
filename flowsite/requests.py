"""Each request gets an id that its answer and its log lines carry, and one line when it is done.

The line names the route, not the address: addresses hold words people searched for, and links that let somebody in.
"""

from __future__ import annotations

import inspect
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from django.utils.functional import SimpleLazyObject

log = logging.getLogger("flowsite.requests")

HEADER = "X-Request-ID"
_GIVEN = re.compile(r"[A-Za-z0-9._-]{1,64}")
_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)

Handler = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


def request_fields(about: object = None) -> Mapping[str, object]:
    """The id of a request, and of whoever asks, as far as that is known: of `about`, else of what is answered now."""
    request = about if isinstance(about, HttpRequest) else _request.get()
    if request is None or HEADER not in request.META:
        return {}
    user_id = _user_id(request)
    return {"request_id": request.META[HEADER], **({} if user_id is None else {"user_id": user_id})}


def _user_id(request: HttpRequest) -> Any:
    """Looks nobody up: a log line must not ask the database."""
    for name in ("_cached_user", "_acached_user", "user"):
        user = request.__dict__.get(name)
        if user is not None and not isinstance(user, SimpleLazyObject):
            return user.pk
    return None


@sync_and_async_middleware
def with_id(get_response: Handler) -> Handler:
    """Middleware. A proxy's id is taken over where it is one: the lines of both can then be found together."""
    if inspect.iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> HttpResponseBase:
            token, began = _begin(request), time.monotonic()
            try:
                return _end(request, await get_response(request), began)
            finally:
                _request.reset(token)

        return asynchronous

    def synchronous(request: HttpRequest) -> HttpResponseBase:
        token, began = _begin(request), time.monotonic()
        try:
            response = get_response(request)
            assert isinstance(response, HttpResponseBase)
            return _end(request, response, began)
        finally:
            _request.reset(token)

    return synchronous


def _begin(request: HttpRequest) -> Any:
    given = request.headers.get(HEADER, "")
    request.META[HEADER] = given if _GIVEN.fullmatch(given) else secrets.token_hex(8)
    return _request.set(request)


def _end(request: HttpRequest, response: HttpResponseBase, began: float) -> HttpResponseBase:
    response.headers[HEADER] = request.META[HEADER]
    if log.isEnabledFor(logging.INFO):
        match = request.resolver_match
        about = {
            "method": request.method,
            "route": match.route if match is not None else None,
            "status": response.status_code,
            "duration_ms": round((time.monotonic() - began) * 1000),
        }
        log.info("%s %s", request.method, response.status_code, extra=about)
    return response
