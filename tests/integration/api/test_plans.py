"""Lists follow an index in Postgres: no table is sorted or read whole, however many rows there are."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runner.models import Run
from tests.integration.api.conftest import Program
from tests.integration.pages.samples import ASKS
from tests.support.flows import begin, publish

pytestmark = pytest.mark.only_on("postgres")

LISTS = (
    "flows/",
    "flows/asks/versions/",
    "runs/",
    "runs/?flow=asks",
    "runs/?status=failed",
    "runs/?started_by=analyst",
    "approvals/",
    "approvals/?status=rejected",
    "runs/{run}/steps/",
    "runs/{run}/events/",
)
DECIDERS_LISTS = ("approvals/", "approvals/?status=approved")


@pytest.fixture
def run(people: dict[str, User]) -> Run:
    return begin(publish(ASKS, people["analyst"]), people["analyst"])


def plan_of(program: Program, path: str) -> str:
    """How Postgres would answer the list if it could avoid neither sorting nor reading whole tables but at a price."""
    with CaptureQueriesContext(connection) as captured:
        program.read(path)
    # Who was erased is asked, too, once in a while: a short table, read whole.
    listing = [one["sql"] for one in captured.captured_queries if "editor_erasure" not in one["sql"]][-1]
    with connection.cursor() as cursor:
        # A table of ten rows is best read whole; with these off, what is left shows that no index would do.
        for method in ("enable_seqscan", "enable_sort", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin"):
            cursor.execute(f"SET LOCAL {method} = off")
        cursor.execute(f"EXPLAIN {listing}")
        return "\n".join(row[0] for row in cursor.fetchall())


def follows_an_index(plan: str) -> bool:
    """Whether nothing is read or sorted whole. Sorting what is of one moment, behind an index, is no such thing."""
    return "Index" in plan and not re.search(r"^[ >-]*(Sort|Seq Scan)\b(?! Key)", plan, re.MULTILINE)


@pytest.mark.parametrize("path", LISTS)
def test_a_list_follows_an_index(path: str, run: Run, analyst: Program):
    plan = plan_of(analyst, path.format(run=run.pk))
    assert follows_an_index(plan), plan


@pytest.mark.parametrize("path", DECIDERS_LISTS)
def test_a_reviewers_list_follows_an_index(path: str, run: Run, as_person: Callable[[str], Program]):
    plan = plan_of(as_person("reviewer"), path)
    assert follows_an_index(plan), plan


def test_this_would_notice_a_list_without_an_index(run: Run, analyst: Program, monkeypatch: pytest.MonkeyPatch):
    from runner.api import runs

    def by_no_index(rows: Any, asked: Any, *, order: Any, seek: Any = None) -> Any:
        return page_of(rows, asked, order=("-ended_at", "-id"))

    page_of = runs.page_of
    monkeypatch.setattr(runs, "page_of", by_no_index)
    assert not follows_an_index(plan_of(analyst, "runs/"))
