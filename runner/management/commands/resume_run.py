"""`manage.py resume_run RUN_ID`: goes on with a run that is paused, failed, or has nobody who works on it."""

from __future__ import annotations

import getpass
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from runner.engine.errors import RunError
from runner.engine.statuses import RunStatus
from runner.management.printing import follow_to_the_end
from runner.models import Run
from runner.services.runs import resume_run, retry_step


class Command(BaseCommand):
    help = (
        "Goes on with a run: resumes a paused one, tries the failed step of a failed one again, and follows it."
        " Exit code 0: it succeeded; 1: it failed or was canceled; 2: there is nothing to go on with."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run_id")
        parser.add_argument("--step", default=None, metavar="PATH", help="which failed step to try again")
        parser.add_argument("--work", action="store_true", help="do the run's work in this process, without a worker")

    def handle(self, *args: Any, **options: Any) -> None:
        run_id = options["run_id"]
        try:
            after = _go_on(run_id, options["step"])
        except RunError as error:
            self.stderr.write(f"{error.code}: {error.message}")
            raise SystemExit(2) from None
        follow_to_the_end(self, run_id, work=options["work"], after=after)


def _go_on(run_id: str, path: str | None) -> int:
    """Resume or retry, as the run's status asks; gives the number of the newest event before it."""
    run = Run.objects.filter(pk=run_id).only("id", "status", "seq").first()
    if run is None:
        raise RunError("not_found", f"There is no run {run_id!r}.")
    actor = {"kind": "user", "id": "command line", "name": getpass.getuser()}
    if run.status == RunStatus.PAUSED:
        resume_run(run_id, actor=actor)
    elif run.status == RunStatus.FAILED:
        retry_step(run_id, _failed_step(run, path), actor=actor)
    elif run.status in (RunStatus.SUCCEEDED, RunStatus.CANCELED):
        raise RunError("run_finished", f"The run has ended: {run.status}. Start a new one.")
    return run.seq


def _failed_step(run: Run, path: str | None) -> str:
    found = run.step_runs.filter(restorable=True).exclude(status="canceled")
    if path is not None:
        found = found.filter(path=path)
    steps = list(found.values_list("id", "path"))
    # Containers around a failed step have failed with it; the step itself lies furthest inside.
    inner = [(id_, own) for id_, own in steps if not any(other.startswith(f"{own}.") for _, other in steps)]
    if len(inner) != 1:
        among = ", ".join(own for _, own in inner) or "none"
        raise RunError("step_not_failed", f"Name the failed step with --step PATH. There are: {among}.")
    return str(inner[0][0])
