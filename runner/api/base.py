"""Finding what an endpoint of runs is about, and telling it. What every endpoint shares is the editor's."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import NotFound
from rest_framework.response import Response

from runner.models import Run, StepRun
from runner.models.runs import RunQuerySet
from runner.permissions import demand_control
from runner.serializers.api.runs import RunShape
from runner.services.runs import StartedRun
from runner.services.sensitive import sensitive_inputs


def find_run(user: Any, run_id: str) -> Run:
    """A run that this user may see, without its values. Raises NotFound for every other, there or not."""
    run = _for_showing(Run.objects.visible_to(user)).filter(pk=run_id).first()
    if run is None:
        raise NotFound(f"There is no run {run_id!r}, or it is not for you to see.")
    return run


def find_whole_run(user: Any, run_id: str) -> Run:
    """The same with its values and the document of its version."""
    return Run.objects.select_related("version").get(pk=find_run(user, run_id).pk)


def started_answer(started: StartedRun) -> Response:
    """A run that the caller has just started, for which they needed the right to run its flow: that brings sight of it.

    200 where it had been started before, with the same key. (Asking by rule would take as long as the start, and
    meanwhile its first step waits for this process.)
    """
    shown = shown_run(_for_showing(Run.objects.all()).get(pk=started.run_id))
    headers = {"Location": f"/api/runs/{started.run_id}/"}
    return Response(shown, status=201 if started.is_new else 200, headers=headers)


def _for_showing(rows: RunQuerySet) -> RunQuerySet:
    rows = rows.select_related("flow", "version", "started_by")
    return rows.defer("inputs", "result", "snapshot", "given_ends", "version__document")


def controlled(user: Any, run_id: str) -> Run:
    """A run, for somebody who may control it. Raises NotFound or PermissionDenied."""
    run = find_run(user, run_id)
    demand_control(user, run)
    return run


def find_step(run: Run, step_id: str) -> StepRun:
    """A step run of a run, without its values. Raises NotFound."""
    rows = StepRun.objects.filter(run=run, pk=step_id).defer("input", "output", "delta", "late_output")
    step: StepRun | None = rows.first()
    if step is None:
        raise NotFound(f"The run has no step run {step_id!r}.")
    return step


def shown_run(run: Run, *, with_values: bool = False) -> dict[str, Any]:
    """A run as the API tells it."""
    shown: dict[str, Any] = RunShape(run).data
    if with_values:
        covered = sensitive_inputs(run)
        inputs = run.value_of("inputs") or {}
        shown["values"] = {
            "inputs": {name: value for name, value in inputs.items() if name not in covered},
            "covered": sorted(covered & set(inputs)),
            "result": run.value_of("result"),
        }
    return shown
