"""Rows about the processes of the site itself: their signs of life, and the test clock."""

from __future__ import annotations

from django.db import models

from runner.models.fields import InstantField, JsonTextField


class Heartbeat(models.Model):
    """When a process was last seen alive. `kind`: worker or sweeper; the name is that of host and process."""

    name = models.CharField(primary_key=True, max_length=200)
    kind = models.CharField(max_length=20)
    at = InstantField()
    started_at = InstantField()
    detail = JsonTextField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["kind", "at"], name="heartbeat_kind")]

    def __str__(self) -> str:
        return self.name


class ClockOffset(models.Model):
    """Milliseconds added to the database's time. Read only where settings say that tests are running."""

    offset_ms = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.offset_ms} ms"
