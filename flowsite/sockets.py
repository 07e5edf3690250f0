"""The site's WebSocket paths: those of the apps, then a clear close for all others. And who may open one at all."""

from collections.abc import Awaitable, Callable, Collection
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.urls import URLPattern, re_path

from runner.routing import websocket_urlpatterns as run_patterns

UNKNOWN_PATH = 4404

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]


class ExactOrigins:
    """Lets only pages of these origins (scheme, host, port) open sockets; everybody else gets 403.

    The validator of Channels does the same, but opens a connection to Redis for each socket that it refuses.
    """

    def __init__(self, application: Application, origins: Collection[str]) -> None:
        self.application = application
        self.origins = frozenset(origin.encode("ascii") for origin in origins)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        given = [value for name, value in scope["headers"] if name == b"origin"]
        if len(given) == 1 and given[0] in self.origins:
            await self.application(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close"})


class UnknownSocket(AsyncWebsocketConsumer):
    """Accepts a socket on a path nobody serves and closes it with code 4404, so that the page can say why."""

    channel_layer_alias = "none"  # no Redis is needed to say no

    async def connect(self) -> None:
        await self.accept()
        await self.close(code=UNKNOWN_PATH)


websocket_urlpatterns: list[URLPattern] = [
    *run_patterns,
    re_path(r"^.*$", UnknownSocket.as_asgi()),
]
