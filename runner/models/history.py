"""A run's history: events, signed heads, snapshots, and the tickets that alone open it to deletion."""

from __future__ import annotations

import json
from typing import Any

from django.db import models
from django.db.models import Q
from django.db.models.expressions import RawSQL

from runner.models.fields import InstantField, JsonTextField, RowNumberField
from runner.models.runs import Run
from runner.models.steps import OfRunQuerySet

ACTS = (
    "approval-decided", "flow-canceled", "flow-start", "run-forked", "run-moved", "run-paused", "run-resumed",
    "signal-received", "step-retry-created",
)  # fmt: skip
"""Types of events that say what a person or a program did to a run."""
ENGINE_ACTOR = {"kind": "engine"}
_ACTS_SQL = (
    f""""runner_event"."type" IN ({", ".join(f"'{act}'" for act in ACTS)})"""
    """ AND NOT ("runner_event"."actor" = '{"kind":"engine"}')"""
)
"""The condition of the index `event_acts`, word for word: SQLite uses a partial index for constants only."""


class EventQuerySet(OfRunQuerySet):
    """Questions about events."""

    def acts(self) -> EventQuerySet:
        """What people and programs did: events of these types that the engine did not make by itself."""
        return self.filter(RawSQL(_ACTS_SQL, [], output_field=models.BooleanField()))

    def after(self, run_id: str, seq: int, limit: int = 200) -> EventQuerySet:
        """The next events of a run after a number, in order."""
        return self.filter(run_id=run_id, seq__gt=seq).order_by("seq")[:limit]


class Event(models.Model):
    """One fact of a run. `text` is the canonical text that was hashed; the rest repeats it for queries."""

    id = RowNumberField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="events", db_index=False)
    seq = models.BigIntegerField()
    type = models.CharField(max_length=40)
    level = models.CharField(max_length=10)
    ts = InstantField()
    actor = JsonTextField()
    step = models.CharField(max_length=63, null=True)
    path = models.TextField(null=True)
    visit = models.IntegerField(null=True)
    attempt = models.IntegerField(null=True)
    text = models.TextField()
    prev = models.CharField(max_length=80)
    hash = models.CharField(max_length=80)

    objects = EventQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "seq"], name="event_seq")]
        indexes = [
            models.Index(
                fields=["-ts", "-run", "-seq"],
                condition=Q(type__in=ACTS) & ~Q(actor=ENGINE_ACTOR),
                name="event_acts",
            )
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"

    @property
    def data(self) -> dict[str, Any]:
        """What the event says beyond its envelope."""
        data: dict[str, Any] = json.loads(self.text)["data"]
        return data


class SignedHead(models.Model):
    """A signature, by a key kept outside the database, over the hash of a run's newest event."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="signed_heads", db_index=False)
    seq = models.BigIntegerField()
    hash = models.CharField(max_length=80)
    signature = models.CharField(max_length=200)
    key_id = models.CharField(max_length=40)
    at = InstantField()

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "seq", "key_id"], name="signedhead_once")]

    def __str__(self) -> str:
        return f"head {self.seq}"


class Snapshot(models.Model):
    """What lived at one number of a run's events, by reference: a rebuilding may begin here."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="snapshots", db_index=False)
    seq = models.BigIntegerField()
    at = InstantField()
    refs = JsonTextField()

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "seq"], name="snapshot_seq")]

    def __str__(self) -> str:
        return f"snapshot at {self.seq}"


class PurgeTicket(models.Model):
    """Who deleted a run's rows, why, and what they were. Written before the deletion, never deleted."""

    run_id = models.CharField(max_length=32, unique=True)
    head_hash = models.CharField(max_length=80)
    counts = JsonTextField()
    actor = JsonTextField()
    reason = models.TextField()
    at = InstantField()

    def __str__(self) -> str:
        return f"purge of run {self.run_id}"
