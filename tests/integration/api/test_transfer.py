"""Documents in and out over the API: foreign forms, imports, open runs by version, the document of a run."""

from __future__ import annotations

from typing import Any

from editor.models import AuditEntry, Flow
from tests.integration.api.conftest import Program, refusal

OWN: dict[str, Any] = {
    "format": 1,
    "id": "greet",
    "nodes": [{"id": "done", "type": "return", "config": {"value": "hello"}}],
    "edges": [],
}
STEPS: dict[str, Any] = {
    "id": "old",
    "startStep": "first",
    "steps": {"first": {"handler": "mark", "colour": "red"}},
}


def test_a_foreign_document_becomes_one_of_ours_and_nothing_is_saved(analyst: Program):
    found = analyst.post("conversions/", {"document": STEPS, "id": "mine"}).json()
    assert found["format"] == "steps" and found["title"]
    assert found["document"]["format"] == 1 and found["document"]["nodes"][0]["id"] == "first"
    assert {"place", "what", "instead"} == set().union(
        *[set(loss) for loss in found["losses"]] or [{"place", "what", "instead"}]
    )
    assert not Flow.objects.exists()


def test_our_own_form_is_given_as_it_is(analyst: Program):
    found = analyst.post("conversions/", {"document": OWN}).json()
    assert found["document"] == OWN and found["losses"] == []


def test_what_is_in_no_known_form_is_refused_with_the_forms_that_are(analyst: Program):
    error = refusal(analyst.post("conversions/", {"document": {"hello": 1}}), 400)
    assert error["code"] == "validation_failed" and "form" in error["message"]


def test_an_import_makes_a_flow_and_leaves_a_trace(analyst: Program):
    made = analyst.post(
        "imports/", {"document": {key: value for key, value in STEPS.items() if key != "id"}, "id": "mine"}
    )
    assert made.status_code == 201 and made.headers["Location"] == "/api/flows/mine/"
    assert made.json()["format"] == "steps"
    assert AuditEntry.objects.filter(action="flow-import").count() == 1
    assert refusal(analyst.post("imports/", {"document": STEPS | {"id": "mine"}}), 400)["details"] == {"flow": "mine"}


def test_open_runs_are_counted_by_version(analyst: Program):
    waits = {
        **OWN,
        "nodes": [{"id": "hold", "type": "wait", "config": {"signal": "go"}}],
    }
    analyst.post("flows/", {"id": "greet", "document": waits})
    analyst.post("flows/greet/versions/", {"note": "first"})
    run = analyst.post("runs/", {"flow": "greet"}).json()["id"]
    analyst.post("runs/", {"flow": "greet", "version": "draft"})
    counted = analyst.read("flows/greet/open-runs/")["items"]
    assert sorted(counted, key=str) == sorted([{"version": 1, "open": 1}, {"version": None, "open": 1}], key=str)
    assert analyst.read(f"runs/{run}/document/")["document"]["nodes"][0]["id"] == "hold"
    analyst.post(f"runs/{run}/cancel/", {})
    assert analyst.read("flows/greet/open-runs/")["items"] == [{"version": None, "open": 1}]
