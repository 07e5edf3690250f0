"""Nodes become a sub-flow over the API: the new flow, its version, who sees it, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from editor.models import AuditEntry, Draft, Flow
from editor.sharing import Grant, grants_of, share_flow
from editor.visibility import RUN
from tests.integration.api.conftest import Program, refusal

DOCUMENT: dict[str, Any] = {
    "format": 1,
    "id": "orders",
    "name": "Orders",
    "inputs": [{"name": "amount", "type": "number", "required": True}],
    "nodes": [
        {"id": "double", "type": "transform", "config": {"fields": {"n": {"$expr": "amount * 2"}}}},
        {"id": "judge", "type": "evaluator", "config": {"expression": "steps.double.output.n > 10"}},
        {"id": "done", "type": "return", "config": {"value": "{{steps.judge.output}} for {{steps.double.output.n}}"}},
    ],
    "edges": [
        {"id": "a", "source": "double", "target": "judge"},
        {"id": "b", "source": "judge", "target": "done"},
    ],
}
GIVEN = {"document": DOCUMENT, "nodes": ["double", "judge"], "id": "judging", "name": "Judging"}


@pytest.fixture
def flow(analyst: Program) -> Flow:
    assert analyst.post("flows/", {"id": "orders", "document": DOCUMENT}).status_code == 201
    return Flow.objects.get()


def test_nodes_become_a_flow_that_runs_at_once(analyst: Program, flow: Flow):
    answer = analyst.post("flows/orders/extractions/", GIVEN)
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert (made["flow"]["id"], made["flow"]["name"], made["version"]) == ("judging", "Judging", 1)
    assert [node["id"] for node in made["document"]["nodes"]] == [made["node"], "done"]
    node = made["document"]["nodes"][0]
    assert node["config"] == {"flow": "judging", "version": 1, "inputs": {"amount": "{{amount}}"}}
    part = analyst.read("flows/judging/versions/1/")["document"]
    assert part["inputs"] == [{"name": "amount", "type": "number", "required": True}]
    saved = {"revision": 1, "document": made["document"]}
    assert analyst.send("PUT", "flows/orders/draft/", saved).status_code == 200
    assert analyst.post("flows/orders/checks/", {}).json() == {"valid": True, "problems": []}
    entry = AuditEntry.objects.get(action="flow-extract")
    assert (entry.object_id, entry.after) == ("judging", {"from": "orders", "nodes": ["double", "judge"]})


def test_the_draft_of_the_flow_stays_until_somebody_saves_it(analyst: Program, flow: Flow):
    made = analyst.post("flows/orders/extractions/", {**GIVEN, "publish": False}).json()
    assert made["version"] is None
    assert Flow.objects.get(pk="judging").last_number == 0
    assert Draft.objects.get(flow=flow).revision == 1


def test_what_cannot_be_cut_out_is_refused_with_every_reason_and_makes_nothing(analyst: Program, flow: Flow):
    nodes = {**GIVEN, "nodes": ["double", "done"]}
    error = refusal(analyst.post("flows/orders/extractions/", nodes), 400)
    assert error["code"] == "validation_failed"
    assert [reason["message"] for reason in error["details"]["reasons"]] == [
        "Paths come in at 'done', 'double'. Choose nodes that are entered at one of them only."
    ]
    error = refusal(analyst.post("flows/orders/extractions/", {**GIVEN, "nodes": ["done"]}), 400)
    assert [reason["node"] for reason in error["details"]["reasons"]] == ["done"]
    refusal(analyst.post("flows/orders/extractions/", {**GIVEN, "id": "orders"}), 400)
    assert list(Flow.objects.values_list("pk", flat=True)) == ["orders"]


def test_the_part_of_a_restricted_flow_is_for_the_same_people(
    analyst: Program, flow: Flow, people: dict[str, User], as_person: Callable[[str], Program]
):
    share_flow(flow, restricted=True, grants=[Grant("reviewer", False, {RUN})], by=people["analyst"])
    assert as_person("admin").post("flows/orders/extractions/", GIVEN).status_code == 201
    made = Flow.objects.get(pk="judging")
    assert made.is_restricted and made.owner == people["admin"]
    assert {grant.name: sorted(grant.rights) for grant in grants_of(made)} == {
        "analyst": ["decide", "edit", "publish", "run", "view"],
        "reviewer": ["run", "view"],
    }
