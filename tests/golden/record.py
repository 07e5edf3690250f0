"""`python -m tests.golden.record [NAME…]` shows in what golden runs differ now; `--write` records them anew.

Record them anew only where events were meant to change, and say so in the changelog: runs that are stored somewhere
have the old ones.
"""

from __future__ import annotations

import sys

from tests.golden.golden import TESTS, differences, kept, run_now, write


def main(arguments: list[str]) -> int:
    """Print the differences of these golden runs (all, if none is named); 1 if there are any and nothing is written."""
    to_write = "--write" in arguments
    names = [one for one in arguments if one != "--write"] or list(TESTS)
    changed = 0
    for name in names:
        golden = run_now(name)
        try:
            before = kept(name)
        except FileNotFoundError:
            before = None
        found = differences(before, golden)
        if found:
            changed += 1
            print(f"{name}: {'is new' if before is None else 'differs'}")
            print("\n".join(found if before is not None else found[:3]))
        if to_write and (found or before is None):
            write(name, golden)
    print(f"{len(names)} golden runs, {changed} {'recorded anew' if to_write else 'different'}")
    return int(bool(changed) and not to_write)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
