"""What a run costs does not grow with what else a site holds: runs, events, approvals, flows."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from runner.models import Event
from tests.support.crowd import Crowd, fill
from tests.support.runs import call, chain, finish, offer_tool
from tests.support.watching import Watch

pytestmark = pytest.mark.django_db(transaction=True)

#: Tables that grow with use. What is read whole below is bounded: stops, notes of the site.
_GROW = ("runner_run", "runner_steprun", "runner_event", "runner_statevalue", "runner_scope", "runner_timer")


def add_one(n: int) -> int:
    """Count up."""
    return n + 1


def _cost() -> tuple[Counter[str], int, list[tuple[str, Any]]]:
    """Statements and the bytes that they carry, of a run of calls from its start to its end."""
    watch = Watch()
    with connection.execute_wrapper(watch):
        run = finish(chain(5, lambda name: call(name, "add_one", {"n": 1})))
    assert run.status == "succeeded", run.error
    return Counter(watch.statements), watch.bytes, watch.whole


def _plan(statement: str, params: Any) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {statement}", params)
        return [row[3] for row in cursor.fetchall()]


def test_a_run_costs_the_same_in_an_empty_site_and_beside_many_others() -> None:
    offer_tool("add_one", add_one, read_only=True)
    _cost()
    alone, bytes_alone, _ = _cost()
    analyst = User.objects.create_user("analyst")
    fill(Crowd(runs=400, steps=4, events=12, flows=40, audits=50), {"analyst": analyst})
    assert Event.objects.count() > 4_000
    beside, bytes_beside, statements = _cost()
    assert beside == alone
    assert abs(bytes_beside - bytes_alone) <= 0.01 * bytes_alone
    if connection.vendor == "sqlite":
        few = _partial_indexes()
        for statement, params in statements:
            named = {alias: table for table, alias in re.findall(r'"?(runner_\w+)"? (?:AS )?"?(\w+)', statement)}
            scans = [line for line in _plan(statement, params) if line.startswith("SCAN")]
            walked = [line for line in scans if named.get(line.split()[1], line.split()[1]) in _GROW]
            walked = [line for line in walked if line.split()[-1] not in few]
            assert not walked, f"{walked} by {statement}"


def _partial_indexes() -> set[str]:
    """Indexes of some rows only, such as those that wait: one is read whole where all of these are asked for."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '%% WHERE %%'")
        return {name for (name,) in cursor.fetchall()}
