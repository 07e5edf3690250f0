"""A run's own values as its page shows them: inputs one by one, result, error. Sensitive inputs stay covered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from runner.models import Run
from runner.serializers.texts import Piece, pieces, pretty
from runner.services.sensitive import sensitive_inputs
from runner.views.values import Shown, shown, shown_of

COVERED = "covered: sensitive"


@dataclass(frozen=True)
class RunValues:
    """Inputs, result and error of one run."""

    inputs: list[Shown]
    result: Shown
    error: dict[str, Any] | None
    error_message: list[Piece]
    error_details: list[Piece]


def run_values(run: Run) -> RunValues:
    """What the page of a run says about its values."""
    error = run.error
    details = (error or {}).get("details")
    return RunValues(
        _inputs(run),
        shown_of(run, "result", "Result", reverse("run-value", args=[run.pk, "result"])),
        error,
        pieces(str((error or {}).get("message", ""))),
        pieces(pretty(details)) if details else [],
    )


def _inputs(run: Run) -> list[Shown]:
    url = reverse("run-value", args=[run.pk, "inputs"])
    if run.inputs_ref is not None:
        return [shown_of(run, "inputs", "All inputs", url)]
    covered = sensitive_inputs(run)
    return [
        Shown(name, masked=COVERED) if name in covered else shown(name, value, url=url)
        for name, value in (run.inputs or {}).items()
    ]
