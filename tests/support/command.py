"""`manage.py test`: gets the services that tests need, runs pytest on both databases, adds up the counts."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support import chromium
from tests.support.postgres import PostgresCluster, PostgresMissing, find_server_programs

NO_TESTS_COLLECTED = 5


def main(root: Path, arguments: list[str]) -> int:
    """Run the tests; what is not an option of ours goes to pytest. Returns 0 if all passed."""
    parser = argparse.ArgumentParser(
        "manage.py test", description="Run the tests. Other arguments are passed on to pytest.", allow_abbrev=False
    )
    parser.add_argument(
        "--db", choices=["sqlite", "postgres", "both"], default="both", help="the database of tests/integration"
    )
    parser.add_argument(
        "--strict-services", action="store_true", help="a test skipped for want of a service is a failure"
    )
    options, for_pytest = parser.parse_known_args(arguments)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    provide("chromium", lambda: chromium.find_chromium() is not None)
    provide("postgresql", lambda: find_server_programs() is not None)
    provide("curl", lambda: shutil.which("curl") is not None)
    environment = {**os.environ, "FLOWSITE_TEST_STRICT": "1" if options.strict_services else "0"}
    runs = [database for database in ("sqlite", "postgres") if options.db in (database, "both")]
    with postgres_server() as server, tempfile.TemporaryDirectory(prefix="flowsite-report-") as folder:
        if server:
            environment["FLOWSITE_TEST_POSTGRES_URL"] = server
        results = [run_pytest(root, database, for_pytest, environment, Path(folder)) for database in runs]
    counts = sum((counts for _, counts in results), Counter[str]())
    codes = [code for code, _ in results]
    failed = counts["failed"] + counts["error"]
    if not counts["passed"] and not failed:
        print("No test was run.")
        return max(codes) or NO_TESTS_COLLECTED
    print(f"{counts['passed']} passed, {failed} failed, {counts['skipped']} skipped, {counts['rerun']} repeated")
    return next((code for code in codes if code not in (0, NO_TESTS_COLLECTED)), 0)


def run_pytest(
    root: Path, database: str, arguments: list[str], environment: dict[str, str], folder: Path
) -> tuple[int, Counter[str]]:
    """Run pytest once, return its exit code and counts. On Postgres only the tests that depend on the database."""
    environment = dict(environment)
    report = folder / f"{database}.json"
    environment["FLOWSITE_TEST_REPORT"] = str(report)
    environment.pop("DATABASE_URL", None)
    if database == "postgres":
        server = environment.get("FLOWSITE_TEST_POSTGRES_URL")
        if server is None:
            print("The tests in tests/integration were not run on Postgres: there is no server.", file=sys.stderr)
            is_strict = environment["FLOWSITE_TEST_STRICT"] == "1"
            return (1, Counter(failed=1)) if is_strict else (0, Counter(skipped=1))
        environment |= {"DATABASE_URL": server, "FLOWSITE_TEST_ONLY": "integration"}
    print(f"--- tests on {database} ---", flush=True)
    parallel = [] if arguments else ["-n", "2", "--dist", "loadfile"]
    command = [sys.executable, "-m", "pytest", *parallel, *arguments]
    code = subprocess.run(command, cwd=root, env=environment, check=False).returncode
    return code, Counter(json.loads(report.read_text())) if report.exists() else Counter()


@contextlib.contextmanager
def postgres_server() -> Iterator[str | None]:
    """The URL of the server for the tests: FLOWSITE_TEST_POSTGRES_URL, else a private one; None without any."""
    if url := os.environ.get("FLOWSITE_TEST_POSTGRES_URL"):
        yield url
        return
    try:
        cluster = PostgresCluster()
        cluster.create()
    except PostgresMissing as missing:
        print(missing, file=sys.stderr)
        yield None
        return
    try:
        yield cluster.url()
    finally:
        cluster.remove()


def provide(package: str, is_there: Callable[[], bool]) -> None:
    """Install a Debian package if its program is missing and we may; else say what to do."""
    if is_there():
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        print(f"The tests that need it are skipped: install the package {package}.", file=sys.stderr)
        return
    print(f"Installing the package {package} ...", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", package]):
        result = subprocess.run(
            ["apt-get", *command], env=quiet, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        if result.returncode:
            print(result.stdout.decode(errors="replace"), file=sys.stderr)
    if not is_there():
        print(f"The package {package} could not be installed: see the messages above.", file=sys.stderr)
