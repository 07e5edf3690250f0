"""Flow tests kept with a flow: recorded from real runs, run against drafts, crashed, and runs replayed safely."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from editor.models import AuditEntry, Draft, Flow, KeptTest
from editor.services import save_draft
from runner.catalog import CATALOG
from runner.models import Run
from runner.services.flow_test_files import whole_test
from runner.services.flow_tests import make_test
from tests.integration.api.conftest import Program, new_client
from tests.support.flows import begin, decide, make_people, publish

SORTS: dict[str, Any] = {
    "format": 1,
    "id": "sorts",
    "name": "Sorts messages",
    "inputs": [
        {"name": "message", "type": "long_text", "required": True},
        {"name": "account", "type": "short_text", "sensitive": True},
    ],
    "nodes": [
        {"id": "sort", "type": "tool_call", "output_variable": "sorted",
         "config": {"tool": "sort_by_keywords", "arguments": {"message": "{{message}}"}}},
        {"id": "which", "type": "one_of"},
        {"id": "ask", "type": "approval", "config": {"title": "Pay back?"}},
        {"id": "bill", "type": "return", "config": {"value": "billing"}},
        {"id": "rest", "type": "return", "config": {"value": "{{sorted.category}}"}},
    ],
    "edges": [
        {"id": "e1", "source": "sort", "target": "which"},
        {"id": "e2", "source": "which", "target": "ask", "when": "sorted.category == 'billing'"},
        {"id": "e3", "source": "which", "target": "rest"},
        {"id": "e4", "source": "ask", "target": "bill"},
    ],
}  # fmt: skip

BILLING = "My invoice was charged twice, I want a refund of the payment"


@pytest.fixture(autouse=True)
def _no_rate_limits(settings: Any) -> None:
    settings.RATE_LIMITS = {}


@pytest.fixture
def people(db: None) -> dict[str, User]:
    return make_people()


@pytest.fixture
def analyst(people: dict[str, User]) -> Program:
    client = new_client()
    client.force_login(people["analyst"])
    return Program(client)


@pytest.fixture
def billed(people: dict[str, User]) -> Run:
    """A run whose message is about a bill, which a person approved."""
    run = begin(publish(SORTS, people["analyst"]), people["analyst"], inputs={"message": BILLING})
    return decide(run, people["reviewer"], "approved", comment="It is right.")


def changed(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    document = deepcopy(SORTS)
    change(document)
    return document


def save(document: dict[str, Any], by: User) -> None:
    flow = Flow.objects.get(pk="sorts")
    save_draft(flow, document, revision=Draft.objects.get(flow=flow).revision, by=by)


def record(analyst: Program, run: Run) -> dict[str, Any]:
    recorded = analyst.post(f"runs/{run.pk}/recording/")
    assert recorded.status_code == 200, recorded.content
    shown: dict[str, Any] = recorded.json()
    return shown


def test_a_recorded_test_passes_at_once_and_says_where_a_changed_draft_differs(
    analyst: Program, billed: Run, people: dict[str, User], tmp_path: Path
):
    recorded = record(analyst, billed)
    content = recorded["content"]
    assert recorded["notes"] == []
    assert content["expect"] == {
        "status": "succeeded",
        "events": ["step-complete sort", "step-complete which", "step-complete ask", "step-complete bill"],
    }
    assert content["decisions"][0] | {"after_ms": 0} == {
        "step": "ask", "approve": True, "after_ms": 0, "comment": "It is right."
    }  # fmt: skip
    assert {"flow", "tools"}.isdisjoint(content)
    assert {one["key"][0]: one["value"] for one in recorded["offers"] if one["key"] == ["result"]} == {
        "result": "billing"
    }
    made = analyst.post("flows/sorts/tests/", {"content": content, "made_of": billed.pk})
    assert made.status_code == 201, made.content
    test = made.json()["id"]
    assert AuditEntry.objects.get(action="flow-test-make").after == {"test": content["name"], "run": billed.pk}
    assert analyst.post("flows/sorts/tests/run/", {}).json() == {
        "items": [{"test": test, "name": content["name"], "passed": True, "status": "succeeded", "fault": "",
                   "differences": [], "offers": [], "events": []}],
        "left": [],
    }  # fmt: skip

    (with_events,) = analyst.post("flows/sorts/tests/run/", {"tests": [test], "events": True}).json()["items"]
    taken = [one["data"]["edge"] for one in with_events["events"] if one["type"] == "edge-taken"]
    assert taken == ["e1", "e2", "e4"]
    assert BILLING not in json.dumps(with_events)

    # The same file passes on the command line.
    file = tmp_path / "test.json"
    file.write_text(json.dumps(analyst.read(f"flows/sorts/tests/{test}/file/?version=1")))
    call_command("test_flow", str(file), "--crash")

    # It comes back without its flow, and without what the site says of itself.
    whole = json.loads(file.read_text())
    assert {"flow", "tools"} <= whole.keys()
    back = analyst.post("flows/sorts/tests/", {"content": {**whole, "name": "back"}})
    assert back.status_code == 201, back.content
    assert back.json()["content"] == {**content, "name": "back"}
    own = {**whole, "name": "own", "tools": {"sort_by_keywords": {"effect": "pure"}}}
    declared = analyst.post("flows/sorts/tests/", {"content": own}).json()
    assert declared["content"]["tools"] == own["tools"]
    for one in (back.json(), declared):
        assert analyst.send("DELETE", f"flows/sorts/tests/{one['id']}/").status_code == 204

    save(changed(lambda document: document["edges"][1].update(when="sorted.category == 'sales'")), people["analyst"])
    (result,) = analyst.post("flows/sorts/tests/run/", {}).json()["items"]
    assert not result["passed"]
    (difference,) = result["differences"]
    assert (difference["place"], difference["node"]) == ("events", "ask")
    assert difference["expected"] == "step-complete ask"


def test_each_boundary_of_a_test_is_tried_in_portions(analyst: Program, billed: Run, monkeypatch: pytest.MonkeyPatch):
    content = record(analyst, billed)["content"]
    monkeypatch.setattr("runner.services.flow_test_runs.PORTION_S", 0)
    found, start = {"survived": 0, "spared": 0}, 0
    while start is not None:
        portion = analyst.post(
            "flows/sorts/tests/crash/", {"content": content, "start": start, "document": SORTS}
        ).json()
        assert (portion["fault"], portion["broken"]) == ("", [])
        found = {key: found[key] + portion[key] for key in found}
        start = portion["next"]
    assert found["survived"] + found["spared"] == portion["boundaries"] > 10


def test_a_test_that_fails_is_not_crashed(analyst: Program, billed: Run):
    content = record(analyst, billed)["content"] | {"expect": {"status": "failed"}}
    answer = analyst.post("flows/sorts/tests/crash/", {"content": content, "document": SORTS}).json()
    assert answer["fault"].startswith("It does not pass.")


def test_sensitive_values_are_replaced_in_what_is_recorded(analyst: Program, people: dict[str, User]):
    document = changed(
        lambda one: one["nodes"][0]["config"]["arguments"].update(message="{{account}}"),
    )
    secret = "DE02 1203 0000 0000 2020 51"
    inputs = {"message": "anything", "account": secret}
    run = begin(publish(document, people["analyst"]), people["analyst"], inputs=inputs)
    recorded = record(analyst, run)
    assert secret not in json.dumps(recorded)
    assert recorded["content"]["inputs"]["account"] == "covered"
    assert recorded["notes"][:2] == [
        "Sensitive inputs were replaced: account.",
        "Replies that touch sensitive values were replaced: sort.",
    ]


def test_runs_are_replayed_against_a_draft_and_nothing_is_called(
    analyst: Program, billed: Run, people: dict[str, User]
):
    other = begin(billed.version, people["analyst"], inputs={"message": "hello there"})
    assert {one["id"] for one in analyst.read("flows/sorts/replays/")["items"]} == {billed.pk, other.pk}
    before = Run.objects.count()

    def replay(document: dict[str, Any]) -> dict[str, Any]:
        asked = {"runs": [billed.pk, other.pk], "document": document}
        answer = analyst.post("flows/sorts/replays/", asked).json()
        assert answer["left"] == []
        return {one["run"]: one for one in answer["items"]}

    same = replay(SORTS)
    assert {one["verdict"] for one in same.values()} == {"same"}
    rerouted = replay(changed(lambda one: one["edges"][1].update(when="false")))
    assert rerouted[other.pk]["verdict"] == "same"
    assert rerouted[billed.pk]["verdict"] == "route"
    parting = rerouted[billed.pk]["parting"]
    assert (parting["path"], parting["after"]) == ("which", "succeeded and went on to rest")
    assert {(one["path"], *one["differs"]) for one in rerouted[billed.pk]["steps"]} == {
        ("which", "route"), ("ask", "missing"), ("bill", "missing"), ("rest", "missing")
    }  # fmt: skip
    asking = replay(changed(lambda one: one["nodes"][0]["config"]["arguments"].update(message="Dear {{message}}")))
    assert asking[billed.pk]["verdict"] == "unknown"
    assert asking[billed.pk]["unmatched"] == [{"path": "sort", "visit": 1, "queue": "sort_by_keywords"}]
    ends = replay(changed(lambda one: one["nodes"][4]["config"].update(value="else")))
    assert (ends[other.pk]["verdict"], ends[other.pk]["ends_otherwise"]) == ("ending", ["gives another result"])
    assert Run.objects.count() == before


def test_a_test_is_saved_over_the_revision_it_began_from(analyst: Program, billed: Run):
    made = analyst.post("flows/sorts/tests/", {"content": {"name": "one", "flow": {"id": "x"}}}).json()
    assert made["content"] == {"expect": {}, "name": "one"}
    path = f"flows/sorts/tests/{made['id']}/"
    saved = analyst.send(
        "PUT", path, {"revision": 1, "content": {"name": "two", "expect": {"status": "failed"}}}
    ).json()
    assert (saved["name"], saved["revision"]) == ("two", 2)
    conflict = analyst.send("PUT", path, {"revision": 1, "content": {"name": "three"}})
    assert conflict.status_code == 409
    assert conflict.json()["details"]["content"]["name"] == "two"
    assert analyst.post("flows/sorts/tests/", {"content": {"name": "two"}}).json()["code"] == "validation_failed"
    faults = analyst.post("flows/sorts/tests/", {"content": {"name": "four", "expext": {}}}).json()
    assert faults["details"]["problems"] == ["expext: there is no such key"]
    assert [one["name"] for one in analyst.read("flows/sorts/tests/")["items"]] == ["two"]
    assert analyst.send("DELETE", path).status_code == 204
    assert not KeptTest.objects.exists()
    assert AuditEntry.objects.filter(action="flow-test-delete").count() == 1


def test_a_file_brings_along_what_its_flow_refers_to(people: dict[str, User], billed: Run):
    kept = make_test(Flow.objects.get(pk="sorts"), {"name": "one"}, by=people["analyst"])
    whole = whole_test(json.loads(kept.content), SORTS, CATALOG, people["analyst"])
    assert whole["flow"] == SORTS
    assert whole["tools"]["sort_by_keywords"]["effect"] == "pure"
    assert whole["tools"]["sort_by_keywords"]["schema"]["required"] == ["message"]


def test_failing_tests_stop_publishing_where_the_draft_says_so(analyst: Program, billed: Run, people: dict[str, User]):
    analyst.post("flows/sorts/tests/", {"content": record(analyst, billed)["content"]})
    save(changed(lambda one: one["edges"][1].update(when="false")), people["analyst"])
    assert analyst.post("flows/sorts/versions/", {"note": "they only warn"}).status_code == 201
    stopping = changed(lambda one: one["edges"][1].update(when="false")) | {"x-failing-tests": "block"}
    save(stopping, people["analyst"])
    refused = analyst.post("flows/sorts/versions/", {"note": "they stop it"})
    assert (refused.status_code, refused.json()["code"]) == (400, "flow_invalid")
    assert refused.json()["details"]["tests"] == [f"Run {billed.pk[:8]}, succeeded"]
    save(SORTS | {"x-failing-tests": "block"}, people["analyst"])
    assert analyst.post("flows/sorts/versions/", {"note": "mended"}).status_code == 201
