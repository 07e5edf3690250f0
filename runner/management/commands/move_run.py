"""`manage.py move_run RUN_ID --number N`: lets a stopped run go on as another version with the same structure."""

from __future__ import annotations

import getpass
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from runner.engine.errors import RunError
from runner.management.commands.fork_run import find_run, find_version
from runner.services.forks import move_run

_REFUSED = 2


class Command(BaseCommand):
    help = (
        "Moves a paused, waiting or failed run to another version of its flow with the same structure, and says what"
        " differs where it does not fit. Go on then with manage.py resume_run. Exit code 2: it was refused."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run_id")
        parser.add_argument("--number", type=int, required=True, metavar="N", help="of the version")

    def handle(self, *args: Any, **options: Any) -> None:
        actor = {"kind": "user", "id": "command line", "name": getpass.getuser()}
        try:
            run = find_run(options["run_id"])
            moved = move_run(run, find_version(run, options["number"]), actor=actor)
        except RunError as error:
            self.stderr.write(f"{error.code}: {error.message}")
            for difference in (error.details or {}).get("differences", []):
                self.stderr.write(f"  {difference}")
            raise SystemExit(_REFUSED) from None
        self.stdout.write(f"Run {moved.id} goes on as version {options['number']}. It is {moved.status}.")
