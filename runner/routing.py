"""WebSocket paths of runs and of the inbox. Origin, session and the close of unknown paths are the site's."""

from django.urls import URLPattern, path

from runner.consumers import InboxConsumer, RunConsumer

websocket_urlpatterns: list[URLPattern] = [
    path("ws/inbox/", InboxConsumer.as_asgi()),
    path("ws/runs/<slug:run_id>/", RunConsumer.as_asgi()),
]
