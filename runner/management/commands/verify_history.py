"""`manage.py verify_history RUN_ID…`: whether anybody has altered a run's history."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from runner.engine.errors import RunError
from runner.models import Run
from runner.services.history import verify_history


class Command(BaseCommand):
    help = "Recomputes the chain of hashes and the signatures of runs, and names the first row that is not as written."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run_ids", nargs="*", metavar="RUN_ID")
        parser.add_argument("--all", action="store_true", help="every run of the site")

    def handle(self, *args: Any, **options: Any) -> None:
        run_ids = options["run_ids"]
        if options["all"]:
            run_ids = Run.objects.order_by("started_at").values_list("pk", flat=True).iterator()
        elif not run_ids:
            self.stderr.write("Name a run, or say --all.")
            raise SystemExit(2)
        is_whole = True
        for run_id in run_ids:
            is_whole &= self._verify(run_id)
        if not is_whole:
            raise SystemExit(1)

    def _verify(self, run_id: str) -> bool:
        try:
            verdict = verify_history(run_id)
        except RunError as error:
            self.stderr.write(f"{error.code}: {error.message}")
            raise SystemExit(2) from None
        for note in verdict.notes:
            self.stderr.write(note)
        if verdict.fault is not None:
            self.stdout.write(f"Run {run_id} was altered: {verdict.fault}")
            return False
        self.stdout.write(f"Run {run_id} is whole: {verdict.events} events, {verdict.signatures} signed.")
        return True
