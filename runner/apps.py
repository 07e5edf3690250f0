"""The runner as a Django app: its checks, what apps register, and the triggers that every migrate renews."""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class RunnerConfig(AppConfig):
    name = "runner"
    verbose_name = "Runner"

    def ready(self) -> None:
        """Register the system checks and the triggers' receivers; load the tools and handlers of all apps."""
        from editor.installed import register_catalog, register_gate
        from editor.signals import draft_changed, draft_saved, review_moved, rights_changed
        from runner import catalog, checks, streaming, triggers  # noqa: F401 - the checks register themselves
        from runner.services import review_news
        from runner.services.flow_test_runs import refuse_failing_tests

        catalog.load_registrations()
        register_catalog(catalog.CATALOG)
        register_gate(refuse_failing_tests)
        rights_changed.connect(streaming.publish_rights, dispatch_uid="runner.streaming")
        draft_changed.connect(streaming.publish_draft, dispatch_uid="runner.streaming.drafts")
        draft_saved.connect(streaming.publish_draft_saved, dispatch_uid="runner.streaming.drafts_saved")
        review_moved.connect(review_news.heard, dispatch_uid="runner.review_news")
        pre_migrate.connect(triggers.before_migrate, sender=self, dispatch_uid="runner.triggers")
        post_migrate.connect(triggers.after_migrate, sender=self, dispatch_uid="runner.triggers")
