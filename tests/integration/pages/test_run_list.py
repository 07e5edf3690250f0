"""The list of runs: what each filter finds on the page and over the API, counts, saved views, news of an open list."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from editor.models import AuditEntry
from editor.services import publish_version, save_draft
from runner.catalog import CATALOG
from runner.models import Run, RunFact
from runner.models.saved_views import SavedView
from runner.services.finding import MOST_VALUES, values_of_inputs
from runner.services.run_filters import COUNTED, Counts
from runner.services.runs import actor_of, cancel_run, retry_step
from runner.services.saved_views import MOST_VIEWS
from tests.integration.pages.samples import CAUGHT, FAILS, INPUTS, WAITS
from tests.support.flows import begin, publish


@pytest.fixture
def analyst(people: dict[str, User]) -> User:
    return people["analyst"]


@pytest.fixture
def client(client_of: Callable[..., Client]) -> Client:
    return client_of("analyst")


def shown(client: Client, query: str, path: str = "/runs/") -> set[str]:
    """Ids of the rows of a list; the API must list the same."""
    page = client.get(f"{path}?{query}")
    assert page.status_code == 200
    found = set(re.findall(r'<tr[^>]* data-run="([0-9a-f]{32})"', page.content.decode()))
    if "since" not in query and "until" not in query:  # days on the page, times for programs
        api = client.get(f"/api/runs/?{query}")
        assert {one["id"] for one in api.json()["items"]} == found
    return found


def counts(client: Client, query: str = "") -> dict[str, str]:
    page = client.get(f"/runs/?{query}").content.decode()
    return dict(re.findall(r'data-status="([a-z_]*)".*?data-count>([0-9,+]*)<', page, re.DOTALL))


def test_inputs_are_found_by_path_and_value_but_never_sensitive_ones(analyst: User, client: Client):
    version = publish(INPUTS, analyst)
    given: dict[str, Any] = {
        "title": "Straße 7", "count": 5, "urgent": True, "settings": {"shop": {"id": "o-42"}}, "tags": ["red", "Blue"],
        "secret": "hush",
    }  # fmt: skip
    run = begin(version, analyst, inputs=given, preset="deep")
    begin(version, analyst, inputs={"title": "other"})
    for path, value in (
        ("title", "strasse 7"), ("count", "5"), ("urgent", "true"), ("settings.shop.id", "O-42"), ("tags", "blue"),
    ):  # fmt: skip
        assert shown(client, f"input={path}&value={value}") == {run.pk}, path
    for path, value in (("secret", "hush"), ("title", "Straße"), ("count", "50"), ("settings", "o-42")):
        assert shown(client, f"input={path}&value={value}") == set(), path
    assert not RunFact.objects.filter(value__contains="hush").exists()
    assert shown(client, "input=count&value=5&preset=deep&flow=inputs&version=1&status=succeeded") == {run.pk}
    assert shown(client, "input=count&value=5&preset=quick") == set()


def test_what_is_kept_of_inputs_is_bounded():
    inputs = {
        "many": {f"k{place}": place for place in range(100)}, "deep": {"a": {"b": {"c": 1}}}, "long": "x" * 201,
        "list": [[1], {"a": 1}, None], "empty": "", "sealed": 1,
    }  # fmt: skip
    found = values_of_inputs(inputs, {"sealed"})
    assert len(found) == MOST_VALUES
    rest = values_of_inputs({key: value for key, value in inputs.items() if key != "many"}, {"sealed"})
    assert rest == [("list", "null")]


def test_a_success_over_a_failed_step_is_found_as_what_it_is(analyst: User, client: Client):
    caught, failed = begin(publish(CAUGHT, analyst), analyst), begin(publish(FAILS, analyst), analyst)
    assert (caught.status, caught.failed_steps) == ("succeeded", 1)
    assert shown(client, "status=succeeded") == set()
    assert shown(client, "status=with_failed_step") == {caught.pk}
    assert shown(client, "status=failed") == {failed.pk}
    assert shown(client, "status=problem") == {caught.pk, failed.pk}
    assert "Succeeded with 1 failed step" in client.get("/runs/").content.decode()
    numbers = {"": "2", "with_failed_step": "1", "failed": "1", "problem": "2", "succeeded": "0"}
    assert numbers.items() <= counts(client, "status=failed").items()
    told = client.get("/api/runs/counts/").json()
    assert (told["total"], told["complete"], told["by_status"]["problem"]) == (2, True, 2)


def test_errors_are_found_by_code_and_words_until_the_run_goes_on(analyst: User, client: Client):
    caught, failed = begin(publish(CAUGHT, analyst), analyst), begin(publish(FAILS, analyst), analyst)
    assert shown(client, "error=no_luck") == {caught.pk}
    assert shown(client, "error=No+LUCK") == {caught.pk, failed.pk}
    assert shown(client, "error=unheard+luck") == set()
    step = failed.step_runs.get(path="boom")
    retry_step(failed.pk, step.pk, actor=actor_of(analyst))
    assert shown(client, "error=luck&flow=fails") == set()


def test_versions_starters_and_times(analyst: User, people: dict[str, User], client: Client):
    first = publish(WAITS, analyst)
    flow = first.flow
    assert flow is not None
    save_draft(flow, {**WAITS, "format": 1, "description": "anew"}, revision=flow.draft.revision, by=analyst)
    second = publish_version(flow, by=analyst, catalog=CATALOG)
    old, new = begin(first, analyst), begin(second, people["admin"])
    assert shown(client, "flow=waits&version=1") == {old.pk}
    assert shown(client, "flow=waits&version=2") == {new.pk}
    assert shown(client, "flow=waits&version=3") == set()
    assert shown(client, "started_by=admin") == {new.pk}
    Run.objects.filter(pk=old.pk).update(started_at=1_700_000_000_000)  # 2023-11-14
    assert shown(client, "until=2023-11-14") == {old.pk} == shown(client, "since=2023-11-14&until=2023-11-14")
    assert shown(client, "since=2023-11-15") == {new.pk}
    listed = client.get("/api/runs/?until=2023-11-14T22:13:20Z&since=2023-11-14T22:13:20Z").json()["items"]
    assert [one["id"] for one in listed] == [old.pk]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("version=1", "Say which flow"), ("input=title", "Say which value"), ("value=x", "Say which input"),
        ("error=!", "whole words"), ("since=2024-01-02&until=2024-01-01", "before the beginning"),
        ("version=x&flow=waits", "whole number"), ("since=yesterday", "valid date"), ("status=odd", "cannot be used"),
    ],
)  # fmt: skip
def test_a_filter_that_cannot_be_used_says_so_and_shows_nothing(analyst: User, client: Client, query: str, told: str):
    begin(publish(WAITS, analyst), analyst)
    page = client.get(f"/runs/?{query}").content.decode()
    assert told in page
    assert "Nothing is shown" in page
    assert "data-run=" not in page
    assert client.get(f"/api/runs/?{query}").status_code == 400


def test_where_nothing_fits_each_filter_can_be_taken_away(analyst: User, client: Client):
    begin(publish(WAITS, analyst), analyst)
    page = client.get("/runs/?flow=waits&version=9&status=active").content.decode()
    assert "No run fits these filters" in page
    assert 'href="/runs/?flow=waits&amp;status=active">Version: 9' in page
    assert 'href="/runs/?status=active">Flow: waits' in page


def test_counts_beyond_the_bound_say_so():
    counted = Counts(COUNTED, {"active": 3, "failed": 40}, is_all=False)
    assert [counted.at_least(status) for status in ("", "failed", "active")] == [True, True, False]
    assert not Counts(5, {"failed": 5}, is_all=True).at_least("failed")


def test_views_are_saved_by_name_for_oneself(analyst: User, client: Client, client_of: Callable[..., Client]):
    def save(name: str, query: str) -> str:
        return client.post("/runs/views/save/", {"name": name, "query": query}).headers["Location"]

    assert save(" My  failures ", "status=failed&odd=1&after=x&flow=") == "/runs/?status=failed"
    save("My failures", "status=problem")
    view = SavedView.objects.get()
    assert (view.person, view.name, view.query) == (analyst, "My failures", "status=problem")
    page = client.get("/runs/?status=problem").content.decode()
    assert 'href="/runs/?status=problem" aria-current="true">My failures' in page
    assert "My failures" not in client_of("admin").get("/runs/").content.decode()
    assert client_of("admin").post(f"/runs/views/{view.pk}/remove/").status_code == 404
    save("", "status=failed")
    assert SavedView.objects.count() == 1
    SavedView.objects.bulk_create(SavedView(person=analyst, name=str(place)) for place in range(MOST_VIEWS - 1))
    save("one too many", "status=failed")
    assert SavedView.objects.count() == MOST_VIEWS
    client.post(f"/runs/views/{view.pk}/remove/")
    assert not SavedView.objects.filter(pk=view.pk).exists()
    entries = AuditEntry.objects.filter(object_type="view").order_by("pk")
    assert list(entries.values_list("action", flat=True)) == ["view-save", "view-save", "view-remove"]


def test_an_open_list_gets_its_rows_as_they_are_and_counts_what_is_new(analyst: User, client: Client):
    version = publish(WAITS, analyst)
    old, other = begin(version, analyst), begin(publish(CAUGHT, analyst), analyst)
    Run.objects.filter(pk=old.pk).update(started_at=1_700_000_000_000)
    query = f"status=active&first={old.pk}&rows={old.pk}"
    news = client.get(f"/runs/news/?{query}").content.decode()
    assert 'data-newer=""' in news
    fresh = begin(version, analyst)
    cancel_run(old.pk, actor=actor_of(analyst))
    news = client.get(f"/runs/news/?{query}").content.decode()
    assert 'data-newer="1"' in news
    assert "1 new run<" in news
    assert "Canceled" in news[news.index(f'data-run="{old.pk}"') :]
    assert fresh.pk not in news
    assert other.pk not in news
    assert 'data-newer="1"' in client.get("/runs/news/?status=active&first=").content.decode()


def test_an_outsider_gets_no_news_of_runs_that_they_do_not_see(analyst: User, client_of: Callable[..., Client]):
    run = begin(publish(WAITS, analyst), analyst)
    news = client_of("outsider").get(f"/runs/news/?first=&rows={run.pk}").content.decode()
    assert run.pk not in news
    assert 'data-newer=""' in news
