"""The API of a run's past: state at an event, fork with its plan, move, running again."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from editor.models import FlowVersion
from editor.services import publish_version, save_draft
from runner.catalog import CATALOG
from runner.models import Event, Run
from runner.services.runs import actor_of, pause_run
from tests.integration.api.conftest import Program, refusal
from tests.support.flows import begin, publish, work_on

STEPS = {
    "id": "steps",
    "name": "Steps",
    "inputs": [{"name": "word", "type": "short_text", "required": True}],
    "nodes": [
        {"id": "one", "type": "transform", "config": {"fields": {"said": "{{word}}"}}, "output_variable": "one"},
        {"id": "rest", "type": "wait", "config": {"signal": "go"}},
        {"id": "two", "type": "transform", "config": {"fields": {"all": "{{one.said}} {{word}}"}}},
    ],
    "edges": [{"source": "one", "target": "rest"}, {"source": "rest", "target": "two"}],
}


@pytest.fixture
def version(people: dict[str, User]) -> FlowVersion:
    return publish(STEPS, people["analyst"])


@pytest.fixture
def run(people: dict[str, User], version: FlowVersion) -> Run:
    return begin(version, people["analyst"], inputs={"word": "x"})


def end(run_id: str, analyst: Program) -> Run:
    assert analyst.post(f"runs/{run_id}/signals/", {"key": "go"}).status_code == 200
    return work_on(run_id)


def test_the_state_at_an_event(run: Run, analyst: Program):
    state = analyst.read(f"runs/{run.pk}/state/?seq=1")
    assert [(one["key"], one["value"]) for one in state["places"][0]["values"]] == [("word", "x")]
    now = analyst.read(f"runs/{run.pk}/state/")
    assert (now["seq"], now["last_seq"], now["status"]) == (run.seq, run.seq, "active")
    assert now["live"] == [{"path": "rest", "visit": 1, "attempt": 1, "status": "waiting"}]
    assert analyst.read(f"runs/{run.pk}/state/?key=one")["places"][0]["values"][0]["value"] == {"said": "x"}
    refusal(analyst.get(f"runs/{run.pk}/state/?seq=99"), 404)
    refusal(analyst.get(f"runs/{run.pk}/state/?key=none"), 404)


def test_a_fork_with_changed_inputs(run: Run, analyst: Program):
    seq = Event.objects.get(run=run, type="step-start", path="one").seq
    assert analyst.read(f"runs/{run.pk}/fork-plan/?seq={seq}")["starts"] == ["one"]
    body = {"seq": seq, "state": {"word": "y"}}
    answer = analyst.post(f"runs/{run.pk}/fork/", body, **{"Idempotency-Key": "k"})
    fork = answer.json()
    assert (answer.status_code, fork["forked_from"], fork["forked_seq"]) == (201, run.pk, seq)
    assert answer.headers["Location"] == f"/api/runs/{fork['id']}/"
    assert analyst.post(f"runs/{run.pk}/fork/", body, **{"Idempotency-Key": "k"}).status_code == 200
    refusal(analyst.post(f"runs/{run.pk}/fork/", body | {"state": {}}, **{"Idempotency-Key": "k"}), 409)
    work_on(fork["id"])
    assert end(fork["id"], analyst).value_of("result") == {"all": "y y"}
    assert [one["id"] for one in analyst.read(f"runs/?forked_from={run.pk}")["items"]] == [fork["id"]]


def test_what_cannot_be_forked(run: Run, analyst: Program):
    ended = end(run.pk, analyst)
    assert refusal(analyst.post(f"runs/{run.pk}/fork/", {"seq": ended.seq}), 409)["code"] == "run_finished"
    assert refusal(analyst.post(f"runs/{run.pk}/fork/", {"seq": 99}), 404)["code"] == "not_found"
    wrong = analyst.post(f"runs/{run.pk}/fork/", {"seq": 1, "state": {"word": 5}})
    assert refusal(wrong, 400)["code"] == "validation_failed"
    assert refusal(analyst.post(f"runs/{run.pk}/fork/", {"seq": 1, "version": 9}), 404)["code"] == "not_found"


def test_moving_and_running_again(run: Run, version: FlowVersion, analyst: Program, people: dict[str, User]):
    mended = STEPS | {"format": 1, "nodes": [*STEPS["nodes"][:2], STEPS["nodes"][2] | {"name": "Other"}]}  # type: ignore[dict-item,index]
    mended["nodes"][2]["config"] = {"fields": {"all": "new {{word}}"}}  # type: ignore[index]
    save_draft(version.flow, mended, revision=1, by=people["analyst"])  # type: ignore[arg-type]
    publish_version(version.flow, by=people["analyst"], catalog=CATALOG)  # type: ignore[arg-type]
    assert refusal(analyst.post(f"runs/{run.pk}/move/", {"version": 2}), 409)["code"] == "not_paused"
    pause_run(run.pk, actor=actor_of(people["analyst"]))
    moved = analyst.post(f"runs/{run.pk}/move/", {"version": 2})
    assert (moved.status_code, moved.json()["version"]["number"]) == (200, 2)
    assert analyst.post(f"runs/{run.pk}/resume/", {}).status_code == 200
    assert end(run.pk, analyst).value_of("result") == {"all": "new x"}
    again = analyst.post(f"runs/{run.pk}/again/", {"newest": True})
    assert (again.status_code, again.json()["version"]["number"]) == (201, 2)
