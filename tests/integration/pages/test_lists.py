"""Lists of runs and flows: filters, pages by key, and no query that grows with the rows."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from runner.models import Run
from tests.integration.pages.samples import CAUGHT, FAILS, WAITS
from tests.support.flows import begin, publish


@pytest.fixture
def client(client_of: Callable[..., Client]) -> Client:
    return client_of("analyst")


def ids_on(page: str) -> list[str]:
    return re.findall(r'href="/runs/([0-9a-f]{32})/"', page)


def test_pages_of_runs_hold_each_run_once_newest_first(people: dict[str, User], client: Client) -> None:
    version = publish(WAITS, people["analyst"])
    started = [begin(version, people["analyst"], work=False).pk for _ in range(65)]
    # Runs of one moment must not get lost between two pages.
    Run.objects.filter(pk__in=started[10:50]).update(started_at=1_700_000_000_000)
    found, query = [], ""
    for _ in range(3):
        page = client.get(f"/runs/{query}").content.decode()
        found += ids_on(page)
        following = re.search(r'href="(\?[^"]*)"[^>]*rel="next"', page)
        query = following[1] if following else ""
    assert query == ""
    assert sorted(found) == sorted(started)
    times = dict(Run.objects.values_list("pk", "started_at"))
    assert [times[pk] for pk in found] == sorted(times.values(), reverse=True)


def test_filters_by_flow_and_status_hold_over_pages(people: dict[str, User], client: Client) -> None:
    waits, fails = publish(WAITS, people["analyst"]), publish(FAILS, people["analyst"])
    for _ in range(32):
        begin(waits, people["analyst"], work=False)
    failed = begin(fails, people["analyst"])
    assert ids_on(client.get("/runs/?status=failed").content.decode()) == [failed.pk]
    page = client.get("/runs/?flow=waits&status=active").content.decode()
    assert len(ids_on(page)) == 30
    following = re.search(r'href="(\?[^"]*)"[^>]*rel="next"', page)
    assert following and "flow=waits" in following[1] and "status=active" in following[1]
    assert len(ids_on(client.get("/runs/" + following[1].replace("&amp;", "&")).content.decode())) == 2
    assert "No run fits these filters" in client.get("/runs/?flow=nothing").content.decode()


@pytest.mark.parametrize("after", ["x", "-1", "../..", "9" * 80, "0" * 32, "%00"])
def test_a_cursor_that_is_none_begins_at_the_start(people: dict[str, User], client: Client, after: str) -> None:
    run = begin(publish(WAITS, people["analyst"]), people["analyst"])
    assert ids_on(client.get(f"/runs/?after={after}").content.decode()) == [run.pk]


def test_lists_ask_the_database_as_often_for_many_rows_as_for_few(people: dict[str, User], client: Client) -> None:
    version = publish(CAUGHT, people["analyst"])
    begin(version, people["analyst"])
    paths = ("/runs/", "/flows/caught/")
    few = [queries(client, path) for path in paths]
    for _ in range(8):
        begin(version, people["analyst"])
    assert [queries(client, path) for path in paths] == few
    assert max(few) < 15


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)
