"""Measures by hand how long the server works for every page, list and filter at full size. No test: it takes minutes.

    python -m tests.bench.scale --runs 200000 --events 25

makes a private Postgres server, fills a database, asks for everything as each role, and prints a table. With
DATABASE_URL it uses that database, and fills it if it holds no runs. About 4 GB for 200,000 runs.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time
from pathlib import Path
from typing import Any

ROUNDS = 3


def main() -> None:
    """Prepare a database, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--events", type=int, default=25, help="of one run")
    parser.add_argument("--above", type=float, default=0.0, help="print only what takes longer than so many ms")
    parser.add_argument("--only", default="", help="only addresses with this text")
    asked = parser.parse_args()
    if os.environ.get("DATABASE_URL"):
        run(asked)
        return
    from tests.support import postgres

    cluster = postgres.PostgresCluster(postgres.SETTINGS | {"shared_buffers": "1GB", "max_wal_size": "8GB"})
    cluster.create()
    try:
        os.environ["DATABASE_URL"] = postgres.create_database(cluster.url(), "scale")
        run(asked)
    finally:
        cluster.remove()


def run(asked: argparse.Namespace) -> None:
    """Fill the database that DATABASE_URL names, if it is empty, and measure."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.core.signals import request_finished, request_started
    from django.db import close_old_connections

    call_command("migrate", verbosity=0)
    from runner.models import Run
    from tests.support.crowd import Crowd, fill
    from tests.support.crowd_pages import make_crowds_people, pages_of

    if not Run.objects.exists():
        began = time.monotonic()
        fill(Crowd(runs=asked.runs, events=asked.events, audits=asked.runs), make_crowds_people())
        print(f"Filled in {time.monotonic() - began:.0f} s.", file=sys.stderr)
    settings.ALLOWED_HOSTS = ["testserver"]
    request_started.disconnect(close_old_connections)  # as in a site, where a pool keeps connections open
    request_finished.disconnect(close_old_connections)
    logging.disable(logging.WARNING)
    pages = pages_of(asked.runs)
    print("| as | address | status | queries | ms |\n| --- | --- | --- | --- | --- |")
    slowest: dict[str, float] = {}
    for kind in ("site", "api", "admin"):
        for role, path, status, queries, ms in measured(kind, getattr(pages, kind), asked.only):
            slowest[kind] = max(slowest.get(kind, 0.0), ms)
            if ms >= asked.above:
                print(f"| {role} | `{path}` | {status} | {queries} | {ms:.1f} |", flush=True)
    print(f"\nSlowest: {', '.join(f'{kind} {ms:.1f} ms' for kind, ms in slowest.items())}")


def measured(kind: str, paths: list[str], only: str) -> Any:
    """Role, address, status, number of queries, and the time it takes in milliseconds."""
    from django.contrib.auth.models import User
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from tests.support.crowd_pages import ROLES

    for role in ("admin",) if kind == "admin" else ROLES:
        client = Client()
        client.force_login(User.objects.get(username=role))
        for path in paths:
            if only not in path:
                continue
            with CaptureQueriesContext(connection) as captured:
                status = client.get(path).status_code
                queries = len(captured)
            began = spent(connection)
            for _ in range(ROUNDS):
                client.get(path)
            yield role, path, status, queries, (spent(connection) - began) / ROUNDS


def spent(connection: Any) -> float:
    """Milliseconds that this process and its Postgres backend have worked: what a machine with time to spare needs.

    Times by the clock would say more about what else the machine does.
    """
    backend = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
    return time.process_time() * 1000 + int(backend.read_text().split()[0]) / 1_000_000


if __name__ == "__main__":
    main()
