"""`python -m tests.mutation [--quick] [NAME…]`: removes each guard of the protocol, one at a time, and runs its tests.

Exit code 1: nobody noticed that a guard was gone, or a guard is not where the table says.
"""

from __future__ import annotations

import argparse
import time

from tests.mutation.table import GUARDS
from tests.mutation.trials import ROOT, attempt, copy_of_the_code, fault_without_mutation


def main() -> int:
    """Gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only guards whose name contains this")
    parser.add_argument("--quick", action="store_true", help="only those that the simulator notices fastest")
    asked = parser.parse_args()
    guards = [one for one in GUARDS if one.quick or not asked.quick]
    guards = [one for one in guards if not asked.names or any(name in one.name for name in asked.names)]
    if not guards:
        parser.error("there is no such guard")
    for guard in guards:
        guard.mutate((ROOT / guard.file).read_text())
    begun = time.monotonic()
    survived = 0
    with copy_of_the_code() as copy:
        fault = fault_without_mutation(copy, guards)
        if fault:
            print(f"A test fails with all guards in place, so nothing is proved: {fault}")
            return 1
        for guard in guards:
            result = attempt(copy, guard)
            survived += not result.is_killed
            told = result.noticed or f"NOBODY NOTICED. Without it: {guard.why}"
            print(f"{'killed  ' if result.is_killed else 'SURVIVED'} {guard.name}: {told}", flush=True)
    took = time.monotonic() - begun
    print(f"{len(guards)} guards, {len(guards) - survived} killed, {survived} survived, in {took:.0f} s")
    return 1 if survived else 0


if __name__ == "__main__":
    raise SystemExit(main())
