"""Safe replay of a flow's past runs against a draft, in the simulator. Recorded replies stand in; nothing is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from editor.language.catalog import Catalog
from editor.language.problems import errors_of
from editor.language.schema import parse_document
from editor.models import Flow, FlowVersion
from editor.services import FlowInvalidError, check_document
from runner.engine.errors import RunError
from runner.engine.program import Program, compile_program
from runner.engine.statuses import RUN_ENDED
from runner.models import Run, RunQuerySet
from runner.services.programs import limits
from runner.services.recordings import NO_WHOLE_RUN, read_recorded
from runner.simulation.flow_test import as_frozen
from runner.simulation.safe_replay import Replayed, replay

#: Runs that are replayed at once, at most.
MOST_RUNS = 100


def runs_to_replay(flow: Flow, user: Any, number: int) -> tuple[FlowVersion | None, RunQuerySet]:
    """The newest version of a flow, and its newest runs that have ended and are no part of another run."""
    version = FlowVersion.objects.filter(flow=flow).published().order_by("-number").defer("document").first()
    if version is None:
        return None, Run.objects.none()
    rows = Run.objects.visible_to(user).filter(flow=flow, version=version, status__in=RUN_ENDED)
    rows = rows.filter(parent_run__isnull=True, flow_test__isnull=True, trial__isnull=True).order_by(
        "-started_at", "-pk"
    )
    return version, rows.defer("inputs", "result", "snapshot")[:number]


def changed_program(flow: Flow, document: Mapping[str, Any], catalog: Catalog) -> Program:
    """A draft compiled for the simulator. Raises FlowInvalidError where it has errors."""
    problems = check_document(document, catalog, flow)
    definition = parse_document(dict(document)).definition
    if definition is None or errors_of(problems):
        raise FlowInvalidError(problems)
    return compile_program(as_frozen(definition), catalog, limits())


def replay_runs(runs: Iterable[Run], changed: Program) -> Iterator[tuple[Run, Replayed]]:
    """Replay runs one by one. A try cannot be compared with whole runs."""
    for run in runs:
        if run.trial is not None:
            yield run, Replayed(troubles=(f"{NO_WHOLE_RUN} Choose a whole run of the flow.",))
            continue
        try:
            yield run, replay(read_recorded(run), changed)
        except RunError as fault:
            yield run, Replayed(troubles=(fault.message,))
