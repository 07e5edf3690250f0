"""The site as a Django app: its commands, and the Celery app for whoever sends a message."""

from django.apps import AppConfig


class FlowsiteConfig(AppConfig):
    name = "flowsite"
    verbose_name = "Flowsite"

    def ready(self) -> None:
        """Make our Celery app the current one, so that `runner.dispatch` can send by task name."""
        from flowsite import celery  # noqa: F401
