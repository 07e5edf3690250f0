"""`manage.py transition_coverage PATH…`: which pairs of a status and a happening these flow tests exercise."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from runner.management.commands.test_flow import find_files, read_or_fail
from runner.simulation.covering import cover
from runner.simulation.flow_test import Verdict


class Command(BaseCommand):
    help = (
        "Runs flow tests and random flows in the simulator, tries late and doubled happenings at their rows, and lists"
        " each pair of a status and a happening with what came of it. Exit code 1: a pair was neither exercised nor"
        " is declared impossible, or one that is came about."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", metavar="PATH", help="a flow-test file, or a folder of them")
        parser.add_argument("--random", type=int, default=6, metavar="N", help="also run N random flows (6)")
        parser.add_argument("--seed", type=int, default=1, help="the first of the random flows (1)")

    def handle(self, *args: Any, **options: Any) -> None:
        files = find_files([Path(path) for path in options["paths"]])
        tests = [test for test in map(read_or_fail, files) if not isinstance(test, Verdict)]
        transitions = cover(tests, range(options["seed"], options["seed"] + options["random"]))
        for line in transitions.lines():
            self.stdout.write(line)
        missing, wrong = list(transitions.open()), list(transitions.contradictions())
        for pair in wrong:
            self.stderr.write(f"{' '.join(pair)} came about, although it is declared impossible.")
        self.stdout.write(f"{len(transitions.seen)} pairs exercised, {len(missing)} not, {len(wrong)} wrongly declared")
        if missing or wrong:
            raise SystemExit(1)
