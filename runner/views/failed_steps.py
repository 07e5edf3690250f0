"""How many steps of runs failed for good: attempts that failed and were not tried again. For honest statuses."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count, Exists, OuterRef

from runner.engine.statuses import RunStatus, StepStatus
from runner.models import Run, StepRun

_FAILED = (StepStatus.FAILED, StepStatus.BUDGET_EXHAUSTED)


def failed_steps(runs: Iterable[Run]) -> dict[str, int]:
    """For each run that ended well: the number of its failed steps, if any. One query for all."""
    ended_well = [run.pk for run in runs if run.status == RunStatus.SUCCEEDED]
    if not ended_well:
        return {}
    later = StepRun.objects.filter(
        run=OuterRef("run"), path=OuterRef("path"), visit=OuterRef("visit"), attempt__gt=OuterRef("attempt")
    )
    counted = (
        StepRun.objects.filter(run__in=ended_well, status__in=_FAILED)
        .filter(~Exists(later))
        .values("run")
        .annotate(failed=Count("pk"))
    )
    return {row["run"]: row["failed"] for row in counted}
