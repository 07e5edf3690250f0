"""Views of the run list that people have saved: a name for what an address asks for."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

LONGEST_NAME, LONGEST_QUERY = 80, 2_000


class SavedViewQuerySet(models.QuerySet["SavedView"]):
    """Questions about saved views."""

    def of(self, user: Any) -> SavedViewQuerySet:
        """The views of a person: everybody sees their own."""
        return self.filter(person=user.pk).order_by("name", "pk")


class SavedView(models.Model):
    """What one person looks at often. `query` is the query string of the list, without a place in it."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=LONGEST_NAME)
    query = models.CharField(max_length=LONGEST_QUERY, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = SavedViewQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "name"], name="savedview_name")]

    def __str__(self) -> str:
        return self.name
