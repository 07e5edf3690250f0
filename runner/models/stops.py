"""The incident switch: what an admin has stopped, and the one number that changes with it. `runner.store` writes it."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from editor.visibility import GROUPS, is_one_of
from runner.models.fields import InstantField, JsonTextField
from runner.models.visibility import EVERYTHING, NOTHING


class StopQuerySet(models.QuerySet["Stop"]):
    """Questions about stops."""

    def visible_to(self, user: Any) -> StopQuerySet:
        """Whoever works on this site sees what is stopped, by whom and why."""
        return self.filter(EVERYTHING if is_one_of(user, *GROUPS) else NOTHING)

    def active(self) -> StopQuerySet:
        """What is stopped now."""
        return self.filter(released_at__isnull=True)


class Stop(models.Model):
    """Somebody stopped all flows, one flow, or one tool, until somebody releases it. `target`: its id or name."""

    class Scope(models.TextChoices):
        ALL = "all"
        FLOW = "flow"
        TOOL = "tool"

    scope = models.CharField(max_length=10, choices=Scope.choices)
    target = models.CharField(max_length=200, blank=True, default="")
    reason = models.TextField()
    actor = JsonTextField()
    at = InstantField()
    released_at = InstantField(null=True)
    release_actor = JsonTextField(null=True)
    release_note = models.TextField(blank=True, default="")

    objects = StopQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "target"], condition=Q(released_at__isnull=True), name="stop_active_once"
            ),
        ]

    def __str__(self) -> str:
        return f"stop of {self.what}"

    @property
    def what(self) -> str:
        """What is stopped, in words."""
        return "everything" if self.scope == self.Scope.ALL else f"the {self.scope} {self.target}"

    @property
    def by(self) -> str:
        """Who stopped it."""
        return str(self.actor.get("name") or self.actor.get("kind") or "somebody")


class StopsVersion(models.Model):
    """One row whose number changes with every stop and release: each claim reads it with the run's own row."""

    version = models.BigIntegerField()

    def __str__(self) -> str:
        return str(self.version)
