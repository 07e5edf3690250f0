"""What the simulator says of a copy of the code: flow tests and storms, until the first one that fails.

Run in the copy: `python -m tests.mutation.judge` with `{"flows": [patterns], "probes": [patterns], "storms":
[numbers]}` on standard input.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from runner.simulation import driver
from runner.simulation.covering import cover
from runner.simulation.flow_test import run_flow_test
from runner.simulation.flow_test_file import read_flow_test
from runner.simulation.random_runs import storm_findings

#: A run that a missing guard sends round in circles is given up sooner than elsewhere.
driver.MOST_COMMITS = 2_000

CONFORMANCE = Path(__file__).parents[1] / "conformance"


def files(globs: Iterable[str]) -> list[Path]:
    """The flow tests that these patterns name, each once. Raises ValueError for a pattern that names none."""
    found: dict[Path, None] = {}
    for glob in globs:
        some = sorted(CONFORMANCE.glob(f"{glob}.json"))
        if not some:
            raise ValueError(f"There is no flow test {glob!r} in {CONFORMANCE}.")
        found |= dict.fromkeys(some)
    return list(found)


def failures(flows: Iterable[str], probes: Iterable[str], storms: Iterable[int]) -> Iterator[str]:
    """What fails, one after another, each in a line."""
    for path in files(probes):
        try:
            cover([read_flow_test(path.read_bytes(), path.name)], [])
        except Exception as fault:
            yield f"late happenings in {path.stem}: {' '.join(str(fault).split())[:150]}"
    for path in files(flows):
        try:
            failed = run_flow_test(read_flow_test(path.read_bytes(), path.name)).failures
        except Exception as fault:
            failed = [f"{type(fault).__name__}: {fault}"]
        yield from (f"{path.stem}: {' '.join(one.split())[:150]}" for one in failed)
    for seed in storms:
        try:
            failed = storm_findings(seed).found
        except Exception as fault:
            failed = [f"seed {seed}: {type(fault).__name__}: {fault}"]
        yield from (f"storm, {' '.join(one.split())[:150]}" for one in failed)


def main() -> None:
    """Exit code 1: something failed, and its line says what."""
    asked = json.load(sys.stdin)
    first = next(failures(asked["flows"], asked["probes"], asked["storms"]), None)
    if first is not None:
        print(first)
        raise SystemExit(1)


if __name__ == "__main__":
    main()
