"""`manage.py fork_run RUN_ID --at SEQ`: starts a run that goes on from where a run stood at one of its events."""

from __future__ import annotations

import getpass
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from editor.language.errors import LanguageError
from editor.language.json_gate import load_json
from editor.models import FlowVersion
from runner import dispatch
from runner.engine.errors import RunError
from runner.management.printing import follow_to_the_end
from runner.models import Run
from runner.services.forks import fork_run, plan_fork

_REFUSED = 2


class Command(BaseCommand):
    help = (
        "Forks a run: a new one goes on from an event of it, with changed state where --set says so."
        " Exit code 0: the fork succeeded; 1: it failed or was canceled; 2: it could not start."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run_id")
        parser.add_argument("--at", type=int, required=True, metavar="SEQ", help="number of the event")
        parser.add_argument("--set", action="append", default=[], metavar="KEY=JSON", help="may be repeated")
        parser.add_argument("--number", type=int, default=None, metavar="N", help="of another version that fits")
        parser.add_argument("--key", default=None, help="idempotency key: the same key gives the same run")
        parser.add_argument("--plan", action="store_true", help="only say which steps would start")
        parser.add_argument("--detach", action="store_true", help="print the run's id and leave it to the workers")
        parser.add_argument("--work", action="store_true", help="do the run's work in this process, without a worker")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            run = find_run(options["run_id"])
            if options["plan"]:
                self._tell_plan(run, options["at"])
                return
            started = fork_run(
                run,
                options["at"],
                actor={"kind": "user", "id": "command line", "name": getpass.getuser()},
                state=_state(options["set"]),
                version=None if options["number"] is None else find_version(run, options["number"]),
                idempotency_key=options["key"],
            )
        except (LanguageError, RunError) as error:
            self.stderr.write(f"{error.code}: {error.message}")
            raise SystemExit(_REFUSED) from None
        self.stdout.write(f"Run {started.run_id} {'started' if started.is_new else 'was started before'}.")
        if options["detach"]:
            dispatch.flush()
            return
        follow_to_the_end(self, started.run_id, work=options["work"])

    def _tell_plan(self, run: Run, seq: int) -> None:
        plan = plan_fork(run, seq)
        self.stdout.write(f"At event {plan.seq} these steps would start: {', '.join(plan.starts) or 'none'}.")
        for one in plan.repeats:
            self.stdout.write(f"{one.path} had begun: what it does outside may happen twice.")


def find_run(run_id: str) -> Run:
    """The run with this id. Raises RunError `not_found`."""
    run = Run.objects.select_related("version").filter(pk=run_id).first()
    if run is None:
        raise RunError("not_found", f"There is no run {run_id!r}.")
    return run


def find_version(run: Run, number: int) -> FlowVersion:
    """A published version of the run's flow. Raises RunError `not_found`."""
    found = FlowVersion.objects.published().filter(flow_id=run.flow_id, number=number).first() if run.flow_id else None
    if found is None:
        raise RunError("not_found", f"The flow of this run has no version {number}.")
    return found


def _state(given: list[str]) -> dict[str, Any]:
    """State as written on the command line. Raises RunError `validation_failed`, LanguageError for what is no JSON."""
    state: dict[str, Any] = {}
    for pair in given:
        key, equals, text = pair.partition("=")
        if not equals:
            raise RunError("validation_failed", f"Write a key as KEY=JSON, not {pair!r}.")
        state[key] = load_json(text, what=f"the value of {key}")
    return state
