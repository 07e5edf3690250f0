"""Pinned outputs, and trying steps of a draft: in the simulator and for real, on the database."""

from __future__ import annotations

import json
from copy import deepcopy
from itertools import pairwise
from typing import Any

import pytest
from django.contrib.auth.models import User

from editor.models import AuditEntry, Draft, Flow, FlowVersion, PinnedOutput
from editor.services import duplicate_flow, import_flow, publish_version, save_draft
from runner.catalog import CATALOG
from runner.models import Approval, Event, Run, StepRun
from runner.services.flow_tests import make_test
from runner.services.history import verify_history
from runner.services.naming import places_naming
from runner.tools.registry import TOOLS, tool
from tests.integration.api.conftest import Program, new_client
from tests.support.flows import begin, decide, make_people, work_on

CALLED: list[tuple[str, Any]] = []

PAYS: dict[str, Any] = {
    "format": 1,
    "id": "pays",
    "name": "Pays",
    "inputs": [
        {"name": "order", "type": "short_text", "required": True},
        {"name": "card", "type": "short_text", "sensitive": True},
    ],
    "nodes": [
        {"id": "find", "type": "tool_call", "output_variable": "found",
         "config": {"tool": "trying_find", "arguments": {"order": "{{order}}"}}},
        {"id": "ask", "type": "approval", "config": {"title": "Pay?"}},
        {"id": "pay", "name": "Pay it", "type": "tool_call", "output_variable": "paid",
         "config": {"tool": "trying_pay", "arguments": {"amount": "{{found.amount}}"}}},
        {"id": "note", "type": "tool_call", "config": {"tool": "trying_find", "arguments": {"order": "after"}}},
        {"id": "secret", "type": "tool_call", "config": {"tool": "trying_find", "arguments": {"order": "{{card}}"}}},
    ],
    "edges": [
        {"id": "e1", "source": "find", "target": "ask"},
        {"id": "e2", "source": "ask", "target": "pay"},
        {"id": "e3", "source": "pay", "target": "note"},
        {"id": "e4", "source": "note", "target": "secret"},
    ],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _tools(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.RATE_LIMITS = {}
    CALLED.clear()
    monkeypatch.setattr(TOOLS, "_tools", dict(TOOLS._tools))

    @tool(read_only=True, registry=TOOLS)
    def trying_find(order: str) -> dict[str, int]:
        """Find an order."""
        CALLED.append(("find", order))
        return {"amount": 12}

    @tool(effect="at_most_once", needs_approval=True, registry=TOOLS)
    def trying_pay(amount: int) -> dict[str, bool]:
        """Pay an amount."""
        CALLED.append(("pay", amount))
        return {"done": True}


@pytest.fixture
def people(db: None) -> dict[str, User]:
    return make_people()


@pytest.fixture
def flow(people: dict[str, User]) -> Flow:
    return import_flow(PAYS, by=people["analyst"])


@pytest.fixture
def analyst(people: dict[str, User]) -> Program:
    client = new_client()
    client.force_login(people["analyst"])
    return Program(client)


@pytest.fixture
def ended(flow: Flow, people: dict[str, User]) -> Run:
    """A run that has gone its whole way; what it called is forgotten."""
    version = publish_version(flow, by=people["analyst"], catalog=CATALOG)
    run = begin(version, people["analyst"], inputs={"order": "A1", "card": "4111"})
    run = decide(run, people["reviewer"], "approved")
    run = decide(run, people["reviewer"], "approved")
    assert run.status == "succeeded", run.error
    assert CALLED == [("find", "A1"), ("pay", 12), ("find", "after"), ("find", "4111")]
    CALLED.clear()
    return run


def simulate(analyst: Program, node: str, **more: Any) -> dict[str, Any]:
    answer = analyst.post("flows/pays/tries/", {"nodes": [node], **more})
    assert answer.status_code == 200, answer.content
    shown: dict[str, Any] = answer.json()
    return shown


def statuses(found: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {step["path"]: (step["status"], step["source"]) for step in found["steps"]}


def test_what_a_past_run_gave_stands_in_and_nothing_is_called(analyst: Program, ended: Run):
    found = simulate(analyst, "pay")
    assert statuses(found) == {
        "find": ("succeeded", "run"),
        "ask": ("succeeded", "run"),
        "pay": ("succeeded", "run"),
    }
    assert (found["run"], found["reached"], found["told"], found["missing"]) == (ended.pk, True, "", [])
    assert found["steps"][0]["value"] == {"shown": '{"amount": 12}', "cut": False, "size": 14, "covered": False}
    assert CALLED == []
    assert "4111" not in json.dumps(simulate(analyst, "secret"))


def test_a_pinned_output_goes_before_what_a_run_gave(analyst: Program, ended: Run):
    assert analyst.send("PUT", "flows/pays/pins/find/", {"output": {"amount": 99}}).status_code == 200
    found = simulate(analyst, "pay", for_real=True)
    assert statuses(found)["find"] == ("succeeded", "pin")
    (call,) = found["calls"]
    assert call["value"]["shown"] == '{"amount": 99}'
    assert {key: call[key] for key in ("node", "tool", "asks", "effect")} == {
        "node": "pay", "tool": "trying_pay", "asks": True, "effect": "at_most_once"
    }  # fmt: skip
    assert CALLED == []


def test_where_nothing_stands_in_the_try_stops_and_names_the_step(analyst: Program, flow: Flow):
    found = simulate(analyst, "pay", inputs={"order": "B"})
    assert [one["node"] for one in found["missing"]] == ["find"]
    assert "Pin a value" in found["told"]
    refused = analyst.post("flows/pays/tries/start/", {"nodes": ["pay"], "inputs": {"order": "B"}, "revision": 1})
    assert refused.status_code == 400
    assert refused.json()["details"] == {"missing": ["find"]}
    assert not Run.objects.exists()
    assert CALLED == []


def test_inputs_that_are_missing_are_named(analyst: Program, flow: Flow):
    refused = analyst.post("flows/pays/tries/", {"nodes": ["pay"]})
    assert refused.status_code == 400
    assert "order" in refused.json()["message"]


def test_replies_of_a_flow_test_stand_in_last(analyst: Program, flow: Flow, people: dict[str, User]):
    content = {
        "name": "t", "inputs": {"order": "C"}, "replies": {"trying_find": [{"result": {"amount": 5}}]},
        "decisions": [{"step": "ask", "approve": True}],
    }  # fmt: skip
    make_test(flow, content, by=people["analyst"])
    found = simulate(analyst, "ask")
    assert statuses(found) == {"find": ("succeeded", "test"), "ask": ("succeeded", "test")}


def test_for_real_only_the_step_itself_works_and_approvals_hold(analyst: Program, ended: Run, people: dict[str, User]):
    started = analyst.post("flows/pays/tries/start/", {"nodes": ["pay"], "revision": 1})
    assert started.status_code == 201, started.content
    shown = started.json()
    assert (shown["trial"], shown["version"]["number"]) == (["pay"], None)
    run = work_on(shown["id"])
    assert (run.status, CALLED) == ("awaiting_approval", [])
    approval = Approval.objects.get(run=run, status="open")
    assert approval.tool == "trying_pay"
    run = decide(run, people["reviewer"], "approved")
    assert run.status == "succeeded"
    assert CALLED == [("pay", 12)]
    nodes = set(StepRun.objects.filter(run=run).values_list("node", flat=True))
    assert nodes == {"find", "ask", "pay"}
    assert Event.objects.filter(run=run, type="step-start").exists()
    verdict = verify_history(run.pk)
    assert verdict.fault is None, verdict
    assert FlowVersion.objects.get(pk=run.version_id).kind == "trial"
    assert FlowVersion.objects.filter(flow="pays").published().count() == 1
    # The next try is not made of this one.
    assert simulate(analyst, "pay")["run"] == ended.pk


def test_a_trial_can_be_repeated_and_is_no_ground_for_a_test(analyst: Program, ended: Run, people: dict[str, User]):
    first = analyst.post("flows/pays/tries/start/", {"nodes": ["find"], "revision": 1}).json()["id"]
    assert work_on(first).status == "succeeded"
    assert CALLED == [("find", "A1")]
    again = analyst.post(f"runs/{first}/again/", {})
    assert again.status_code == 201, again.content
    assert work_on(again.json()["id"]).trial == ["find"]
    assert CALLED == [("find", "A1"), ("find", "A1")]
    refused = analyst.post(f"runs/{first}/again/", {"newest": True})
    assert (refused.status_code, "try of single steps" in refused.json()["message"]) == (400, True), refused.content
    assert "try of single steps" in analyst.post(f"runs/{first}/recording/").json()["message"]


def test_a_draft_that_was_changed_meanwhile_is_not_tried(analyst: Program, ended: Run, people: dict[str, User]):
    save_draft(Flow.objects.get(pk="pays"), PAYS, revision=1, by=people["analyst"])
    refused = analyst.post("flows/pays/tries/start/", {"nodes": ["find"], "revision": 1})
    assert (refused.status_code, refused.json()["code"]) == (409, "revision_conflict")


def test_errors_elsewhere_in_the_draft_do_not_stop_a_try_in_the_simulator(analyst: Program, ended: Run):
    broken = deepcopy(PAYS)
    broken["nodes"][3]["config"]["arguments"] = {"order": "{{ not an expression"}
    assert simulate(analyst, "pay", document=broken)["reached"]
    broken["nodes"][2]["config"]["arguments"] = {"amount": "{{ not an expression"}
    refused = analyst.post("flows/pays/tries/", {"nodes": ["pay"], "document": broken})
    assert refused.json()["code"] == "flow_invalid"


def test_errors_of_a_transform_beside_the_way_do_not_stop_a_try(analyst: Program, ended: Run):
    broken = deepcopy(PAYS)
    broken["nodes"].append({"id": "beside", "type": "transform", "config": {"fields": {"a": "{{ not an expression"}}})
    broken["edges"].append({"id": "e5", "source": "find", "target": "beside"})
    assert simulate(analyst, "pay", document=broken)["reached"]


def test_a_try_for_real_repeated_with_its_key_is_the_same_run_whatever_has_changed(
    analyst: Program, ended: Run, people: dict[str, User]
):
    asked = {"nodes": ["find"], "revision": 1, "inputs": {"order": "K"}}
    key = {"Idempotency-Key": "once"}
    first = analyst.post("flows/pays/tries/start/", asked, **key)
    assert first.status_code == 201, first.content
    save_draft(Flow.objects.get(pk="pays"), PAYS, revision=1, by=people["analyst"])
    again = analyst.post("flows/pays/tries/start/", asked, **key)
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])
    other = analyst.post("flows/pays/tries/start/", {**asked, "inputs": {"order": "L"}}, **key)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")


def test_a_key_that_has_started_a_try_of_one_flow_starts_none_of_another(
    analyst: Program, ended: Run, people: dict[str, User]
):
    duplicate_flow(Flow.objects.get(pk="pays"), "other", by=people["analyst"])
    asked = {"nodes": ["find"], "revision": 1, "inputs": {"order": "K"}}
    answers = [
        analyst.post(f"flows/{one}/tries/start/", asked, **{"Idempotency-Key": "k"}) for one in ("pays", "other")
    ]
    assert [answer.status_code for answer in answers] == [201, 409]


def test_items_of_a_loop_that_is_tried_for_real_do_their_work_although_one_cannot(analyst: Program, ended: Run):
    document = deepcopy(PAYS)
    config = {"items": [5, "A7", "A8"], "on_item_error": "collect"}
    inner = {"tool": "trying_find", "arguments": {"order": {"$expr": "item"}}}
    document["nodes"] += [
        {"id": "each", "type": "for_each", "config": config},
        {"id": "look", "type": "tool_call", "parent": "each", "config": inner},
    ]
    document["edges"][0]["target"] = "each"
    document["edges"].append({"id": "e5", "source": "each", "target": "ask"})
    save_draft(Flow.objects.get(pk="pays"), document, revision=1, by=ended.started_by)
    started = analyst.post("flows/pays/tries/start/", {"nodes": ["each"], "revision": 2})
    assert started.status_code == 201, started.content
    work_on(started.json()["id"])
    assert CALLED == [("find", "A7"), ("find", "A8")]


# --- what is sensitive ------------------------------------------------------------------------------------


def test_a_document_that_marks_less_gets_nothing_that_the_run_holds_covered(analyst: Program, ended: Run):
    plain = deepcopy(PAYS)
    plain["inputs"][1]["sensitive"] = False
    plain["nodes"].append({"id": "show", "type": "transform", "config": {"fields": {"card": "{{card}}"}}})
    plain["edges"][0]["target"] = "show"
    plain["edges"].append({"id": "e5", "source": "show", "target": "ask"})
    assert "4111" not in json.dumps(simulate(analyst, "show", document=plain))
    assert statuses(simulate(analyst, "secret", document=plain))["secret"][1] != "run"


def test_a_document_that_marks_less_does_not_show_a_covered_pin(analyst: Program, ended: Run, people: dict[str, User]):
    analyst.send("PUT", "flows/pays/pins/find/", {"output": "plain"})
    changed = deepcopy(PAYS)
    changed["inputs"][0]["sensitive"] = True
    save_draft(Flow.objects.get(pk="pays"), changed, revision=1, by=people["analyst"])
    assert '"plain' not in json.dumps(simulate(analyst, "find", document=PAYS)).replace("\\", "")


def test_what_is_sensitive_stays_covered_by_way_of_state_results_and_errors(analyst: Program, ended: Run):
    document = deepcopy(PAYS)
    document["nodes"] += [
        {"id": "keep", "type": "transform", "config": {"fields": {"c": "{{card}}"}}, "output_variable": "kept"},
        {"id": "show", "type": "transform", "config": {"fields": {"d": "{{kept.c}}"}}},
        {"id": "last", "type": "transform", "config": {"fields": {"e": "{{steps.show.output.d}}"}}},
        {"id": "each", "type": "for_each", "config": {"items": ["{{steps.last.output.e}}"]}},
        {"id": "cry", "type": "throw", "parent": "each", "config": {"code": "no_card", "message": "{{item}}"}},
        {"id": "late", "type": "transform", "config": {"fields": {}}},
    ]
    line = ("find", "keep", "show", "last", "each", "late", "ask")
    document["edges"][:1] = [{"id": f"to_{b}", "source": a, "target": b} for a, b in pairwise(line)]
    found = simulate(analyst, "last", document=document)
    covered = {step["node"]: step["value"]["covered"] for step in found["steps"]}
    assert covered == {"find": False, "keep": True, "show": True, "last": True}
    found = simulate(analyst, "late", document=document)
    assert found["told"].startswith("It fails before it comes to")
    assert "4111" not in json.dumps(found)


def test_a_refusal_of_the_inputs_of_a_run_names_no_value_that_is_covered(analyst: Program, ended: Run):
    document = {**PAYS, "state": {"properties": {"card": {"type": "integer"}}}}
    refused = analyst.post("flows/pays/tries/", {"nodes": ["find"], "document": document})
    assert (refused.status_code, refused.json()["message"].startswith("Say with which inputs")) == (400, True)
    assert "4111" not in refused.content.decode()
    own = {"nodes": ["find"], "document": document, "inputs": {"order": "A1", "card": "5500"}}
    assert "5500" in analyst.post("flows/pays/tries/", own).content.decode()


def test_who_may_only_look_tries_without_what_is_covered(ended: Run, people: dict[str, User]):
    client = new_client()
    client.force_login(people["reviewer"])
    found = simulate(Program(client), "secret")
    assert statuses(found)["note"] == ("succeeded", "run")
    assert statuses(found)["secret"][1] != "run"


# --- pins -----------------------------------------------------------------------------------------------


def test_a_pin_is_taken_from_a_run_listed_and_let_go(analyst: Program, ended: Run):
    made = analyst.send("PUT", "flows/pays/pins/find/", {"run": ended.pk})
    assert made.status_code == 200, made.content
    assert {key: made.json()[key] for key in ("node", "source", "run", "output", "orphaned", "updated_by")} == {
        "node": "find", "source": "run", "run": ended.pk, "output": {"amount": 12}, "orphaned": False,
        "updated_by": "analyst",
    }  # fmt: skip
    (listed,) = analyst.read("flows/pays/pins/")["items"]
    assert (listed["node"], listed["value"]["shown"]) == ("find", '{"amount": 12}')
    assert AuditEntry.objects.get(action="flow-pin").after == {"node": "find", "source": "run", "run": ended.pk}
    document = Draft.objects.get(flow="pays").document
    assert '"amount": 12' not in document
    for _ in range(2):
        assert analyst.send("DELETE", "flows/pays/pins/find/").status_code == 204
    assert AuditEntry.objects.filter(action="flow-unpin").count() == 1
    assert not PinnedOutput.objects.exists()


def test_a_pin_tells_its_value_only_to_those_who_may_change_the_flow(
    analyst: Program, ended: Run, people: dict[str, User]
):
    document = deepcopy(PAYS)
    document["inputs"][1]["sensitive"] = False  # a copy would take pins along
    flow = Flow.objects.get(pk="pays")
    save_draft(flow, document, revision=1, by=people["analyst"])
    assert analyst.send("PUT", "flows/pays/pins/find/", {"run": ended.pk}).status_code == 200
    assert analyst.send("PUT", "flows/pays/pins/ask/", {"output": {"amount": 4712}}).status_code == 200
    client = new_client()
    client.force_login(people["reviewer"])
    reviewer = Program(client)
    listed, one = reviewer.read("flows/pays/pins/"), reviewer.read("flows/pays/pins/find/")
    assert [(pin["node"], pin["updated_by"], pin["value"]["covered"]) for pin in listed["items"]] == [
        ("ask", "analyst", True), ("find", "analyst", True)
    ]  # fmt: skip
    assert (one["updated_by"], one["source"], one["run"], one["output"], one["covered"]) == (
        "analyst", "run", "", None, True
    )  # fmt: skip
    assert '"amount' not in json.dumps([listed, one]).replace("\\", "")
    tried = simulate(reviewer, "ask", run=ended.pk)
    assert "4712" not in json.dumps(tried) and statuses(tried)["ask"] == ("succeeded", "run")
    assert not duplicate_flow(flow, "others", by=people["reviewer"]).pins.exists()
    assert duplicate_flow(flow, "own", by=people["analyst"]).pins.count() == 2


def test_a_pin_stays_with_a_node_that_is_still_there_and_fits_the_one_that_it_goes_to(
    analyst: Program, flow: Flow, people: dict[str, User]
):
    analyst.send("PUT", "flows/pays/pins/find/", {"output": {"amount": 1}})
    refused = analyst.send("PUT", "flows/pays/pins/pay/", {"from_node": "find"})
    assert (refused.status_code, "still has the node" in refused.json()["message"]) == (400, True)
    form = {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}
    renamed = json.loads(json.dumps(PAYS).replace('"find"', '"search"'))
    renamed["nodes"][1]["config"]["form"] = form
    renamed["nodes"].append({"id": "part", "type": "one_of"})
    save_draft(flow, renamed, revision=1, by=people["analyst"])
    for node, why in (("ask", "does not fit"), ("part", "only says where to go on")):
        refused = analyst.send("PUT", f"flows/pays/pins/{node}/", {"from_node": "find"})
        assert (refused.status_code, why in refused.json()["message"]) == (400, True), refused.content
    assert analyst.send("PUT", "flows/pays/pins/search/", {"from_node": "find"}).json()["output"] == {"amount": 1}


def test_a_pin_follows_a_node_that_was_renamed_or_is_told_to_be_left_over(
    analyst: Program, flow: Flow, people: dict[str, User]
):
    analyst.send("PUT", "flows/pays/pins/find/", {"output": 1})
    renamed = json.loads(json.dumps(PAYS).replace('"find"', '"search"'))
    save_draft(flow, renamed, revision=1, by=people["analyst"])
    assert [(one["node"], one["orphaned"]) for one in analyst.read("flows/pays/pins/")["items"]] == [("find", True)]
    assert analyst.send("PUT", "flows/pays/pins/search/", {"from_node": "find"}).json()["output"] == 1
    assert [(one["node"], one["orphaned"]) for one in analyst.read("flows/pays/pins/")["items"]] == [("search", False)]


def test_what_may_be_sensitive_is_not_pinned_and_covered_once_it_is(
    analyst: Program, ended: Run, people: dict[str, User]
):
    for body in ({"output": 1}, {"run": ended.pk}):
        refused = analyst.send("PUT", "flows/pays/pins/secret/", body)
        assert (refused.status_code, "sensitive" in refused.json()["message"]) == (400, True)
    analyst.send("PUT", "flows/pays/pins/find/", {"output": "plain"})
    changed = deepcopy(PAYS)
    changed["inputs"][0]["sensitive"] = True
    save_draft(Flow.objects.get(pk="pays"), changed, revision=1, by=people["analyst"])
    assert "plain" not in json.dumps(analyst.read("flows/pays/pins/"))
    assert analyst.read("flows/pays/pins/find/")["covered"] is True
    assert simulate(analyst, "find")["steps"][0]["value"]["covered"] is True


def test_what_is_left_over_of_a_flow_with_something_sensitive_is_covered(
    analyst: Program, flow: Flow, people: dict[str, User]
):
    analyst.send("PUT", "flows/pays/pins/find/", {"output": "plain"})
    changed = deepcopy(PAYS)
    changed["inputs"][0]["sensitive"] = True
    gone = json.loads(json.dumps(changed).replace('"find"', '"search"'))
    save_draft(flow, gone, revision=1, by=people["analyst"])
    (listed,) = analyst.read("flows/pays/pins/")["items"]
    assert (listed["orphaned"], listed["value"]["covered"], listed["value"]["shown"]) == (True, True, "")
    moved = analyst.send("PUT", "flows/pays/pins/ask/", {"from_node": "find"}).json()
    assert moved["covered"] is False, "who may change the flow says which node it is of"


def test_a_pin_that_names_an_erased_person_is_listed(analyst: Program, flow: Flow):
    analyst.send("PUT", "flows/pays/pins/find/", {"output": {"name": "Ada Lovelace"}})
    assert places_naming(["ada lovelace"]) == ["output pinned to find of pays"]


def test_a_pin_fits_the_schema_that_is_declared(analyst: Program, flow: Flow, people: dict[str, User]):
    document = deepcopy(PAYS)
    schema = {"type": "object", "required": ["ok"]}
    document["nodes"][1] = {**document["nodes"][1], "config": {"title": "Pay?", "form": schema}}
    save_draft(flow, document, revision=1, by=people["analyst"])
    assert analyst.send("PUT", "flows/pays/pins/ask/", {"output": {}}).status_code == 400
    assert analyst.send("PUT", "flows/pays/pins/ask/", {"output": {"ok": True}}).status_code == 200
    assert analyst.send("PUT", "flows/pays/pins/gone/", {"output": 1}).status_code == 404
    assert analyst.send("PUT", "flows/pays/pins/find/", {"output": "x" * 300_000}).status_code in (400, 413)


def test_copies_take_pins_and_tests_along_and_versions_know_nothing_of_pins(
    analyst: Program, flow: Flow, people: dict[str, User]
):
    document = deepcopy(PAYS)
    document["inputs"] = [{**one, "sensitive": False} for one in document["inputs"]]
    save_draft(flow, document, revision=1, by=people["analyst"])
    analyst.send("PUT", "flows/pays/pins/find/", {"output": 1})
    make_test(flow, {"name": "t"}, by=people["analyst"])
    copy = duplicate_flow(flow, "other", by=people["analyst"])
    assert list(copy.pins.values_list("node", "output")) == [("find", "1")]
    assert list(copy.tests.values_list("name", flat=True)) == ["t"]
    version = publish_version(flow, by=people["analyst"], catalog=CATALOG)
    run = begin(version, people["analyst"], inputs={"order": "A1"})
    assert CALLED == [("find", "A1")]
    assert run.trial is None


def test_a_copy_in_which_a_mark_could_be_taken_off_gets_no_pins(analyst: Program, flow: Flow, people: dict[str, User]):
    assert analyst.send("PUT", "flows/pays/pins/find/", {"output": 1}).status_code == 200
    assert not duplicate_flow(flow, "other", by=people["analyst"]).pins.exists()
