"""`manage.py bench`: measures the runner on SQLite and PostgreSQL, beside what the disk and other runners can do.

Nothing of the product is switched off: rows, events, hashes, hints and news are as in a site. It works in a
temporary folder (set TMPDIR for another disk) with servers of its own, and touches no site.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.report import Row, as_json, as_table, file_system
from tests.bench.rounds import PEERS_DO, WORKLOADS, Rounds, peer_python
from tests.bench.talk import Talker
from tests.support.crew import Crew
from tests.support.postgres import PostgresCluster, PostgresMissing, create_database

#: As a site's server is set up: a commit is on the disk. (The tests' own server does not wait for it.)
POSTGRES = {"max_connections": "200", "shared_buffers": "512MB", "max_wal_size": "8GB"}
PACKAGES = {
    "langgraph": 'langgraph langgraph-checkpoint-sqlite langgraph-checkpoint-postgres "psycopg[binary]" psycopg-pool',
    "dbos": 'dbos "psycopg[binary]"',
}
QUIET = {f"FLOWSITE_RATE_{name}": "1000000" for name in ("API", "START", "DECIDE", "LOGIN", "LOGIN_ADDRESS")}


def main(root: Path, arguments: list[str]) -> int:
    """Measure what is asked for; gives the exit code."""
    asked = read_arguments(arguments, root)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # ends what was started, too
    rows: list[Row] = []
    failed: list[str] = []
    versions: dict[str, str] = {}
    folder = Path(tempfile.mkdtemp(prefix="flowsite-bench-"))
    if file_system(folder) == "tmpfs":
        print("The temporary folder is in memory, where a commit costs nothing: set TMPDIR to a disk.", file=sys.stderr)
    try:
        for database in asked.db or ["sqlite", "postgres"]:
            rows += measure(database, asked, folder, versions, failed)
        report = as_json(rows, "manage.py bench " + " ".join(arguments), versions, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(as_table(rows))
    machine = ", ".join(f"{name} {value}" for name, value in report["machine"].items())
    print(f"\n{report['date']}: {machine}\n{', '.join(f'{name} {one}' for name, one in report['versions'].items())}")
    if asked.json is not None:
        asked.json.write_text(json.dumps(report, indent=1) + "\n")
    if failed:
        print(f"Failed, see above: {'; '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def read_arguments(arguments: list[str], root: Path) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser("manage.py bench", description=__doc__)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=f"of {', '.join(WORKLOADS)}; left out: all")
    parser.add_argument("--db", action="append", choices=["sqlite", "postgres"], help="left out: both")
    parser.add_argument(
        "--against", default="", help="other runners to measure in the same rounds: langgraph,dbos,celery"
    )
    peers = root / "var" / "bench"
    parser.add_argument("--peers", type=Path, default=peers, help=f"the folder of their environments ({peers})")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything into this file")
    parser.add_argument(
        "--quick", action="store_true", help="a few steps of each: shows that it works, measures nothing"
    )
    parser.add_argument("--crowd", type=int, default=200_000, help="runs in the table for INBOX and HISTORY (200000)")
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.crowd = min(asked.crowd, 300)
    asked.workloads = [name.upper() for name in asked.workloads] or list(WORKLOADS)
    if unknown := set(asked.workloads) - set(WORKLOADS):
        parser.error(f"There is no workload {', '.join(sorted(unknown))}. There are: {', '.join(WORKLOADS)}.")
    asked.against = [name for name in asked.against.split(",") if name]
    if unknown := set(asked.against) - set(PEERS_DO):
        parser.error(f"No runner {', '.join(sorted(unknown))} is known here. There are: {', '.join(PEERS_DO)}.")
    return asked


def measure(
    database: str, asked: argparse.Namespace, folder: Path, versions: dict[str, str], failed: list[str]
) -> list[Row]:
    """The rows of one database; none where no server can be had, which is said. Adds to `failed`."""
    try:
        with database_url(database, folder) as (url, spare):
            crew = Crew(folder / database, url, **QUIET)
            with contextlib.ExitStack() as ends:
                ends.callback(crew.close)
                crew.prepare()
                peers = start_peers(asked, crew, spare, versions, ends)
                rounds = Rounds(database, crew, peers, quick=asked.quick, crowd=asked.crowd)
                ends.callback(rounds.close)
                found = rounds.measure(asked.workloads)
                failed += rounds.failed
                return found
    except PostgresMissing as missing:
        print(f"{database}: {missing}", file=sys.stderr)
        return []


@contextlib.contextmanager
def database_url(database: str, folder: Path) -> Iterator[tuple[str, str]]:
    """The URLs of an empty database, and of one for other runners. Raises PostgresMissing."""
    if database == "sqlite":
        (folder / "sqlite").mkdir(parents=True)
        yield f"sqlite:///{folder}/sqlite/flowsite.sqlite3", "sqlite"
        return
    cluster = PostgresCluster(POSTGRES)
    try:
        cluster.create()
        yield create_database(cluster.url(), "flowsite"), create_database(cluster.url(), "peers")
    finally:
        cluster.remove()


def start_peers(
    asked: argparse.Namespace, crew: Crew, url: str, versions: dict[str, str], ends: contextlib.ExitStack
) -> dict[str, Talker]:
    """A process for each runner that is asked for and installed."""
    found = {}
    for name in asked.against:
        python = peer_python(name, asked.peers)
        if python is None:
            place = asked.peers / name
            print(
                f"{name} is not installed: python3 -m venv {place} && {place}/bin/pip install {PACKAGES[name]}",
                file=sys.stderr,
            )
            continue
        environment = {**crew.environment, "DATABASE_URL": url}
        del environment["DJANGO_SETTINGS_MODULE"]  # else Celery would set Django up
        talker = Talker([python, "-m", f"tests.bench.peers.{name}_peer"], environment)
        ends.callback(talker.close)
        versions[name] = talker.ask("version")
        found[name] = talker
    return found
