"""`manage.py run_dossier RUN_ID --out FILE`: one file for one run, which an auditor verifies offline."""

from __future__ import annotations

import getpass
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from runner.engine.errors import RunError
from runner.services.dossier.keeping import write_dossier

_REFUSED = 2


class Command(BaseCommand):
    help = (
        "Writes the dossier of a run: its history as it was hashed, document, approvals, artifacts, a page to read and"
        " verify.py. The run is checked first; one that was altered gets none. Exit code 2: it was refused."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run_id")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the zip to be written")
        parser.add_argument("--reveal", action="store_true", help="with sealed values; needs --reason")
        parser.add_argument("--reason", default="", help="kept in the audit")

    def handle(self, *args: Any, **options: Any) -> None:
        actor = {"kind": "user", "id": "command line", "name": getpass.getuser()}
        out: Path = options["out"]
        try:
            write_dossier(options["run_id"], out, by=actor, reveal=options["reveal"], reason=options["reason"])
        except RunError as error:
            self.stderr.write(f"{error.code}: {error.message}")
            raise SystemExit(_REFUSED) from None
        except OSError as error:
            self.stderr.write(f"{out} cannot be written: {error.strerror}.")
            raise SystemExit(_REFUSED) from None
        self.stdout.write(f"{out}: verify it with python3 verify.py, which lies in it.")
