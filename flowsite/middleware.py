"""HTTP middleware of the site: the Content-Security-Policy header. Django's own sets the others."""

import inspect
from collections.abc import Awaitable, Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

Handler = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]


def _with_policy(response: HttpResponseBase) -> HttpResponseBase:
    response.headers.setdefault("Content-Security-Policy", settings.CONTENT_SECURITY_POLICY)
    return response


@sync_and_async_middleware
def content_security_policy(get_response: Handler) -> Handler:
    """Add settings.CONTENT_SECURITY_POLICY to each response that does not bring a policy of its own."""
    if inspect.iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> HttpResponseBase:
            return _with_policy(await get_response(request))

        return asynchronous

    def synchronous(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        assert isinstance(response, HttpResponseBase)
        return _with_policy(response)

    return synchronous
