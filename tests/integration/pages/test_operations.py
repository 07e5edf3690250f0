"""The pages of whoever looks after the site: the incident switch, what stands still, and the line on every page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from runner.models import Approval, Heartbeat, Run, StepRun, Stop, Timer
from runner.services.stops import stop
from runner.store.clock import now_ms
from runner.store.sweeping import beat
from tests.integration.pages.samples import ASKS
from tests.support.flows import begin, publish
from tests.support.runs import call, document, offer_tool, transform

HOUR = 3_600_000


def text_of(client: Client, name: str, *args: Any, query: str = "") -> str:
    response = client.get(reverse(name, args=args) + query)
    assert response.status_code == 200, response.status_code
    return response.content.decode()


def test_an_admin_stops_and_releases_by_the_page(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    publish(document([transform("a")], id="one"), people["analyst"])
    client = client_of("admin")
    sent = client.post(reverse("stops"), {"what": "flow:one", "reason": "it pays twice"})
    assert sent.status_code == 302 and Stop.objects.get().target == "one"
    page = text_of(client, "stops")
    assert "The flow one" in page and "it pays twice" in page
    released = client.post(reverse("release-stop", args=[Stop.objects.get().pk]), {"note": "mended"}, follow=True)
    assert "Released: the flow one." in released.content.decode()
    page = text_of(client, "stops")
    assert "Nothing is stopped." in page and "mended" in page


def test_the_page_says_what_is_wrong_with_a_stop(client_of: Callable[..., Client]) -> None:
    client = client_of("admin")
    for given in ({"what": "flow:nowhere", "reason": "x"}, {"what": "all:", "reason": " "}, {}):
        refused = client.post(reverse("stops"), given)
        assert refused.status_code == 400 and "Nothing was stopped." in refused.content.decode()
    client.post(reverse("stops"), {"what": "all:", "reason": "alarm"})
    again = client.post(reverse("stops"), {"what": "all:", "reason": "alarm"})
    assert again.status_code == 400 and "stopped already, by admin: alarm" in again.content.decode()
    assert (
        "Say why it may go on"
        in client.post(
            reverse("release-stop", args=[Stop.objects.get().pk]), {"note": ""}, follow=True
        ).content.decode()
    )
    assert client.post(reverse("release-stop", args=[10**9]), {"note": "x"}).status_code == 404


def test_every_page_says_what_is_stopped_while_it_is(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    run = begin(publish(ASKS, people["analyst"]), people["analyst"])
    told = "<strong>Stopped: everything.</strong> By admin since"
    pages = [("home", ()), ("flows", ()), ("runs", ()), ("inbox", ()), ("tokens", ()), ("run", (run.pk,))]
    assert told not in text_of(client_of("reviewer"), "home")
    stop("all", reason="<b>alarm</b>", user=people["admin"])
    for role in ("analyst", "reviewer", "admin"):
        client = client_of(role)
        for name, args in pages:
            page = text_of(client, name, *args)
            assert told in page and "&lt;b&gt;alarm&lt;/b&gt;" in page, (role, name)
            assert ("Look, or release" in page) is (role == "admin")
        assert told in client.get("/nowhere/").content.decode()
    assert told not in text_of(client_of("outsider"), "home")
    assert "Stopped: everything. By admin since" in text_of(client_of("admin"), "admin:index")
    assert told not in Client().get("/sign-in/").content.decode()


def test_a_run_says_why_it_waits(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    offer_tool("test_pay", lambda: 1)
    nodes = [call("pay", "test_pay"), transform("after")]
    run = begin(publish(document(nodes, ["pay>after"], id="one"), people["analyst"]), people["analyst"], work=False)
    client = client_of("analyst")
    assert "pay waits for a worker" in text_of(client, "run", run.pk)
    stop("tool", "test_pay", reason="the bank is down", user=people["admin"])
    page = text_of(client, "run", run.pk)
    told = "(it goes on by itself once that is released): the bank is down"
    assert f"pay waits: its tool test_pay is stopped by admin {told}" in page
    assert "pay waits for a worker" not in page
    stop("flow", "one", reason="it pays twice", user=people["admin"])
    assert "Stopped by admin (it goes on by itself once that is released): it pays twice" in text_of(
        client, "run", run.pk
    )


def test_starting_by_the_page_is_refused_with_the_reason(
    people: dict[str, User], client_of: Callable[..., Client]
) -> None:
    publish(document([transform("a")], id="one"), people["analyst"])
    stop("all", reason="alarm", user=people["admin"])
    answer = client_of("analyst").post(reverse("start-run", args=["one"]), {"idempotency_key": "k"})
    assert "No run starts: everything is stopped by admin since" in answer.content.decode()
    assert not Run.objects.exists()


@pytest.fixture
def stuck_run(people: dict[str, User]) -> Run:
    """A run whose every part is overdue by a day."""
    run = begin(publish(ASKS, people["analyst"]), people["analyst"])
    long_ago = now_ms() - 24 * HOUR
    step = StepRun.objects.get(run=run, path="before")
    copy = {field.attname: getattr(step, field.attname) for field in StepRun._meta.concrete_fields}
    StepRun.objects.create(**copy | {"id": "f" * 32, "path": "late", "status": "running", "lease_expires_at": long_ago})
    waits = {"id": "e" * 32, "path": "idle", "status": "pending", "not_before": long_ago, "backend": "host"}
    StepRun.objects.create(**copy | waits)
    Timer.objects.create(id="t", run=run, kind="wait", due_at=long_ago, step_id=step.pk)
    Approval.objects.filter(run=run).update(expires_at=long_ago)
    Run.objects.filter(pk=run.pk).update(status="active", last_ts=long_ago)
    return run


def test_the_page_of_what_stands_still_links_each_to_its_run_and_says_what_to_do(
    stuck_run: Run, client_of: Callable[..., Client]
) -> None:
    page = text_of(client_of("admin"), "stuck")
    assert page.count(f'href="/runs/{stuck_run.pk}/"') == 5
    for told in (
        "idle waits for a worker",
        "No worker takes the queue steps.host: start one.",
        "manage.py worker --queues steps.host",
        "late was claimed by",
        "should have been decided",
        "A timer (wait) is due",
        "Nothing has happened in it",
        "If this stays, none runs: start manage.py run_sweeper",
        "24 h",
    ):
        assert told in page, told
    assert "Nothing has happened in it" not in text_of(client_of("admin"), "stuck", query="?hours=168")


def test_a_queue_has_a_worker_that_showed_itself_lately(stuck_run: Run, client_of: Callable[..., Client]) -> None:
    beat("worker here:1", "worker", {"queues": ["steps.host", "steps.inline"]})
    page = text_of(client_of("admin"), "stuck")
    assert "No worker takes the queue" not in page and "The workers are busy" in page
    assert "worker here:1" in page and "steps.host, steps.inline" in page
    Heartbeat.objects.update(at=now_ms() - 2 * 60_000)
    assert "No worker takes the queue steps.host" in text_of(client_of("admin"), "stuck")


def test_a_stop_explains_what_stands_still(
    stuck_run: Run, people: dict[str, User], client_of: Callable[..., Client]
) -> None:
    stop("all", reason="alarm", user=people["admin"])
    page = text_of(client_of("admin"), "stuck")
    assert "Nothing: everything is stopped by admin since" in page


def test_where_nothing_stands_still_the_page_says_so(client_of: Callable[..., Client]) -> None:
    page = text_of(client_of("admin"), "stuck")
    assert "Nothing does." in page and "None was seen. Start a worker and a sweeper" in page


def test_the_pages_are_for_admins(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    made = stop("all", reason="alarm", user=people["admin"])
    for role, expected in (("outsider", 404), ("reviewer", 403), ("analyst", 403)):
        client = client_of(role)
        assert [client.get(reverse(name)).status_code for name in ("stops", "stuck")] == [expected] * 2
        assert client.post(reverse("stops"), {"what": "all:", "reason": "x"}).status_code == expected
        assert client.post(reverse("release-stop", args=[made.pk]), {"note": "x"}).status_code == expected
    assert Stop.objects.active().count() == 1
