"""WebSocket paths of runs, of their list and of the inbox. Origin, session and unknown paths are the site's."""

from django.urls import URLPattern, path

from runner.consumers import DraftConsumer, InboxConsumer, RunConsumer, RunsConsumer

websocket_urlpatterns: list[URLPattern] = [
    path("ws/drafts/<slug:flow_id>/", DraftConsumer.as_asgi()),
    path("ws/inbox/", InboxConsumer.as_asgi()),
    path("ws/runs/", RunsConsumer.as_asgi()),
    path("ws/runs/<slug:run_id>/", RunConsumer.as_asgi()),
]
