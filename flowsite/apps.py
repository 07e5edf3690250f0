"""The site as a Django app: its commands, its groups, and the Celery app for whoever sends a message."""

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class FlowsiteConfig(AppConfig):
    name = "flowsite"
    verbose_name = "Flowsite"

    def ready(self) -> None:
        """Make our Celery app the current one, so that `runner.dispatch` can send by task name."""
        from flowsite import celery, checks  # noqa: F401
        from flowsite.groups import create_groups

        # Bound to the app whose table it is: an app without models of its own, like this one, gets no signal.
        post_migrate.connect(create_groups, sender=apps.get_app_config("auth"))
