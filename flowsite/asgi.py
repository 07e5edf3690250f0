"""The ASGI entry point: HTTP to Django, WebSockets (from our own pages only) to the consumers of the apps."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flowsite.settings")
os.environ.setdefault("FLOWSITE_DB_POOL", "8")  # Postgres only: this process is never forked, so it may pool

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.core.asgi import get_asgi_application

django_application = get_asgi_application()

from flowsite.sockets import ExactOrigins, websocket_urlpatterns  # noqa: E402 - consumers need the loaded apps

application = ProtocolTypeRouter(
    {
        "http": django_application,
        "websocket": ExactOrigins(AuthMiddlewareStack(URLRouter(websocket_urlpatterns)), settings.WEBSOCKET_ORIGINS),
    }
)
