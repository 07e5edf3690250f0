#!/usr/bin/env python3
"""The one command of the site: `up` runs, `test` tests, `bench` measures it; the rest are commands of the apps."""

import os
import sys


def main():
    if os.name == "nt":
        sys.exit("Flowsite does not run on Windows itself. Use WSL (the Windows Subsystem for Linux).")
    from pathlib import Path

    from flowsite.supervisor.bootstrap import BootstrapError, enter_environment

    root = Path(__file__).resolve().parent
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    try:
        enter_environment(root, {"up": "run", "test": "test", "bench": "test"}.get(command))
    except BootstrapError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)  # the next call takes up what is left of .venv
    if command == "up":
        from flowsite.supervisor.up import main as up

        sys.exit(up(root, sys.argv[2:]))
    if command == "test":
        from tests.support.command import main as test

        sys.exit(test(root, sys.argv[2:]))
    if command == "bench":
        from tests.bench.command import main as bench

        sys.exit(bench(root, sys.argv[2:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flowsite.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
