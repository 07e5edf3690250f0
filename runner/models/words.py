"""By which words a run is found: taken from its inputs when it starts. Written by `runner.store` only."""

from __future__ import annotations

from django.db import models

from runner.models.fields import InstantField
from runner.models.runs import Run
from runner.models.steps import OfRunQuerySet

LONGEST_WORD = 40


class RunWord(models.Model):
    """One word of a run's inputs, in lower case, with the start of the run: the newest runs are found first."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="words", db_index=False)
    word = models.CharField(max_length=LONGEST_WORD)
    started_at = InstantField()

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "word"], name="runword_once")]
        indexes = [models.Index(fields=["word", "-started_at", "run"], name="runword_newest")]

    def __str__(self) -> str:
        return self.word
