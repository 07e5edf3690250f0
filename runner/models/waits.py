"""What a run waits for: timers and signals. Written by `runner.store` only."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from runner.models.fields import HoldsValues, InstantField, JsonTextField
from runner.models.runs import Run
from runner.models.steps import OfRunQuerySet


class Timer(models.Model):
    """Something due: a wait, a time limit, an approval's expiry. A row, never a broker's delay."""

    id = models.CharField(primary_key=True, max_length=80)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="timers", db_index=False)
    kind = models.CharField(max_length=20)
    due_at = InstantField()
    step_id = models.CharField(max_length=32, null=True)
    scope = models.BigIntegerField(null=True)
    status = models.CharField(max_length=20, default="armed")

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(id=""), name="timer_id_not_empty")]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(status="armed"), name="timer_due"),
            models.Index(fields=["run"], condition=Q(status="armed"), name="timer_armed"),
            models.Index(fields=["run", "id"], name="timer_of_run"),
            models.Index(fields=["step_id"], condition=Q(status="armed"), name="timer_of_step"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} timer"


class Signal(HoldsValues):
    """A signal from outside, kept until a wait takes it."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="signals", db_index=False)
    n = models.BigIntegerField()
    key = models.CharField(max_length=255)
    value = JsonTextField(null=True)
    value_ref = models.CharField(max_length=80, null=True)
    value_size = models.BigIntegerField(default=0)
    at = InstantField()
    taken_by = models.CharField(max_length=32, null=True)

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "n"], name="signal_number")]

    def __str__(self) -> str:
        return f"signal {self.key}"
