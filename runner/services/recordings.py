"""A flow test made of a run of this site, ready to be kept. Nothing is saved and nothing runs but the simulator."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from editor.language.catalog import Catalog
from editor.language.errors import LanguageError
from runner.engine.errors import RunError
from runner.models import Run
from runner.services.families import read_family
from runner.services.flow_test_files import kept_part, surroundings
from runner.simulation.flow_test_file import FlowTestError
from runner.simulation.recorded import RecordedRun, recorded
from runner.simulation.recording import Recording, record_test

#: Runs with longer histories are not recorded or replayed.
MOST_EVENTS = 10_000

NO_WHOLE_RUN = "This run is a try of single steps: nothing before them ran."


def read_recorded(run: Run) -> RecordedRun:
    """What a run was made of. Raises RunError: `limit_exceeded` for a long history, `not_found`, `flow_invalid`."""
    if run.seq > MOST_EVENTS:
        told = f"The run {run.pk} has more than {MOST_EVENTS:,} events. Choose a shorter one."
        raise RunError("limit_exceeded", told)
    try:
        return recorded(read_family(run.pk))
    except LookupError as gone:
        raise RunError("not_found", f"The run {run.pk} is not there any more. {gone}") from None


def record_run(run: Run, *, catalog: Catalog, by: Any) -> Recording:
    """Make a test of a run: what is kept of it, what else could be expected, and what was replaced.

    Sensitive values are replaced by stand-ins. Raises RunError as `read_recorded` does, LanguageError
    `validation_failed` where no test comes of the run.
    """
    _demand_family(run, by)
    read = read_recorded(run)
    if run.forked_from is not None:
        told = "This run is a fork: it goes on from the middle of another. Record the run that it came from."
        raise LanguageError("validation_failed", told)
    if run.trial is not None:
        raise LanguageError("validation_failed", f"{NO_WHOLE_RUN} Record a whole run of the flow.")
    document = json.loads(run.version.document)
    base: dict[str, Any] = {"name": name_of(run), "flow": document, **surroundings(document, catalog, by)}
    try:
        made = record_test(read, base)
    except (FlowTestError, ValueError, AssertionError, RunError) as fault:
        raise LanguageError("validation_failed", f"No test can be made of this run. {fault}") from None
    return replace(made, content=kept_part(made.content, base))


def _demand_family(run: Run, by: Any) -> None:
    """Raise LanguageError unless this person sees the runs of the sub-flows too: their replies go into the test."""
    known = [run.pk]
    for parent in known:  # the list grows while it is read
        known += Run.objects.filter(parent_run=parent).values_list("pk", flat=True)
    if Run.objects.visible_to(by).filter(pk__in=known).count() < len(known):
        told = "The run has started runs of other flows, which you may not see. Ask the owners to share those with you."
        raise LanguageError("permission_denied", told)


def name_of(run: Run) -> str:
    """What a recorded test is called at first."""
    return f"Run {run.pk[:8]}, {run.status}"
