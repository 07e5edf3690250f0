"""The page of a run and its parts: honest words, values, downloads, events as JSON, and what people can do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from runner.models import Artifact, Event, Run, StepRun
from tests.integration.pages.samples import ASKS, CAUGHT, CHILD, FAILS, LARGE, MANY, PARENT, SECRET, WAITS
from tests.support.flows import append_events, begin, publish, work_on


@pytest.fixture
def analyst(people: dict[str, User]) -> User:
    return people["analyst"]


@pytest.fixture
def client(client_of: Callable[..., Client]) -> Client:
    return client_of("analyst")


def page_of(client: Client, run: Run, query: str = "") -> str:
    response = client.get(reverse("run", args=[run.pk]) + query)
    assert response.status_code == 200
    return response.content.decode()


def test_a_run_that_ended_well_over_a_failure_says_so(analyst: User, client: Client) -> None:
    run = begin(publish(CAUGHT, analyst), analyst)
    assert run.status == "succeeded"
    assert "Succeeded with 1 failed step" in page_of(client, run)
    assert "Succeeded with 1 failed step" in client.get(reverse("runs")).content.decode()


def test_a_waiting_run_says_for_whom(analyst: User, client: Client) -> None:
    page = page_of(client, begin(publish(ASKS, analyst), analyst))
    assert "Waiting for approval" in page
    assert "ask waits for a decision by a reviewer" in page


def test_a_run_that_waits_for_a_signal_says_for_which_and_gets_it(analyst: User, client: Client) -> None:
    run = begin(publish(WAITS, analyst), analyst)
    assert "hold waits for the signal “go”" in page_of(client, run)
    path = reverse("send-signal", args=[run.pk])
    client.post(path, {"key": "go", "value": "{broken"})
    assert Run.objects.get(pk=run.pk).status == "active"
    client.post(path, {"key": "go", "value": '{"n": 1}'})
    run = work_on(run.pk)
    assert (run.status, run.value_of("result")) == ("succeeded", {"n": 1})


def test_a_failure_names_its_step_and_markup_stays_text(analyst: User, client: Client) -> None:
    run = begin(publish(FAILS, analyst), analyst)
    page = page_of(client, run)
    assert "no &lt;b&gt;luck&lt;/b&gt;" in page and "<b>luck" not in page
    assert "flow_error" in page and "fate" in page
    step = StepRun.objects.get(run=run, path="boom")
    assert reverse("step", args=[run.pk, step.pk]) in page


def test_every_attempt_shows_what_it_had_and_gave(analyst: User, client: Client) -> None:
    run = begin(publish(FAILS, analyst), analyst)
    for step in StepRun.objects.filter(run=run):
        for query in ("", "?part"):
            page = unescape(client.get(reverse("step", args=[run.pk, step.pk]) + query).content.decode())
            assert step.input_digest in page
            for word in ("Input", "Output", "Written to the state", step.ran_on):
                assert word in page
    assert '"ok": true' in unescape(
        client.get(reverse("step", args=[run.pk, StepRun.objects.get(run=run, path="first").pk])).content.decode()
    )


def test_a_step_is_found_only_under_its_own_run(analyst: User, client: Client) -> None:
    one, other = (begin(publish(document, analyst), analyst) for document in (FAILS, CAUGHT))
    step = StepRun.objects.filter(run=other).first()
    assert step is not None
    assert client.get(reverse("step", args=[one.pk, step.pk])).status_code == 404
    assert client.get(reverse("step-value", args=[one.pk, step.pk, "output"])).status_code == 404


def test_a_large_value_comes_on_demand(analyst: User, client: Client) -> None:
    items = [{"n": 2**60 + place, "text": "x" * 40} for place in range(2_000)]
    run = begin(publish(LARGE, analyst), analyst, inputs={"items": items})
    step = StepRun.objects.get(run=run, path="keep")
    assert step.output_ref is not None, "the value lies in the run's blobs"
    page = client.get(reverse("step", args=[run.pk, step.pk])).content.decode()
    assert len(page) < 30_000 and "Download as JSON" in page
    path = reverse("step-value", args=[run.pk, step.pk, "output"])
    text = client.get(f"{path}?text")
    assert text.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert text.content.decode().startswith('{\n  "items": [\n    {\n      "n": 1152921504606846976,')
    file = client.get(path)
    assert json.loads(file.content) == {"items": items, "word": ""}
    assert file.headers["Content-Disposition"].startswith("attachment")
    assert file.headers["X-Content-Type-Options"] == "nosniff"
    assert client.get(reverse("step-value", args=[run.pk, step.pk, "error"])).status_code == 404


def test_an_artifact_is_a_file_and_never_a_page(analyst: User, client: Client) -> None:
    run = begin(publish(LARGE, analyst), analyst, inputs={"word": "hello"})
    artifact = Artifact.objects.get(run=run)
    assert "page.html" in page_of(client, run)
    response = client.get(reverse("artifact", args=[run.pk, artifact.pk]))
    assert response.content.decode() == "<script>alert(1)</script> hello"
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["Content-Disposition"] == 'attachment; filename="page.html"'
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response.headers["Content-Security-Policy"]
    other = begin(publish(CAUGHT, analyst), analyst)
    assert client.get(reverse("artifact", args=[other.pk, artifact.pk])).status_code == 404


def test_characters_that_draw_nothing_are_named(analyst: User, client: Client) -> None:
    run = begin(publish(LARGE, analyst), analyst, inputs={"word": "a\u202eb"})
    page = page_of(client, run)
    assert '<span class="hidden-char" title="RIGHT-TO-LEFT OVERRIDE">U+202E</span>' in page
    assert "\u202e" not in page


def test_earlier_events_come_in_order_and_whole_numbers_as_text(analyst: User, client: Client) -> None:
    run = begin(publish(WAITS, analyst), analyst)
    append_events(run.pk, 450, big=2**60)
    path = reverse("run-events", args=[run.pk])
    last = json.loads(client.get(path).content)["events"]
    newest = Run.objects.get(pk=run.pk).seq
    assert [event["seq"] for event in last] == list(range(newest - 199, newest + 1))
    assert last[-1]["data"]["big"] == str(2**60)
    before = json.loads(client.get(f"{path}?before={last[0]['seq']}").content)["events"]
    assert [event["seq"] for event in before] == list(range(newest - 399, newest - 199))
    assert json.loads(client.get(f"{path}?before=1").content) == {"events": []}


def test_pause_resume_and_cancel(analyst: User, client: Client) -> None:
    run = begin(publish(WAITS, analyst), analyst)
    assert "Pause the run" in page_of(client, run) and "Resume the run" not in page_of(client, run)
    client.post(reverse("pause-run", args=[run.pk]))
    page = page_of(client, run)
    assert "Paused" in page and "Resume the run" in page and "nothing new starts until it is resumed" in page
    client.post(reverse("resume-run", args=[run.pk]))
    assert Run.objects.get(pk=run.pk).status == "active"
    response = client.post(reverse("resume-run", args=[run.pk]), follow=True)
    assert "The run is not paused by a person" in response.content.decode()
    client.post(reverse("cancel-run", args=[run.pk]), {"reason": "No longer needed"})
    page = page_of(client, run)
    assert "Canceled" in page and "No longer needed" in page and "Cancel the run for good" not in page
    event = Event.objects.get(run=run, type="flow-canceled")
    assert event.actor["name"] == "analyst"
    response = client.post(reverse("cancel-run", args=[run.pk]), follow=True)
    assert "The run has ended" in response.content.decode()


def test_a_failed_step_is_tried_again(analyst: User, client: Client) -> None:
    run = begin(publish(FAILS, analyst), analyst)
    step = StepRun.objects.get(run=run, path="boom")
    first = StepRun.objects.get(run=run, path="first")
    assert "attempt 2" in client.get(reverse("step", args=[run.pk, step.pk])).content.decode()
    assert "Retry" not in client.get(reverse("step", args=[run.pk, first.pk])).content.decode()
    refused = client.post(reverse("retry-step", args=[run.pk, first.pk]), follow=True)
    assert "Only the step whose failure ended the run" in refused.content.decode()
    client.post(reverse("retry-step", args=[run.pk, step.pk]))
    run = work_on(run.pk)
    attempts = StepRun.objects.filter(run=run).order_by("path", "attempt").values_list("path", "attempt")
    assert list(attempts) == [("boom", 1), ("boom", 2), ("first", 1)]
    page = client.get(reverse("step", args=[run.pk, step.pk])).content.decode()
    assert "Attempt 1" in page and "Attempt 2" in page


def test_attempts_come_in_pages_each_once(analyst: User, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    run = begin(publish(MANY, analyst), analyst)
    expected = set(StepRun.objects.filter(run=run).values_list("pk", flat=True))
    assert len(expected) > 200
    for limit, note in ((10_000, False), (50, True)):
        monkeypatch.setattr("runner.views.steps_table.SORTED_BY_TIME", limit)
        monkeypatch.setattr("runner.views.runs.SORTED_BY_TIME", limit)
        found: list[str] = []
        query = ""
        while True:
            page = page_of(client, run, query)
            found += re.findall(r'data-step="([0-9a-f]{32})"', page)
            following = re.search(r'href="(\?steps_after=[0-9a-f]+)#steps" rel="next"', page)
            if not following:
                break
            query = following[1]
        assert len(found) == len(expected) and set(found) == expected
        assert ("by path" in page) is note


def test_only_failed_attempts_can_be_listed(analyst: User, client: Client) -> None:
    run = begin(publish(FAILS, analyst), analyst)
    first = StepRun.objects.get(run=run, path="first")
    assert f'data-step="{first.pk}"' in page_of(client, run)
    assert f'data-step="{first.pk}"' not in page_of(client, run, "?steps=failed")


def test_the_latest_attempts_can_come_first(analyst: User, client: Client) -> None:
    run = begin(publish(FAILS, analyst), analyst)
    paths = [re.findall(r"<strong>(\w+)</strong></a>", page_of(client, run, query)) for query in ("", "?steps=latest")]
    assert paths == [["first", "boom"], ["boom", "first"]]


def test_what_touches_something_sensitive_is_covered_but_for_the_admin(
    analyst: User, client: Client, client_of: Callable[..., Client]
) -> None:
    run = begin(publish(SECRET, analyst), analyst, inputs={"token": "s3cret"})
    assert run.status == "succeeded"
    use, plain = (StepRun.objects.get(run=run, path=path) for path in ("use", "plain"))
    for path in (
        reverse("run", args=[run.pk]), reverse("run-parts", args=[run.pk]), reverse("run-events", args=[run.pk]),
        reverse("step", args=[run.pk, use.pk]), reverse("step", args=[run.pk, use.pk]) + "?part",
    ):  # fmt: skip
        assert "s3cret" not in client.get(path).content.decode(), path
    assert "covered: sensitive" in client.get(reverse("step", args=[run.pk, use.pk])).content.decode()
    for name in ("input", "output", "delta"):
        assert client.get(reverse("step-value", args=[run.pk, use.pk, name])).status_code == 404
    assert client.get(reverse("step-value", args=[run.pk, plain.pk, "output"])).content == b'{"n":1}'
    page = client_of("admin").get(reverse("admin:runner_steprun_change", args=[use.pk])).content.decode()
    assert "s3cret" in page
    salted = client_of("admin").get(reverse("admin:runner_run_change", args=[run.pk])).content.decode()
    assert run.salt and run.salt not in salted


def test_a_run_and_the_run_it_waits_for_link_to_each_other(analyst: User, client: Client) -> None:
    publish(CHILD, analyst)
    run = begin(publish(PARENT, analyst), analyst)
    child = Run.objects.get(parent_run=run.pk)
    assert f'href="{reverse("run", args=[child.pk])}"' in page_of(client, run)
    assert f'href="{reverse("run", args=[run.pk])}"' in page_of(client, child)
    step = StepRun.objects.get(run=run, path="call")
    assert reverse("run", args=[child.pk]) in client.get(reverse("step", args=[run.pk, step.pk])).content.decode()
