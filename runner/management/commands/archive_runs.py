"""`manage.py archive_runs FOLDER`: writes dossiers of all runs that `purge_runs` would delete; see keeping.py."""

from __future__ import annotations

import getpass
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from runner.engine.errors import RunError
from runner.services.dossier.keeping import archive_old_runs
from runner.services.retention import STATUSES, Rule

_SOME_MISSING, _REFUSED = 1, 2


class Command(BaseCommand):
    help = (
        "Writes a dossier of each run that ended long ago, into FOLDER/DAY/ID.zip, unless one is there."
        " Exit code 1: some runs got none, and the lines say why; 2: the rule makes no sense, or no file is writable."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--older-than", type=int, required=True, metavar="DAYS", help="since the run's end")
        parser.add_argument("--status", action="append", choices=STATUSES, help="may be repeated; left out: all ended")
        parser.add_argument("--flow", metavar="ID", help="only runs of this flow")
        parser.add_argument("--limit", type=int, default=1_000_000, metavar="N", help="at most so many runs")

    def handle(self, *args: Any, **options: Any) -> None:
        rule = Rule(options["older_than"], tuple(options["status"] or STATUSES), options["flow"])
        actor = {"kind": "user", "id": "command line", "name": getpass.getuser()}
        refused: list[str] = []

        def note(run_id: str, error: RunError) -> None:
            refused.append(run_id)
            self.stderr.write(f"{run_id}: {error.code}: {error.message}")

        try:
            done = archive_old_runs(rule, options["folder"], by=actor, limit=options["limit"], refused=note)
        except RunError as error:
            self.stderr.write(f"{error.code}: {error.message}")
            raise SystemExit(_REFUSED) from None
        except OSError as error:
            self.stderr.write(f"{error.filename or options['folder']} cannot be written: {error.strerror}.")
            raise SystemExit(_REFUSED) from None
        self.stdout.write(f"{done.written} dossiers written, {done.there} were there, {len(refused)} refused.")
        if refused:
            raise SystemExit(_SOME_MISSING)
