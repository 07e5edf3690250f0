"""The site's WebSocket paths: those of the apps, then a clear close for all others."""

from channels.generic.websocket import AsyncWebsocketConsumer
from django.urls import URLPattern, re_path

UNKNOWN_PATH = 4404


class UnknownSocket(AsyncWebsocketConsumer):
    """Accepts a socket on a path nobody serves and closes it with code 4404, so that the page can say why."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(code=UNKNOWN_PATH)


websocket_urlpatterns: list[URLPattern] = [
    re_path(r"^.*$", UnknownSocket.as_asgi()),
]
