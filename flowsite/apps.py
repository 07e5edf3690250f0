"""The site as a Django app: its commands, its groups, and the Celery app for whoever sends a message."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class FlowsiteConfig(AppConfig):
    name = "flowsite"
    verbose_name = "Flowsite"

    def ready(self) -> None:
        """Make our Celery app the current one, so that `runner.dispatch` can send by task name."""
        from flowsite import celery  # noqa: F401
        from flowsite.groups import create_groups

        # Bound to the last app with tables that groups need, so that they exist whenever the site's own do.
        post_migrate.connect(create_groups, sender=self)
