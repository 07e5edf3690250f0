"""Two people decide the same approval at the same instant, many times: how many decisions come of it each time.

    python -m tests.bench.decisions --times 300
    python -m tests.bench.decisions --times 300 --postgres

Both send the form of the card, over two connections; one approves, one rejects. The first must be taken, the second be
told who was first, and nothing may be called without an approval. A short form of it is a test: test_races.py.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
from collections import Counter
from typing import Any


def main() -> None:
    """Make a database, decide, print; ends with 1 if anything but one decision came of any approval."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=300)
    parser.add_argument("--postgres", action="store_true", help="on a private Postgres server instead of SQLite")
    asked = parser.parse_args()
    if not asked.postgres:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["DATABASE_URL"] = f"sqlite:///{folder}/decisions.sqlite3"
            sys.exit(run(asked.times))
    from tests.support import postgres

    cluster = postgres.PostgresCluster()
    cluster.create()
    try:
        os.environ["DATABASE_URL"] = postgres.create_database(cluster.url(), "decisions")
        failed = run(asked.times)
    finally:
        cluster.remove()
    sys.exit(failed)


def run(times: int) -> int:
    """Let two people decide so many approvals; 0 if each got one decision."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    settings.ALLOWED_HOSTS = ["testserver"]
    logging.disable(logging.WARNING)
    call_command("migrate", verbosity=0)
    from tests.support.flows import make_people, make_person

    people = make_people()
    pair = [people["reviewer"], make_person("second", "reviewer")]
    found = Counter(_decide_once(place, people["analyst"], pair) for place in range(times))
    print(f"{times} approvals on {connection.vendor}, each decided by two people at the same instant:")
    for (decisions, answers, calls), count in sorted(found.items()):
        print(f"  {count:>4} times: {decisions} decision, answers {answers}, {calls}")
    right = {(1, "302 409", "called as decided")}
    return 0 if set(found) == right else 1


def _decide_once(place: int, starter: Any, pair: list[Any]) -> tuple[int, str, str]:
    """One approval: how many decisions it has afterwards, what the two were answered, whether the call fits."""
    from django.test import Client
    from django.urls import reverse

    from runner.models import Approval, Decision
    from tests.support.flows import begin, publish, work_on
    from tests.support.runs import at_once, call, document, offer_tool

    calls: list[int] = []
    offer_tool("bench_gated", lambda: calls.append(1), needs_approval=True)
    written = document([call("a", "bench_gated")]) | {"id": f"bench-{place}"}
    approval = Approval.objects.get(run=begin(publish(written, starter), starter))
    clients = [Client() for _ in pair]
    for client, person in zip(clients, pair, strict=True):
        client.force_login(person)
    path = reverse("decide", args=[approval.pk])
    verdicts = ["approved", "rejected"] if place % 2 else ["rejected", "approved"]

    def send(number: int) -> Any:
        sent = {"verdict": verdicts[number], "digest": approval.digest, "comment": "at once"}
        return clients[number].post(path, sent).status_code

    answers = " ".join(sorted(str(one) for one in at_once(2, send)))
    decisions = list(Decision.objects.filter(approval=approval))
    work_on(approval.run_id)
    expected = 1 if [one.verdict for one in decisions] == ["approved"] else 0
    return len(decisions), answers, "called as decided" if len(calls) == expected else f"called {len(calls)} times"


if __name__ == "__main__":
    main()
