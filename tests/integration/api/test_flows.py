"""Flows, drafts, versions and their differences over the API."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from editor.models import AuditEntry, Draft, Flow, FlowVersion
from tests.integration.api.conftest import Program, refusal

DOCUMENT: dict[str, Any] = {
    "format": 1,
    "id": "greet",
    "name": "Greet",
    "nodes": [{"id": "done", "type": "return", "config": {"value": "hello"}}],
    "edges": [],
}


def changed(**changes: Any) -> dict[str, Any]:
    return {**DOCUMENT, **changes}


@pytest.fixture
def flow(analyst: Program) -> str:
    made = analyst.post("flows/", {"id": "greet", "document": DOCUMENT})
    assert made.status_code == 201, made.content
    return str(made.json()["id"])


# --- flows ----------------------------------------------------------------------------------------------


def test_a_flow_is_made_empty_or_with_a_document(analyst: Program):
    made = analyst.post("flows/", {"id": "empty", "name": "Empty", "description": "Nothing"})
    assert made.status_code == 201 and made.headers["Location"] == "/api/flows/empty/"
    assert made.json() | {"created_at": ""} == {
        "id": "empty",
        "name": "Empty",
        "description": "Nothing",
        "owner": "analyst",
        "restricted": False,
        "rights": ["view", "run", "edit", "publish", "share"],
        "newest_version": 0,
        "created_at": "",
        "archived_at": None,
    }
    made = analyst.post("flows/", {"id": "greet", "name": "Other", "document": DOCUMENT})
    assert made.json()["name"] == "Other"
    assert analyst.read("flows/greet/draft/")["document"] == changed(name="Other")


def test_an_id_that_is_taken_or_none_is_refused(analyst: Program, flow: str):
    assert refusal(analyst.post("flows/", {"id": "greet"}), 400)["details"] == {"flow": "greet"}
    for wrong in ("Greet", "", "a b", "a\n", 5, None, "x" * 64):
        error = refusal(analyst.post("flows/", {"id": wrong}), 400)
        assert error["code"] == "validation_failed"
        assert error["details"]["problems"][0]["path"] == "/id"
    error = refusal(analyst.post("flows/", {"id": "other", "document": DOCUMENT}), 400)
    assert "same id" in error["message"]
    assert list(Flow.objects.values_list("pk", flat=True)) == ["greet"]


def test_flows_are_listed_by_name_in_pages(analyst: Program):
    for number in range(7):
        analyst.post("flows/", {"id": f"flow-{number}", "name": "Same" if number % 2 else f"N{number}"})
    found, after = [], ""
    while True:
        page = analyst.read(f"flows/?limit=2{after}")
        found += [one["id"] for one in page["items"]]
        assert len(page["items"]) <= 2
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert found == ["flow-0", "flow-2", "flow-4", "flow-6", "flow-1", "flow-3", "flow-5"]


def test_renaming_says_it_in_the_draft_and_not_in_versions(analyst: Program, flow: str):
    analyst.post("flows/greet/versions/", {})
    renamed = analyst.send("PATCH", "flows/greet/", {"name": "Welcome", "description": "Says it"})
    assert renamed.status_code == 200 and renamed.json()["name"] == "Welcome"
    draft = analyst.read("flows/greet/draft/")
    assert (draft["revision"], draft["document"]["name"], draft["document"]["description"]) == (2, "Welcome", "Says it")
    assert analyst.read("flows/greet/versions/1/")["document"]["name"] == "Greet"
    cleared = analyst.send("PATCH", "flows/greet/", {"description": ""}).json()
    assert (cleared["name"], cleared["description"]) == ("Welcome", "")
    assert analyst.send("PATCH", "flows/greet/", {}).json() == cleared
    assert analyst.read("flows/greet/draft/")["revision"] == 3
    entry = AuditEntry.objects.filter(action="flow-rename").first()
    assert entry is not None and entry.before["name"] == "Greet" and entry.after["name"] == "Welcome"


def test_the_audit_names_the_token_that_changed_a_flow(with_token: Callable[..., Program]):
    program = with_token("analyst", "edit")
    program.post("flows/", {"id": "greet", "document": DOCUMENT})
    program.post("flows/greet/versions/", {"note": "by a program"})
    made, published = AuditEntry.objects.filter(object_type="flow").order_by("pk")
    assert (made.action, published.action) == ("flow-create", "flow-publish")
    assert {(one.actor_kind, one.actor_name) for one in (made, published)} == {("token", "a test of analyst")}
    assert Flow.objects.get().owner == FlowVersion.objects.get().created_by


def test_a_copy_is_a_flow_of_its_own(analyst: Program, flow: str):
    analyst.post("flows/greet/versions/", {})
    analyst.send("PUT", "flows/greet/draft/", {"revision": 1, "document": changed(description="newer")})
    copy = analyst.post("flows/greet/duplicate/", {"id": "copy"})
    assert copy.status_code == 201
    assert (copy.json()["name"], copy.json()["description"]) == ("Copy of Greet", "newer")
    assert copy.json()["newest_version"] == 0
    old = analyst.post("flows/greet/duplicate/", {"id": "old", "name": "Old", "version": 1}).json()
    assert (old["name"], old["description"]) == ("Old", "")
    assert analyst.read("flows/old/draft/")["document"]["id"] == "old"
    assert refusal(analyst.post("flows/greet/duplicate/", {"id": "copy"}), 400)["code"] == "validation_failed"
    assert refusal(analyst.post("flows/greet/duplicate/", {"id": "c", "version": 9}), 404)["code"] == "not_found"
    assert sorted(Flow.objects.values_list("pk", flat=True)) == ["copy", "greet", "old"]


def test_admins_put_flows_away_and_bring_them_back(analyst: Program, flow: str, as_person: Callable[[str], Program]):
    refusal(analyst.post("flows/greet/archive/", {}), 403)
    admin = as_person("admin")
    assert admin.post("flows/greet/archive/", {"reason": "old"}).json()["archived_at"]
    assert admin.post("flows/greet/archive/").status_code == 200
    assert analyst.read("flows/")["items"] == []
    assert [one["id"] for one in analyst.read("flows/?archived=true")["items"]] == ["greet"]
    assert admin.post("flows/greet/restore/", {}).json()["archived_at"] is None
    assert list(AuditEntry.objects.filter(action__startswith="flow-a").values_list("reason", flat=True)) == ["old"]


# --- drafts ---------------------------------------------------------------------------------------------


def test_saving_over_a_newer_draft_is_409_with_both(analyst: Program, flow: str, as_person: Callable[[str], Program]):
    theirs = changed(nodes=[{"id": "theirs", "type": "one_of"}])
    assert as_person("admin").send("PUT", "flows/greet/draft/", {"revision": 1, "document": theirs}).status_code == 200
    yours = changed(nodes=[{"id": "yours", "type": "one_of"}])
    error = refusal(analyst.send("PUT", "flows/greet/draft/", {"revision": 1, "document": yours}), 409)
    assert error["code"] == "revision_conflict"
    details = error["details"]
    assert (details["revision"], details["document"], details["yours"]) == (2, theirs, yours)
    assert details["updated_by"] == "admin"
    saved = analyst.send("PUT", "flows/greet/draft/", {"revision": 2, "document": yours}).json()
    assert (saved["revision"], saved["document"], saved["updated_by"]) == (3, yours, "analyst")


def test_a_draft_keeps_the_order_of_keys_and_exact_numbers(analyst: Program, flow: str):
    text = (
        '{"edges":[],"x-n":123456789012345678901234567890,"nodes":[],"id":"greet","format":1,"x-e":1e2,"x-u":"\\u00e9"}'
    )
    body = f'{{"revision": 1, "document": {text}}}'
    assert analyst.send("PUT", "flows/greet/draft/", body).status_code == 200
    stored = Draft.objects.get().document
    assert stored == text.replace("1e2", "100").replace("\\u00e9", "é")
    answer = analyst.get("flows/greet/draft/").content.decode()
    assert "123456789012345678901234567890" in answer and next(iter(json.loads(answer)["document"])) == "edges"


def test_a_draft_with_problems_can_be_saved_and_checked(analyst: Program, flow: str):
    broken = changed(nodes=[{"id": "a", "type": "nonsense"}], surprise=1)
    assert analyst.send("PUT", "flows/greet/draft/", {"revision": 1, "document": broken}).status_code == 200
    found = analyst.post("flows/greet/checks/").json()
    assert found["valid"] is False
    assert {"unknown_type"} <= {one["code"] for one in found["problems"]}
    assert all(set(one) <= {"code", "severity", "path", "message", "node", "edge", "hint"} for one in found["problems"])
    assert analyst.post("flows/greet/checks/", {"document": DOCUMENT}).json() == {"valid": True, "problems": []}
    wrong = analyst.post("flows/greet/checks/", {"document": changed(id="other")}).json()
    assert [one["path"] for one in wrong["problems"]] == ["/id"]
    assert analyst.post("checks/", {"document": changed(id="other")}).json()["valid"] is True
    assert Draft.objects.get().revision == 2


# --- versions -------------------------------------------------------------------------------------------


def test_publishing_gives_numbered_versions_that_stay(analyst: Program, flow: str):
    made = analyst.post("flows/greet/versions/", {"note": "first", "revision": 1})
    assert made.status_code == 201 and made.headers["Location"] == "/api/flows/greet/versions/1/"
    version = made.json()
    assert (version["number"], version["note"], version["created_by"]) == (1, "first", "analyst")
    analyst.send("PUT", "flows/greet/draft/", {"revision": 1, "document": changed(name="Second")})
    analyst.post("flows/greet/versions/", {})
    assert [one["number"] for one in analyst.read("flows/greet/versions/")["items"]] == [2, 1]
    assert "document" not in analyst.read("flows/greet/versions/")["items"][0]
    assert analyst.read("flows/greet/versions/1/") == version
    assert analyst.read("flows/greet/")["newest_version"] == 2
    page = analyst.read("flows/greet/versions/?limit=1")
    assert [one["number"] for one in analyst.read(f"flows/greet/versions/?after={page['next']}")["items"]] == [1]


def test_publishing_what_has_errors_or_is_newer_is_refused(analyst: Program, flow: str):
    broken = changed(nodes=[{"id": "a", "type": "nonsense"}])
    analyst.send("PUT", "flows/greet/draft/", {"revision": 1, "document": broken})
    error = refusal(analyst.post("flows/greet/versions/", {}), 400)
    assert error["code"] == "flow_invalid"
    assert "unknown_type" in {one["code"] for one in error["details"]["problems"]}
    error = refusal(analyst.post("flows/greet/versions/", {"revision": 1}), 409)
    assert error["code"] == "revision_conflict" and error["details"]["document"] == error["details"]["yours"] == broken
    assert not FlowVersion.objects.exists()


@pytest.mark.parametrize("number", ["2", "0", "99999999999999999999", "9" * 5000])
def test_a_version_that_is_not_there(analyst: Program, flow: str, number: str):
    assert refusal(analyst.get(f"flows/greet/versions/{number}/"), 404)["code"] == "not_found"


def test_the_difference_of_two_versions_and_of_the_draft(analyst: Program, flow: str):
    analyst.post("flows/greet/versions/", {})
    nodes = [{"id": "done", "type": "return", "config": {"value": "bye"}, "layout": {"x": 1, "y": 2}}]
    analyst.send("PUT", "flows/greet/draft/", {"revision": 1, "document": changed(nodes=nodes)})
    found = analyst.read("flows/greet/difference/?before=1")
    assert found["same"] is False
    (part,) = found["nodes"]["changed"]
    assert part["changes"] == [{"path": "/config/value", "kind": "changed", "before": "hello", "after": "bye"}]
    assert found["layout"][0]["id"] == "done"
    analyst.post("flows/greet/versions/", {})
    assert analyst.read("flows/greet/difference/?before=1&after=2")["nodes"] == found["nodes"]
    assert analyst.read("flows/greet/difference/?before=2&after=draft")["same"] is True
    refusal(analyst.get("flows/greet/difference/?before=1&after=9"), 404)
    for wrong in ("", "?before=x", "?before=-1", "?before=1&after=draft%0A", "?before=0"):
        refusal(analyst.get(f"flows/greet/difference/{wrong}"), 400)
