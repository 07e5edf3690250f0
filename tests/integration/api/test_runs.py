"""Runs over the API: starting, listing, reading, and what is done to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from editor.models import FlowVersion
from editor.services import save_draft
from runner.models import Event, Run, StepRun
from runner.services.runs import actor_of
from tests.integration.api.conftest import Program, refusal
from tests.integration.pages.samples import ASKS, CHILD, FAILS, INPUTS, LARGE, PARENT, SECRET, WAITS
from tests.support.flows import begin, publish, work_on


@pytest.fixture
def waits(people: dict[str, User]) -> FlowVersion:
    return publish(WAITS, people["analyst"])


# --- starting -------------------------------------------------------------------------------------------


def test_a_run_of_the_newest_version_is_started(analyst: Program, waits: FlowVersion, people: dict[str, User]):
    answer = analyst.post("runs/", {"flow": "waits"})
    assert answer.status_code == 201
    run = answer.json()
    assert answer.headers["Location"] == f"/api/runs/{run['id']}/"
    assert (run["flow"], run["status"], run["started_by"]) == ("waits", "active", "analyst")
    assert run["version"] == {"number": 1, "content_hash": waits.content_hash}
    assert run["actor"] == {"kind": "user", "id": str(people["analyst"].pk), "name": "analyst"}
    assert "values" not in run and run["error"] is None
    assert analyst.read(f"runs/{run['id']}/") == run


def test_the_same_key_starts_one_run(analyst: Program, waits: FlowVersion):
    body = {"flow": "waits", "inputs": {}}
    first = analyst.post("runs/", body, **{"Idempotency-Key": "k-1"})
    again = analyst.post("runs/", body, **{"Idempotency-Key": "k-1"})
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    error = refusal(analyst.post("runs/", {**body, "version": 1}, **{"Idempotency-Key": "k-1"}), 409)
    assert (error["code"], error["details"]) == ("idempotency_conflict", {"run": first.json()["id"]})
    assert analyst.post("runs/", body, **{"Idempotency-Key": "k-2"}).status_code == 201
    for wrong in ("", "x" * 201):
        assert refusal(analyst.post("runs/", body, **{"Idempotency-Key": wrong}), 400)["code"] == "validation_failed"
    assert Run.objects.count() == 2


def test_the_same_key_gives_the_same_run_after_a_newer_version_and_a_broken_draft(
    analyst: Program, waits: FlowVersion, people: dict[str, User]
):
    newest = analyst.post("runs/", {"flow": "waits"}, **{"Idempotency-Key": "newest"}).json()
    draft = analyst.post("runs/", {"flow": "waits", "version": "draft"}, **{"Idempotency-Key": "draft"}).json()
    assert waits.flow is not None
    save_draft(waits.flow, {**WAITS, "format": 1, "name": "New"}, revision=1, by=people["analyst"])
    analyst.post("flows/waits/versions/", {})
    save_draft(waits.flow, {"format": 1, "id": "waits", "nodes": 5}, revision=2, by=people["analyst"])
    again = analyst.post("runs/", {"flow": "waits"}, **{"Idempotency-Key": "newest"})
    assert (again.status_code, again.json()["id"]) == (200, newest["id"])
    again = analyst.post("runs/", {"flow": "waits", "version": "draft"}, **{"Idempotency-Key": "draft"})
    assert (again.status_code, again.json()["id"]) == (200, draft["id"])


def test_two_people_may_use_the_same_key(
    analyst: Program, waits: FlowVersion, as_person: Callable[[str], Program], with_token: Callable[..., Program]
):
    callers = (analyst, as_person("admin"), with_token("analyst"), with_token("analyst"))
    answers = [caller.post("runs/", {"flow": "waits"}, **{"Idempotency-Key": "same"}) for caller in callers]
    assert [answer.status_code for answer in answers] == [201] * 4
    assert len({answer.json()["id"] for answer in answers}) == 4


def test_the_draft_runs_as_a_trial(analyst: Program, waits: FlowVersion):
    run = analyst.post("runs/", {"flow": "waits", "version": "draft"}).json()
    assert run["version"]["number"] is None and run["flow"] == "waits"
    assert Run.objects.get().version.kind == "trial"


def test_inputs_that_do_not_fit_are_refused_with_all_that_is_wrong(analyst: Program, people: dict[str, User]):
    publish(INPUTS, people["analyst"])
    error = refusal(analyst.post("runs/", {"flow": "inputs", "inputs": {"amount": "x", "unknown": 1}}), 400)
    assert error["code"] == "validation_failed" and len(error["details"]["problems"]) == 3
    assert refusal(analyst.post("runs/", {"flow": "inputs", "inputs": {"title": "t"}, "preset": "no"}), 400)
    assert refusal(analyst.post("runs/", {"flow": "inputs", "version": 9, "inputs": {"title": "t"}}), 404)
    assert refusal(analyst.post("runs/", {"flow": "nothing"}), 404)["code"] == "not_found"
    assert not Run.objects.exists()
    given = {"title": "t", "amount": 12345678901234567890123, "secret": "s3cret"}
    run = analyst.post("runs/", {"flow": "inputs", "inputs": given, "preset": "quick"}).json()
    assert run["preset"] == "quick" and run["policy"] == {"max_steps": 5}
    values = analyst.read(f"runs/{run['id']}/?values=true")["values"]
    assert values["inputs"] == {"title": "t", "amount": 12345678901234567890123}
    assert (values["covered"], values["result"]) == (["secret"], None)


@pytest.mark.parametrize("version", [0, -1, "1", "newest", 1.5, True, None, [], 10**12])
def test_a_version_is_a_number_or_draft(analyst: Program, waits: FlowVersion, version: Any):
    error = refusal(analyst.post("runs/", {"flow": "waits", "version": version}), 400)
    assert error["details"]["problems"][0]["path"] == "/version"


def test_a_flow_without_a_version_cannot_be_started(analyst: Program):
    analyst.post("flows/", {"id": "fresh"})
    assert "publish" in refusal(analyst.post("runs/", {"flow": "fresh"}), 404)["message"]
    error = refusal(analyst.post("runs/", {"flow": "fresh", "version": "draft"}), 400)
    assert error["code"] == "flow_invalid" and error["details"]["problems"]


def test_reviewers_start_nothing(people: dict[str, User], waits: FlowVersion, as_person: Callable[[str], Program]):
    assert refusal(as_person("reviewer").post("runs/", {"flow": "waits"}), 403)["code"] == "permission_denied"
    assert refusal(as_person("outsider").post("runs/", {"flow": "waits"}), 404)["code"] == "not_found"
    assert not Run.objects.exists()


# --- listing and reading --------------------------------------------------------------------------------


def test_runs_are_listed_newest_first_in_pages_and_by_filters(
    analyst: Program, people: dict[str, User], waits: FlowVersion
):
    fails = publish(FAILS, people["analyst"])
    failed = begin(fails, people["analyst"]).pk
    started = [begin(waits, people["analyst"], work=False).pk for _ in range(5)]
    by_admin = begin(waits, people["admin"], work=False).pk
    # Runs of one moment must not get lost between two pages.
    Run.objects.filter(pk__in=started[1:4]).update(started_at=1_700_000_000_000)
    found, after = [], ""
    while True:
        page = analyst.read(f"runs/?limit=2{after}")
        found += [one["id"] for one in page["items"]]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert sorted(found) == sorted([failed, *started, by_admin]) and len(found) == 7
    assert found[0] == by_admin
    assert set(found[-3:]) == set(started[1:4])

    def ids(query: str) -> set[str]:
        return {one["id"] for one in analyst.read(f"runs/?{query}")["items"]}

    assert ids("status=failed") == {failed} == ids("flow=fails")
    assert ids("started_by=admin") == {by_admin} and ids("started_by=nobody") == set()
    assert ids("flow=waits&status=active&started_by=analyst") == set(started)
    assert ids("flow=none") == set()


def test_a_failed_run_says_why_and_its_step_can_be_tried_again(analyst: Program, people: dict[str, User]):
    run = begin(publish(FAILS, people["analyst"]), people["analyst"])
    shown = analyst.read(f"runs/{run.pk}/")
    assert (shown["status"], shown["error"]["code"], shown["error"]["details"]) == (
        "failed",
        "flow_error",
        {"why": "fate"},
    )
    (step,) = analyst.read(f"runs/{run.pk}/steps/?status=failed")["items"]
    read = analyst.read(f"runs/{run.pk}/steps/{step['id']}/")
    assert read["may_retry"] is True and read["error"]["message"] == "no <b>luck</b>"
    other = StepRun.objects.get(run=run, path="first").pk
    assert refusal(analyst.post(f"runs/{run.pk}/steps/{other}/retry/", {}), 409)["code"] == "step_not_failed"
    assert analyst.post(f"runs/{run.pk}/steps/{step['id']}/retry/", {}).json()["status"] == "active"
    assert refusal(analyst.post(f"runs/{run.pk}/steps/{step['id']}/retry/", {}), 409)["code"] == "step_not_failed"
    work_on(run.pk)
    assert [one["attempt"] for one in analyst.read(f"runs/{run.pk}/steps/")["items"]] == [1, 2, 1]


def test_a_sub_run_names_its_parent(analyst: Program, people: dict[str, User]):
    publish(CHILD, people["analyst"])
    parent = begin(publish(PARENT, people["analyst"]), people["analyst"])
    (child,) = analyst.read(f"runs/?parent_run={parent.pk}")["items"]
    read = analyst.read(f"runs/{child['id']}/")
    step = StepRun.objects.get(run=parent, path="call").pk
    assert (read["flow"], read["parent_run"], read["parent_step"]) == ("child", parent.pk, step)
    assert analyst.read(f"runs/{parent.pk}/")["parent_run"] is None


# --- control --------------------------------------------------------------------------------------------


def test_a_run_is_paused_resumed_told_and_canceled(analyst: Program, people: dict[str, User], waits: FlowVersion):
    run = begin(waits, people["analyst"]).pk
    assert analyst.post(f"runs/{run}/pause/", {}).json()["status"] == "paused"
    assert analyst.post(f"runs/{run}/resume/").json()["status"] == "active"
    assert refusal(analyst.post(f"runs/{run}/resume/", {}), 409)["code"] == "not_paused"
    value = {"deep": [None, 1.5, "x"]}
    assert analyst.post(f"runs/{run}/signals/", {"key": "go", "value": value}).json()["status"] == "succeeded"
    assert analyst.read(f"runs/{run}/?values=true")["values"]["result"] == value
    for action, body in (("pause", {}), ("cancel", {"reason": "late"}), ("signals", {"key": "go"})):
        assert refusal(analyst.post(f"runs/{run}/{action}/", body), 409)["code"] == "run_finished"
    other = begin(waits, people["analyst"]).pk
    assert analyst.post(f"runs/{other}/cancel/", {"reason": "not needed"}).json()["status"] == "canceled"
    event = Event.objects.filter(run=other, type="flow-canceled").get()
    assert "not needed" in event.text and event.actor == actor_of(people["analyst"])


def test_a_signal_has_a_key(analyst: Program, people: dict[str, User], waits: FlowVersion):
    run = begin(waits, people["analyst"]).pk
    for wrong in ({}, {"key": ""}, {"key": "x" * 256}, {"key": 5}, {"key": "a", "other": 1}):
        refusal(analyst.post(f"runs/{run}/signals/", wrong), 400)
    assert analyst.post(f"runs/{run}/signals/", {"key": "kept"}).status_code == 200


def test_events_name_the_token_that_acted(with_token: Callable[..., Program], waits: FlowVersion):
    program = with_token("analyst", "run", "read")
    run = program.post("runs/", {"flow": "waits"}).json()
    assert run["actor"]["kind"] == "token" and run["actor"]["name"] == "a test of analyst"
    assert run["started_by"] == "analyst"
    program.post(f"runs/{run['id']}/pause/")
    events = program.read(f"runs/{run['id']}/events/")["items"]
    assert [event["actor"]["kind"] for event in events if event["type"] == "run-paused"] == ["token"]


# --- what happened --------------------------------------------------------------------------------------


def test_events_come_in_order_after_a_number_exactly_as_they_were_hashed(analyst: Program, people: dict[str, User]):
    run = begin(publish(ASKS, people["analyst"]), people["analyst"])
    whole = analyst.read(f"runs/{run.pk}/events/")
    assert [event["seq"] for event in whole["items"]] == list(range(1, run.seq + 1)) and whole["next"] is None
    some = analyst.read(f"runs/{run.pk}/events/?after=2&limit=3")
    assert [event["seq"] for event in some["items"]] == [3, 4, 5] and some["next"] == 5
    text = Event.objects.get(run=run, seq=1).text
    assert text in analyst.get(f"runs/{run.pk}/events/").content.decode()
    public = analyst.read(f"runs/{run.pk}/events/?level=public")["items"]
    assert {event["level"] for event in public} == {"public"} and 0 < len(public) < run.seq
    assert analyst.read(f"runs/{run.pk}/events/?after=999999999999999999") == {"items": [], "next": None}


def test_step_runs_are_paged_by_key_and_their_values_come_on_demand(analyst: Program, people: dict[str, User]):
    word = "w" * 50_000
    run = begin(publish(LARGE, people["analyst"]), people["analyst"], inputs={"word": word, "items": [1]})
    page = analyst.read(f"runs/{run.pk}/steps/?limit=1")
    assert [one["path"] for one in page["items"]] == ["keep"]
    rest = analyst.read(f"runs/{run.pk}/steps/?limit=1&after={page['next']}")
    assert [one["path"] for one in rest["items"]] == ["write"] and rest["next"] is None
    step = page["items"][0]
    assert step["output_size"] > 50_000 and "output" not in step
    assert "values" not in analyst.read(f"runs/{run.pk}/steps/{step['id']}/")
    values = analyst.read(f"runs/{run.pk}/steps/{step['id']}/?values=true")["values"]
    assert values["output"] == {"items": [1], "word": word} and set(values) == {"input", "output", "delta"}
    assert analyst.read(f"runs/{run.pk}/?values=true")["values"]["inputs"] == {"word": word, "items": [1]}


def test_step_runs_that_touch_what_is_sensitive_keep_it_covered(analyst: Program, people: dict[str, User]):
    run = begin(publish(SECRET, people["analyst"]), people["analyst"], inputs={"token": "s3cret"})
    steps = {one["node"]: one["id"] for one in analyst.read(f"runs/{run.pk}/steps/")["items"]}
    used = analyst.get(f"runs/{run.pk}/steps/{steps['use']}/?values=true")
    assert used.json()["sensitive"] is True and "values" not in used.json()
    plain = analyst.get(f"runs/{run.pk}/steps/{steps['plain']}/?values=true")
    assert plain.json()["sensitive"] is False and plain.json()["values"]["output"] == {"n": 1}
    read = analyst.get(f"runs/{run.pk}/?values=true")
    assert read.json()["values"]["covered"] == ["token"]
    for answer in (used, read, analyst.get(f"runs/{run.pk}/events/")):
        assert "s3cret" not in answer.content.decode()


def test_artifacts_are_listed_and_downloaded_as_files(analyst: Program, people: dict[str, User]):
    run = begin(publish(LARGE, people["analyst"]), people["analyst"])
    (artifact,) = analyst.read(f"runs/{run.pk}/artifacts/")["items"]
    assert (artifact["artifact"], artifact["type"], artifact["filename"]) == ("page", "html", "page.html")
    answer = analyst.get(f"runs/{run.pk}/artifacts/{artifact['id']}/content/")
    assert answer.content.decode().startswith("<script>")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="page.html"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    other = begin(FlowVersion.objects.get(), people["analyst"]).pk
    refusal(analyst.get(f"runs/{other}/artifacts/{artifact['id']}/content/"), 404)


@pytest.mark.parametrize(
    "after", ["x", "=", "%00", "W10", "WzFd", "WyJhIiwiYiJd", "9" * 5000, "%F0%9F", "W251bGwsbnVsbF0"]
)
def test_a_cursor_of_another_list_is_refused(analyst: Program, waits: FlowVersion, after: str):
    error = refusal(analyst.get(f"runs/?after={after}"), 400)
    assert error["details"]["problems"][0]["path"] == "/after"


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=201", "limit=x", "limit=1_0", "limit=+1", "limit=", "limit=1&limit=2", "status=no", "sort=id",
     "flow=A", "flow=%00", "flow=a%0A", "values=yes"],
)  # fmt: skip
def test_parameters_that_are_not_as_documented_are_refused(analyst: Program, query: str):
    assert refusal(analyst.get(f"runs/?{query}"), 400)["code"] == "validation_failed"
