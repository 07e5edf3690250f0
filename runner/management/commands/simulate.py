"""`manage.py simulate`: random flows under random orders, crashes, forks and storms, for as long as one likes."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from itertools import count
from random import SystemRandom
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runner.simulation.random_runs import findings, storm_findings

#: Without --seed the first flow is one of so many: two nights in a row do not try the same ones.
_SEEDS = 1_000_000_000
#: A line of progress every so many seconds.
_TELL_EVERY_S = 60.0


class Command(BaseCommand):
    help = (
        "Simulates random flows: each in other orders, killed at random boundaries, forked, and in storms of lost,"
        " doubled and late messages, stalled and killed workers, failed commits and clock jumps. Every finding names"
        " its seed. Exit code 1: something was found. For a night: --seconds 3600."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--runs", type=int, metavar="N", help="so many flows (without --seconds: 20)")
        parser.add_argument("--seconds", type=float, metavar="N", help="as many flows as so many seconds allow")
        parser.add_argument(
            "--seed", type=int, metavar="S", help="the first flow; each further one has the next number"
        )
        parser.add_argument("--storms", type=int, default=3, metavar="N", help="storms for each flow (3)")

    def handle(self, *args: Any, **options: Any) -> None:
        runs, seconds, seed = options["runs"], options["seconds"], options["seed"]
        if (runs is not None and runs < 1) or (seconds is not None and seconds <= 0) or options["storms"] < 1:
            raise CommandError("Give --runs, --seconds and --storms a number above 0.")
        if runs is None and seconds is None:
            runs = 20
        first = SystemRandom().randrange(_SEEDS) if seed is None else seed
        begun = told = time.monotonic()
        flows, transitions, in_storms = 0, 0, 0.0
        failed: list[int] = []
        struck: Counter[str] = Counter()
        for seed in _seeds(first, runs, seconds):
            storm_began = time.monotonic()
            storms = storm_findings(seed, options["storms"])
            in_storms += time.monotonic() - storm_began
            found = [*findings(seed), *storms.found]
            flows, transitions, struck = flows + 1, transitions + storms.transitions, struck + storms.struck
            for one in found:
                self.stdout.write(self.style.ERROR("FAILED ") + one)
            if found:
                failed.append(seed)
            if time.monotonic() - told >= _TELL_EVERY_S:
                told = time.monotonic()
                self.stdout.write(f"{flows} flows, {transitions} transitions, {len(failed)} failed …")
        took = time.monotonic() - begun
        self.stdout.write("faults: " + ", ".join(f"{name} {times}" for name, times in sorted(struck.items())))
        self.stdout.write(
            f"{flows} flows from seed {first} in {took:.0f} s, {len(failed)} failed;"
            f" in storms {transitions} transitions, {transitions / in_storms:.0f} a second"
        )
        for seed in failed:
            self.stdout.write(f"again: python3 manage.py simulate --runs 1 --seed {seed} --storms {options['storms']}")
        if failed:
            raise SystemExit(1)


def _seeds(first: int, runs: int | None, seconds: float | None) -> Iterator[int]:
    """The numbers of the flows, until there were enough of them or the time is over; always one at least."""
    begun = time.monotonic()
    for done in count():
        if runs is not None and done >= runs:
            return
        if done and seconds is not None and time.monotonic() - begun >= seconds:
            return
        yield first + done
