"""`manage.py test_flow PATH…`: runs flow tests and prints one line each. Running one is runner.simulation's."""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from runner.simulation.flow_test import Verdict, run_flow_test
from runner.simulation.flow_test_file import FlowTest, FlowTestError, read_flow_test
from runner.simulation.random_runs import as_flow_test, findings

#: Where a test came from, and how it went.
Results = Iterator[tuple[Path | str, Verdict]]


class Command(BaseCommand):
    help = "Runs flow tests: JSON files that say what a flow does with fixed replies of its tools and models."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="*", metavar="PATH", help="a flow-test file, or a folder of them")
        parser.add_argument(
            "--crash",
            action="store_true",
            help="run each test again with the process killed at every durable boundary",
        )
        parser.add_argument(
            "--real", action="store_true", help="run each test through a real worker, database and queue"
        )
        parser.add_argument(
            "--random",
            type=int,
            default=0,
            metavar="N",
            help="also run N random flows: any order of ends and any crash must come to the same end",
        )
        parser.add_argument("--seed", type=int, default=1, help="the first of the random flows (1)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["crash"] and options["real"]:
            raise CommandError("Choose --crash or --real: a real worker is not killed at every boundary.")
        if not options["paths"] and not options["random"]:
            raise CommandError("Name a flow-test file or a folder of them.")
        if options["real"] and not settings.STAND_IN_URL:
            raise SystemExit(_on_a_site_of_their_own(options))
        files = list(find_files([Path(path) for path in options["paths"]]))
        seeds = range(options["seed"], options["seed"] + options["random"])
        if options["real"]:
            results = _really(files, seeds)
        else:
            results = chain(_simulated(files, crash=options["crash"]), _random(seeds))
        passed = failed = 0
        for path, verdict in results:
            self._print(path, verdict)
            passed, failed = passed + verdict.passed, failed + (not verdict.passed)
        self.stdout.write(f"{passed} passed, {failed} failed")
        if failed:
            raise SystemExit(1)

    def _print(self, path: Path | str, verdict: Verdict) -> None:
        crashes = f" (killed at {verdict.crash_points} boundaries)" if verdict.crash_points else ""
        word = self.style.SUCCESS("ok    ") if verdict.passed else self.style.ERROR("FAILED")
        self.stdout.write(f"{word} {path}: {verdict.name}{crashes}")
        for failure in verdict.failures:
            self.stdout.write("       " + failure.replace("\n", "\n       "))


def find_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The flow-test files that these paths name. Flow documents in a folder are left out.

    Raises CommandError for a path that does not exist, and for a folder without a flow test.
    """
    for path in paths:
        if path.is_dir():
            found = [file for file in sorted(path.rglob("*.json")) if not _is_document(file)]
            if not found:
                raise CommandError(f"There is no flow test in {path}. A flow test is a JSON file with a `flow`.")
            yield from found
        elif path.is_file():
            yield path
        else:
            raise CommandError(f"There is no file or folder {path}.")


def _is_document(file: Path) -> bool:
    """Whether a file holds a flow document itself: people keep tests beside their flow."""
    try:
        read_flow_test(file.read_bytes(), str(file))
    except FlowTestError as fault:
        return fault.is_document
    return False


def read_or_fail(path: Path) -> FlowTest | Verdict:
    """The test in a file, or the verdict that it is none."""
    try:
        return read_flow_test(path.read_bytes(), str(path))
    except (FlowTestError, OSError) as fault:
        return Verdict(path.stem, [str(fault)])


def _simulated(files: Iterable[Path], *, crash: bool) -> Results:
    for path in files:
        test = read_or_fail(path)
        yield path, test if isinstance(test, Verdict) else run_flow_test(test, crash=crash)


def _random(seeds: Iterable[int]) -> Results:
    for seed in seeds:
        yield f"seed {seed}", Verdict("a random flow", findings(seed))


def _on_a_site_of_their_own(options: Mapping[str, Any]) -> int:
    """Run this command again on a private site: its database, queue, workers and clock are the tests' alone."""
    random = ["--random", str(options["random"]), "--seed", str(options["seed"])]
    paths = [str(Path(path).resolve()) for path in options["paths"]]
    return subprocess.call([sys.executable, "-m", "flowsite.real_flow_tests", *random, *paths], cwd=settings.BASE_DIR)


def _really(files: Iterable[Path], seeds: Iterable[int]) -> Results:
    from runner.management.real_flow_tests.harness import Harness

    with Harness() as harness:
        for path in files:
            test = read_or_fail(path)
            yield path, test if isinstance(test, Verdict) else harness.run(test)
        for seed in seeds:
            yield f"seed {seed}", harness.run(as_flow_test(seed))
