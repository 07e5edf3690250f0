"""By which values and errors a run is found. Written by `runner.store` only, in the transaction that makes them so."""

from __future__ import annotations

from django.db import models

from runner.models.fields import InstantField
from runner.models.runs import Run
from runner.models.steps import OfRunQuerySet

LONGEST_KEY, LONGEST_VALUE = 200, 200
INPUT, ERROR = "input", "error"


class RunFact(models.Model):
    """One thing that a run is found by, with the start of the run: the newest runs are found first.

    `kind` input: `key` is the path of a value in the inputs, `value` that value as text. Nothing sensitive is kept.
    `kind` error: `value` is the code or a word of what a run failed with, or a step of a run that ended well.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="facts", db_index=False)
    kind = models.CharField(max_length=10)
    key = models.CharField(max_length=LONGEST_KEY)
    value = models.CharField(max_length=LONGEST_VALUE)
    started_at = InstantField()

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "kind", "key", "value"], name="runfact_once")]
        indexes = [models.Index(fields=["kind", "key", "value", "-started_at", "-run"], name="runfact_newest")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}={self.value}"
