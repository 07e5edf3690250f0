"""Pages of a run's past: the state at an event, the form that forks there, moving, and running again."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from editor.models import FlowVersion
from editor.services import publish_version, save_draft
from runner.catalog import CATALOG
from runner.models import Event, Run
from runner.services.runs import actor_of, pause_run
from tests.support.flows import begin, publish, work_on

LONG = "long " * 1000
STEPS: dict[str, Any] = {
    "id": "steps",
    "name": "Steps",
    "inputs": [
        {"name": "word", "type": "short_text", "required": True},
        {"name": "code", "type": "short_text", "sensitive": True, "required": False},
    ],
    "nodes": [
        {"id": "one", "type": "transform", "config": {"fields": {"said": "{{word}}"}}, "output_variable": "one"},
        {"id": "rest", "type": "wait", "config": {"signal": "go"}},
    ],
    "edges": [{"source": "one", "target": "rest"}],
}


@pytest.fixture
def analyst(people: dict[str, User]) -> User:
    return people["analyst"]


@pytest.fixture
def version(analyst: User) -> FlowVersion:
    return publish(STEPS, analyst)


@pytest.fixture
def run(version: FlowVersion, analyst: User) -> Run:
    return begin(version, analyst, inputs={"word": "<b>x</b>", "code": "hush-hush"})


@pytest.fixture
def client(client_of: Callable[..., Client]) -> Client:
    return client_of("analyst")


def text_of(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode()


def test_the_page_tells_the_state_after_an_event(run: Run, client: Client):
    seq = Event.objects.get(run=run, type="step-start", path="one").seq
    early = text_of(client, reverse("run-at", args=[run.pk, seq]))
    assert "&lt;b&gt;x&lt;/b&gt;" in early and "<b>x</b>" not in early
    assert "<dt>one</dt><dd>running" in early
    late = text_of(client, reverse("run-at", args=[run.pk, run.seq]))
    assert "said" in late and "<dt>rest</dt><dd>waiting" in late
    assert "hush-hush" not in early + late
    assert client.get(reverse("run-at", args=[run.pk, run.seq + 1])).status_code == 404
    assert client.get(reverse("run-at", args=[run.pk, 0])).status_code == 404


def test_long_values_are_behind_a_link(version: FlowVersion, analyst: User, client: Client):
    run = begin(version, analyst, inputs={"word": LONG})
    url = reverse("run-at", args=[run.pk, 1])
    assert LONG.strip() not in text_of(client, url)
    assert LONG.strip() in text_of(client, f"{url}?key=word&scope=1")
    assert client.get(f"{url}?key=other").status_code == 404


def test_a_fork_from_the_page(run: Run, client: Client):
    seq = Event.objects.get(run=run, type="step-start", path="one").seq
    assert "These steps start: <code>one</code>" in text_of(client, reverse("run-at", args=[run.pk, seq]))
    form = {"seq": seq, "state": '{"word": "new"}', "idempotency_key": "k1", "version": ""}
    response = client.post(reverse("fork-run", args=[run.pk]), form, follow=True)
    fork = Run.objects.get(forked_from=run.pk)
    assert response.redirect_chain[-1][0] == reverse("run", args=[fork.pk])
    assert f"run {run.pk[:8]} at event {fork.forked_seq}" in response.content.decode()
    assert f"run {fork.pk[:8]}" in text_of(client, reverse("run", args=[run.pk]))
    client.post(reverse("fork-run", args=[run.pk]), form)
    assert Run.objects.filter(forked_from=run.pk).count() == 1
    assert work_on(fork.pk).status == "active"


def test_far_on_in_a_history_the_page_offers_a_fork_without_its_plan(run: Run, client: Client, monkeypatch: Any):
    monkeypatch.setattr("runner.views.past.PLANNED", 1)
    text = text_of(client, reverse("run-at", args=[run.pk, run.seq]))
    assert "Fork the run</button>" in text and "These steps start" not in text


@pytest.mark.parametrize("state", ["{", "[1]", '{"word": 5}'])
def test_a_form_that_does_not_fit_forks_nothing(state: str, run: Run, client: Client):
    response = client.post(reverse("fork-run", args=[run.pk]), {"seq": 1, "state": state}, follow=True)
    assert "The run was not forked." in response.content.decode()
    assert Run.objects.count() == 1


def test_moving_from_the_page(run: Run, version: FlowVersion, analyst: User, client: Client):
    page = reverse("run", args=[run.pk])
    assert version.flow is not None
    save_draft(version.flow, STEPS | {"format": 1, "description": "Mended"}, revision=1, by=analyst)
    publish_version(version.flow, by=analyst, catalog=CATALOG, note="mended")
    assert "Move to a version" not in text_of(client, page)
    pause_run(run.pk, actor=actor_of(analyst))
    assert "v2: mended" in text_of(client, page)
    client.post(reverse("move-run", args=[run.pk]), {"version": "2"})
    run.refresh_from_db()
    assert run.version.number == 2
    refused = client.post(reverse("move-run", args=[run.pk]), {"version": "9"}, follow=True)
    assert "no such version" in refused.content.decode()


def test_a_form_that_is_sent_twice_runs_again_once(run: Run, client: Client):
    page = text_of(client, reverse("run", args=[run.pk]))
    form = page[page.index(reverse("run-again", args=[run.pk])) :]
    key = re.search(r'name="idempotency_key" value="([0-9a-f]{32})"', form)
    assert key
    sent = [
        client.post(reverse("run-again", args=[run.pk]), {"version": version, "idempotency_key": key[1]})
        for version in ("", "", "newest")
    ]
    assert sent[0].headers["Location"] == sent[1].headers["Location"] != sent[2].headers["Location"]
    assert Run.objects.exclude(pk=run.pk).count() == 2


def test_running_again_from_the_page(run: Run, client: Client):
    response = client.post(reverse("run-again", args=[run.pk]), {"version": ""}, follow=True)
    again = Run.objects.exclude(pk=run.pk).get()
    assert response.redirect_chain[-1][0] == reverse("run", args=[again.pk])
    assert again.value_of("inputs") == run.value_of("inputs")
    assert Event.objects.filter(run=again, type="flow-start").exists()
