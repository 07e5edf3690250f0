"""What tools and handlers logged, a row for each claim that logged anything. Written by `runner.store` only."""

from __future__ import annotations

from django.db import models

from runner.models.fields import InstantField, JsonTextField
from runner.models.runs import Run
from runner.models.steps import OfRunQuerySet, StepRun


class StepLog(models.Model):
    """The lines of one claim of an attempt, each `{at_ms, message, fields?}`; `dropped`: lines beyond the bound.

    Written with the attempt's result; while a longer attempt runs also in between, so that a lost worker's last
    lines can be read. An attempt that was taken over has a row for each fence.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="step_logs", db_index=False)
    step_run = models.ForeignKey(
        StepRun, on_delete=models.PROTECT, related_name="logs", db_column="step_id", db_index=False
    )
    fence = models.IntegerField()
    lines = JsonTextField()
    dropped = models.IntegerField(default=0)
    at = InstantField()

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["step_run", "fence"], name="steplog_of_claim")]
        indexes = [models.Index(fields=["run"], name="steplog_of_run")]

    def __str__(self) -> str:
        return f"log of claim {self.fence}"
