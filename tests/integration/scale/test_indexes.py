"""Each index of the tables that grow is needed by a query, and docs/reference/indexes.md says by which.

What pages, runs, the sweeper and deletions ask is explained by SQLite, which tells the index that it would take.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from runner.engine.events import ENGINE
from runner.models import Run, StepLog, StepRun
from runner.services import mail
from runner.services.retention import Rule
from runner.services.routing import return_from_the_gone, route_due
from runner.services.runs import start_run
from runner.services.stuck import find_stuck
from runner.store import sweeping
from runner.store.children import orphaned_runs, untold_parents
from runner.store.purge import purge_run
from runner.store.reader import Reader
from tests.integration.pages.samples import ASKS
from tests.support.crowd_pages import Pages, run_of
from tests.support.flows import begin, decide, publish
from tests.support.runs import PROGRAM, chain, finish
from tests.support.site import ROOT

pytestmark = pytest.mark.django_db

GROWING = ("runner_run", "runner_steprun", "runner_event", "runner_approval", "runner_decision", "runner_artifact",
           "runner_statevalue", "runner_timer", "runner_signedhead", "runner_scope", "runner_arrival", "runner_blob",
           "runner_runfact", "runner_runword", "runner_signal", "runner_steplog", "runner_snapshot", "runner_routing",
           "runner_notice", "editor_auditentry")  # fmt: skip
EXPLAINED: set[str] = set()
PAGE = ROOT / "docs" / "reference" / "indexes.md"


def indexes() -> set[str]:
    """The names of all indexes of these tables that somebody asked for; keys have one anyway."""
    with connection.cursor() as cursor:
        marks = ", ".join(["%s"] * len(GROWING))
        asked = f"type = 'index' AND sql IS NOT NULL AND tbl_name IN ({marks})"
        cursor.execute(f"SELECT name FROM sqlite_master WHERE {asked}", GROWING)
        return {name for (name,) in cursor.fetchall()}


def taken(ask: Callable[[], object]) -> set[str]:
    """The indexes that the queries of some work take; each form of a query is explained once."""
    with CaptureQueriesContext(connection) as captured:
        ask()
    found: set[str] = set()
    for sql in (one["sql"] for one in captured.captured_queries):
        form = re.sub(r"'[0-9a-f]{32}'|\b\d+\b", "?", sql)  # words stay: an index of few rows fits some of them only
        if form in EXPLAINED or not sql.startswith(("SELECT", "WITH", "UPDATE", "DELETE")):
            continue
        EXPLAINED.add(form)
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            for row in cursor.fetchall():
                found |= set(re.findall(r"INDEX (\w+)", str(row[3])))
    return found


def told() -> dict[str, str]:
    """The indexes on the page, each with the query that it is for."""
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", PAGE.read_text(), re.MULTILINE)
    return {name: query.strip() for name, query in rows}


@pytest.mark.only_on("sqlite")
def test_the_page_names_each_index_and_no_other(db: None) -> None:
    assert set(told()) == indexes()
    assert all(told().values())


@pytest.mark.only_on("sqlite")
@pytest.mark.timeout(900)
def test_each_index_is_taken_by_a_query(pages: Pages) -> None:
    used: set[str] = set()
    for name in ("admin", "treasurer", "clerk-03"):
        client = Client()
        client.force_login(User.objects.get(username=name))
        for path in (*pages.site, *pages.api, *(pages.admin if name == "admin" else ())):
            used |= taken(partial(client.get, path))
    for ask in (_lives, *_questions_of_a_run(), *_questions_of_the_sweeper()):
        used |= taken(ask)
    elsewhere = {name for name, query in told().items() if query.startswith("the reference") or "instead" in query}
    assert used >= indexes() - elsewhere, sorted(indexes() - elsewhere - used)


@pytest.mark.only_on("postgres")
def test_no_second_index_of_a_text_is_kept_for_like() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE tablename LIKE 'runner%%' AND indexname LIKE '%%_like'")
        assert cursor.fetchall() == []


def _lives() -> None:
    """A run of steps, one that asks somebody, one that is deleted."""
    people = {name: User.objects.get(username=name) for name in ("analyst", "reviewer")}
    run = finish(chain(5))
    decide(begin(publish(ASKS, people["analyst"]), people["analyst"]), people["reviewer"], "rejected")
    start_run(run.version, inputs={}, actor=PROGRAM, idempotency_key="once")
    purge_run(run.pk, actor=ENGINE, reason="It is old.")


def _questions_of_a_run() -> list[Callable[[], object]]:
    """What the runner reads of a run while it goes on, ends, is retried or forked."""
    run = run_of(0)
    step = StepRun.objects.filter(run=run).values_list("pk", flat=True)[0]
    reader = Reader(run)
    return [
        partial(reader.child_scopes, 1), partial(reader.live_steps, 1), partial(reader.restorable_steps, 1),
        partial(reader.waiting_arrivals, 1), partial(reader.open_approvals, [step]),
        partial(reader.timers_of, [step]), partial(reader.timers_of, [step, step]),
        lambda: list(StepLog.objects.filter(run=run)), lambda: Run.objects.filter(forked_from=run).exists(),
    ]  # fmt: skip


def _questions_of_the_sweeper() -> list[Callable[[], object]]:
    """What each round of the sweeper, mail, deletion and the page of stuck runs ask."""
    return [
        partial(sweeping.take_due_hints, 5), partial(sweeping.expired_leases, 5), partial(sweeping.due_timers, 5),
        partial(sweeping.unsigned_runs, 5), sweeping.oldest_due_step_ms, partial(orphaned_runs, 5),
        partial(untold_parents, 5), lambda: find_stuck(User.objects.get(username="admin")), lambda: Rule(30).find(5),
        lambda: mail._untold().exists(), partial(mail._people_to_tell, 1),
        partial(route_due, 5), partial(return_from_the_gone, 5),
    ]  # fmt: skip
