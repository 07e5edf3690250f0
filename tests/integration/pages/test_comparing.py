"""Two runs side by side: where they differ first, forks, versions, what stays covered, who sees what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from editor.services import publish_version, save_draft
from runner.catalog import CATALOG
from runner.models import Run
from runner.services.comparisons import suggestions
from runner.services.forks import fork_run
from runner.services.runs import actor_of, send_signal
from tests.integration.pages.samples import WAITS
from tests.support.flows import begin, publish, work_on

ROUTES: dict[str, Any] = {
    "id": "routes",
    "name": "Routes",
    "inputs": [
        {"name": "amount", "type": "integer", "required": True},
        {"name": "code", "type": "short_text", "sensitive": True},
    ],
    "presets": [{"id": "quick", "policy": {}}],
    "nodes": [
        {"id": "check", "type": "transform", "config": {"fields": {"done": True}}},
        {"id": "small", "type": "transform", "config": {"fields": {"amount": "{{amount}}"}}, "output_variable": "paid"},
        {"id": "large", "type": "transform", "config": {"fields": {"asked": True}}},
        {"id": "hide", "type": "transform", "config": {"fields": {"code": "{{code}}"}}},
        {"id": "rest", "type": "wait", "config": {"signal": "go"}},
    ],
    "edges": [
        {"source": "check", "target": "large", "when": "amount > 100"},
        {"source": "check", "target": "small"},
        {"source": "small", "target": "hide"},
        {"source": "large", "target": "hide"},
        {"source": "hide", "target": "rest"},
    ],
}


@pytest.fixture
def analyst(people: dict[str, User]) -> User:
    return people["analyst"]


@pytest.fixture
def client(client_of: Callable[..., Client]) -> Client:
    return client_of("analyst")


def start(version: Any, by: User, amount: int, **options: Any) -> Run:
    """A run that has come to its end."""
    run = begin(version, by, inputs={"amount": amount, "code": f"hush-{amount}"}, **options)
    send_signal(run.pk, "go", actor=actor_of(by))
    return work_on(run.pk)


def told(client: Client, before: Run, after: Run, query: str = "") -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/api/runs/{before.pk}/compare/{after.pk}/{query}").json()
    return found


def test_the_first_difference_is_where_the_ways_part(analyst: User, client: Client):
    version = publish(ROUTES, analyst)
    small, large = start(version, analyst, 7), start(version, analyst, 700)
    found = told(client, small, large)
    assert (found["first"]["path"], found["first"]["differs"]) == ("check", ["route"])
    assert [(one["path"], one["differs"]) for one in found["steps"]] == [
        ("check", ["route"]), ("small", ["missing"]), ("large", ["missing"]),
    ]  # fmt: skip
    assert found["first"]["before"]["route"] == [{"on": "success", "target": "small"}]
    assert [(one["name"], one["kind"]) for one in found["inputs"]] == [("amount", "changed"), ("code", "covered")]
    page = client.get(reverse("compare-runs", args=[small.pk, large.pk])).content.decode()
    at = found["first"]["before"]
    assert f'href="/runs/{small.pk}/?node=check&amp;seq={at["seq"]}">A at event' in page
    assert "Both ran v1." in page
    assert "They were given other inputs: amount." in page
    hiding = client.get(reverse("compare-runs", args=[small.pk, large.pk]), {"path": "hide"}).content.decode()
    assert "hush" not in page + hiding


def test_values_differ_place_by_place(analyst: User, client: Client):
    version = publish(ROUTES, analyst)
    one, other = start(version, analyst, 7), start(version, analyst, 8)
    found = told(client, one, other, "?show=all")
    assert (found["first"]["path"], found["first"]["differs"]) == ("small", ["output", "writes"])
    assert {step["path"]: step["covered"] for step in found["steps"]}["hide"] is True
    page = client.get(reverse("compare-runs", args=[one.pk, other.pk])).content.decode()
    assert "<code>/amount</code>" in page
    assert "where the runs differ first" in page


def test_a_run_and_itself_or_one_like_it_do_not_differ(analyst: User, client: Client):
    version = publish(ROUTES, analyst)
    one, same = start(version, analyst, 7), start(version, analyst, 7)
    for other in (one, same):
        found = told(client, one, other)
        assert (found["first"], found["steps"], found["versions"], found["complete"]) == (None, [], None, True)
    page = client.get(reverse("compare-runs", args=[one.pk, same.pk])).content.decode()
    assert "No difference" in page
    assert "every step took the same input" in page


def test_what_a_fork_took_over_counts_as_its_own(analyst: User, client: Client):
    waiting = begin(publish(ROUTES, analyst), analyst, inputs={"amount": 7, "code": "x"})
    fork = fork_run(waiting, waiting.seq, actor=actor_of(analyst), user=analyst, state={"paid": "changed"})
    forked = work_on(fork.run_id)
    found = told(client, waiting, forked, "?show=all")
    assert found["first"] is None
    assert [step["path"] for step in found["steps"]] == ["check", "small", "hide", "rest"]
    assert {step["path"]: step["after"]["run"] for step in found["steps"]}["small"] == waiting.pk
    assert suggestions(forked, analyst)[0].why == "The run that this one was forked from"


def test_the_versions_are_compared_alongside(analyst: User, client: Client):
    first = publish(ROUTES, analyst)
    flow = first.flow
    assert flow is not None
    changed = {**ROUTES["nodes"][0], "config": {"fields": {"done": False}}}
    nodes = [changed, *ROUTES["nodes"][1:]]
    save_draft(flow, {**ROUTES, "format": 1, "nodes": nodes}, revision=flow.draft.revision, by=analyst)
    second = publish_version(flow, by=analyst, catalog=CATALOG)
    old, new = start(first, analyst, 7), start(second, analyst, 7)
    found = told(client, old, new)
    assert (found["first"]["path"], found["first"]["differs"]) == ("check", ["output"])
    assert [part["id"] for part in found["versions"]["nodes"]["changed"]] == ["check"]
    page = client.get(reverse("compare-runs", args=[old.pk, new.pk])).content.decode()
    assert "node check changed" in page
    assert 'href="/flows/routes/compare/?before=1&amp;after=2"' in page
    other = begin(publish(WAITS, analyst), analyst)
    assert "different flows" in client.get(reverse("compare-runs", args=[old.pk, other.pk])).content.decode()


def test_what_is_offered_to_compare_with(analyst: User, client: Client):
    version = publish(ROUTES, analyst)
    plain, quick = start(version, analyst, 7), start(version, analyst, 7, preset="quick")
    waiting = begin(version, analyst, inputs={"amount": 1})
    last = begin(version, analyst, inputs={"amount": 1}, preset="quick")
    assert [(one.why, one.run.pk) for one in suggestions(last, analyst)] == [
        ("The run of this flow before it", waiting.pk),
        ("The last one before it with the same preset", quick.pk),
    ]
    page = client.get(reverse("compare-with", args=[last.pk])).content.decode()
    assert reverse("compare-runs", args=[quick.pk, last.pk]) in page
    sent = client.get(reverse("compare-with", args=[last.pk]), {"with": plain.pk[:12]})
    assert sent.headers["Location"] == reverse("compare-runs", args=[plain.pk, last.pk])
    assert (
        "No run that you may see"
        in client.get(reverse("compare-with", args=[last.pk]), {"with": "0" * 12}).content.decode()
    )
    assert suggestions(plain, analyst) == []


def test_nobody_compares_with_a_run_that_they_do_not_see(analyst: User, client_of: Callable[..., Client]):
    version = publish(ROUTES, analyst)
    run = start(version, analyst, 7)
    outsider = client_of("outsider")
    own = begin(version, User.objects.get(username="outsider"), inputs={"amount": 1})
    assert outsider.get(reverse("compare-runs", args=[own.pk, own.pk])).status_code == 200
    for pair in ((own.pk, run.pk), (run.pk, own.pk)):
        assert outsider.get(reverse("compare-runs", args=pair)).status_code == 404
        assert outsider.get(reverse("api-run-compare", args=pair)).status_code == 404
    assert "No run" in outsider.get(reverse("compare-with", args=[own.pk]), {"with": run.pk}).content.decode()
