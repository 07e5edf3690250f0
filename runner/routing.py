"""WebSocket paths of runs. Origin, session and the close of unknown paths are the site's (`flowsite`)."""

from django.urls import URLPattern, path

from runner.consumers import RunConsumer

websocket_urlpatterns: list[URLPattern] = [
    path("ws/runs/<slug:run_id>/", RunConsumer.as_asgi()),
]
