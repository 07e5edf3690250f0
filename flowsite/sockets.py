"""The site's WebSocket paths: those of the apps, then a clear close for all others."""

from channels.generic.websocket import AsyncWebsocketConsumer
from django.urls import URLPattern, re_path

from runner.routing import websocket_urlpatterns as run_patterns

UNKNOWN_PATH = 4404


class UnknownSocket(AsyncWebsocketConsumer):
    """Accepts a socket on a path nobody serves and closes it with code 4404, so that the page can say why."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(code=UNKNOWN_PATH)


websocket_urlpatterns: list[URLPattern] = [
    *run_patterns,
    re_path(r"^.*$", UnknownSocket.as_asgi()),
]
