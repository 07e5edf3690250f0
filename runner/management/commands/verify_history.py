"""`manage.py verify_history RUN_ID…`: whether anybody has altered a run's history, or a row that tells of it."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand

from runner.engine.errors import RunError
from runner.models import PurgeTicket, Run
from runner.services.history import Verdict, runs_without_rows, verify_history


class Command(BaseCommand):
    help = (
        "Proves runs: recomputes the chain of hashes and the signatures, compares every row with what the events say,"
        " and names the first row that is not as it was written. Exit code 0: all is whole; 1: something was altered;"
        " 3: nothing was found, but not all could be proven (the notes say what); 2: no such run."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run_ids", nargs="*", metavar="RUN_ID")
        parser.add_argument("--all", action="store_true", help="every run of the site, the oldest first")
        parser.add_argument("--sample", type=int, metavar="N", help="so many runs, chosen by chance")
        parser.add_argument("--flow", metavar="ID", help="with --all or --sample: only runs of this flow")
        parser.add_argument("--json", action="store_true", help="one JSON object a line for each run, then the counts")

    def handle(self, *args: Any, **options: Any) -> None:
        is_json, counts = options["json"], Counter({"whole": 0, "unproven": 0, "altered": 0})
        for run_id in self._chosen(options):
            verdict = self._verify(run_id)
            counts[verdict.result] += 1
            self._tell_json(verdict) if is_json else self._tell(verdict)
        if is_json:
            self.stdout.write(json.dumps({"checked": counts.total(), **counts}))
        elif counts.total() != 1:
            told = ", ".join(f"{count:,} {result}" for result, count in counts.items())
            self.stdout.write(f"{counts.total():,} runs: {told}.")
        if counts["altered"]:
            raise SystemExit(1)
        if counts["unproven"]:
            raise SystemExit(3)

    def _chosen(self, options: dict[str, Any]) -> Iterator[str]:
        runs = Run.objects.all() if options["flow"] is None else Run.objects.filter(flow=options["flow"])
        given = sum((bool(options["run_ids"]), options["all"], options["sample"] is not None))
        if given != 1 or (options["sample"] or 1) < 1:
            self.stderr.write("Name runs, or say --all, or --sample with a number above 0: one of the three.")
            raise SystemExit(2)
        if options["run_ids"]:
            yield from options["run_ids"]
        elif options["all"]:
            yield from runs.order_by("started_at", "pk").values_list("pk", flat=True).iterator()
            yield from runs_without_rows() if options["flow"] is None else []
        else:
            yield from runs.order_by("?").values_list("pk", flat=True)[: options["sample"]]

    def _verify(self, run_id: str) -> Verdict:
        try:
            return verify_history(run_id)
        except RunError as error:
            ticket = PurgeTicket.objects.filter(run_id=run_id).first()
            told = f" It was deleted on {ticket.at:%Y-%m-%d} ({ticket.reason}); its ticket stays." if ticket else ""
            self.stderr.write(f"{error.code}: {error.message}{told}")
            raise SystemExit(2) from None

    def _tell_json(self, verdict: Verdict) -> None:
        self.stdout.write(json.dumps(verdict.as_json(), ensure_ascii=False))

    def _tell(self, verdict: Verdict) -> None:
        for note in verdict.notes:
            self.stderr.write(note)
        if verdict.fault is not None:
            self.stdout.write(f"Run {verdict.run_id} was altered: {verdict.fault}")
            return
        signed = f"{verdict.signatures} signed" if verdict.signatures else "none signed yet"
        whole = "is whole" if verdict.is_proven else "has no fault, but not all could be proven"
        self.stdout.write(f"Run {verdict.run_id} {whole}: {verdict.events} events, {signed}, {verdict.rows} rows.")
