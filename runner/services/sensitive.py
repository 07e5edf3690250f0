"""What of a run is sensitive: which inputs, which step runs. Pages and endpoints cover it; the admin shows it."""

from __future__ import annotations

import json

from runner.engine.errors import RunError
from runner.models import Run, StepRun
from runner.services.programs import program_of_run


def sensitive_inputs(run: Run) -> frozenset[str]:
    """The names of the inputs that the flow marks as sensitive."""
    try:
        return program_of_run(run.pk)[1].sensitive_keys
    except RunError:  # this installation cannot read the flow any more
        declared = json.loads(run.version.document).get("inputs", [])
        return frozenset(one["name"] for one in declared if one.get("sensitive"))


def touches_sensitive(run: Run, step: StepRun) -> bool:
    """Whether what the attempt had and gave may hold sensitive values."""
    try:
        return program_of_run(run.pk)[1].node(step.node).sensitive
    except (RunError, KeyError):
        return bool(sensitive_inputs(run))
