"""No page, list or filter reads many rows, however many there are: what each query would read is asked of the database.

On Postgres each query of each page is explained as it ran, and the rows that its plan touched are counted. On SQLite
the plan says whether a table is read whole. Times are asserted nowhere.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from runner.models import Run
from tests.support.crowd_pages import ROLES, Pages

pytestmark = pytest.mark.django_db

MOST_ROWS = 2_100
"""Rows that one query may touch: FEW keys of who sees little, each with its flow; the attempts of a run, sorted."""
MOST_ADMIN_ROWS = 2_500
"""The admin counts up to 2,000 rows, and goes no further back; on its way it passes others."""
MOST_QUERIES = 40
METHODS = ("enable_seqscan", "enable_sort", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin")
SEEN: set[str] = set()
"""Queries that were explained already, to the letter."""
BIG = ("runner_run", "runner_steprun", "runner_event", "runner_approval", "runner_decision", "runner_artifact",
       "runner_statevalue", "runner_timer", "runner_signedhead", "runner_scope", "editor_auditentry")  # fmt: skip


def look(client: Client, path: str) -> list[str]:
    """Ask for a page; gives its queries."""
    with CaptureQueriesContext(connection) as captured:
        response = client.get(path)
        assert response.status_code < 500, (path, response.status_code)
        return [one["sql"] for one in captured.captured_queries]


def touched(plan: dict[str, Any]) -> int:
    """Rows that a plan has read from tables and indexes."""
    read = 0
    if plan["Node Type"].endswith("Scan") and plan["Node Type"] not in ("Subquery Scan", "CTE Scan", "Function Scan"):
        rows = (
            plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0) + plan.get("Rows Removed by Index Recheck", 0)
        )
        read = rows * plan["Actual Loops"] if plan.get("Relation Name") in BIG else 0
    return int(read) + sum(touched(inner) for inner in plan.get("Plans", []))


def rows_of(sql: str) -> int:
    """Rows that a query touches in Postgres. The planner knows the tables are small, and is told to forget it."""
    with connection.cursor() as cursor:
        # A table of some thousand rows is best read whole, or sorted: at full size it is not.
        counts = []
        for methods in (METHODS, METHODS[:1]):
            for method in methods:
                cursor.execute(f"SET LOCAL {method} = off")
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
            found = cursor.fetchone()[0]
            for method in methods:
                cursor.execute(f"SET LOCAL {method} = on")
            plan = found if isinstance(found, list) else json.loads(found)
            counts.append(touched(plan[0]["Plan"]))
    return min(counts)


def reads_whole(sql: str) -> list[str]:
    """The big tables that SQLite would read from end to end for a query, without an index that finds or orders."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        lines = [str(row[3]) for row in cursor.fetchall()]
    if " LIMIT " in sql and not any("TEMP B-TREE" in line for line in lines):
        return []  # in the order of its keys, and no further than the page goes
    found = [match[1] for line in lines if (match := re.match(r"SCAN (\w+)(?! USING)", line))]
    return [name for name in found if name in BIG]


def too_much(client: Client, path: str, most: int = MOST_ROWS) -> list[str]:
    """What a page asks of the database that it should not."""
    queries = [sql for sql in look(client, path) if sql.startswith(("SELECT", "WITH"))]
    bad = [f"{path}: {len(queries)} queries"] if len(queries) > MOST_QUERIES else []
    for sql in queries:
        if sql in SEEN or not any(f'"{table}"' in sql for table in BIG):
            continue  # asked of every page by every page, or of tables that stay small
        SEEN.add(sql)
        if connection.vendor == "postgresql":
            rows = rows_of(sql)
            bad += [f"{path}: {rows} rows for {sql[:1500]}"] if rows > most else []
        else:
            bad += [
                f"{path}: reads all of {', '.join(whole)} for {sql[:1500]}" for whole in [reads_whole(sql)] if whole
            ]
    return bad


@pytest.mark.parametrize("role", ROLES)
def test_pages_read_few_rows(pages: Pages, role: str) -> None:
    client = Client()
    client.force_login(User.objects.get(username=role))
    bad = [one for path in (*pages.site, *pages.api) for one in too_much(client, path)]
    assert not bad, "\n\n".join(bad)


def test_most_of_these_pages_are_there(pages: Pages) -> None:
    client = Client()
    client.force_login(User.objects.get(username="admin"))
    paths = (*pages.site, *pages.api)
    found = [path for path in paths if client.get(path).status_code == 200]
    assert len(found) > len(paths) * 0.6


def test_lists_of_the_admin_read_few_rows(pages: Pages) -> None:
    client = Client()
    client.force_login(User.objects.get(username="admin"))
    bad = [one for path in pages.admin for one in too_much(client, path, MOST_ADMIN_ROWS)]
    assert not bad, "\n\n".join(bad)


def test_this_would_notice_a_list_without_an_index(pages: Pages) -> None:
    with CaptureQueriesContext(connection) as captured:
        list(Run.objects.order_by("-ended_at")[:30])
    sql = captured.captured_queries[0]["sql"]
    assert rows_of(sql) > MOST_ROWS if connection.vendor == "postgresql" else reads_whole(sql)
