"""Tries for real of sub-flows, tool groups and containers: what is named before, and what then works."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from django.contrib.auth.models import User

from editor.models import Flow
from editor.services import import_flow, publish_version, save_draft
from runner.catalog import CATALOG
from runner.models import Run, StepRun
from runner.services.flow_tests import make_test
from runner.store.claims import pending_steps
from runner.tools.registry import TOOLS, tool
from tests.integration.api.conftest import Program, new_client
from tests.support.flows import begin, make_people, work_on

pytestmark = pytest.mark.django_db(transaction=True)

CALLED: list[tuple[str, Any]] = []
REPLIES = {"real_pay": [{"result": {"entry": 999}}], "real_look": [{"result": 999}]}


def call(node: str, tool_name: str, amount: Any, **more: Any) -> dict[str, Any]:
    return {"id": node, "type": "tool_call", "config": {"tool": tool_name, "arguments": {"amount": amount}}, **more}


def subflow(node: str, flow: str, version: Any = 1, **more: Any) -> dict[str, Any]:
    return {"id": node, "type": "subflow", "config": {"flow": flow, "version": version, **more}}


INNER: dict[str, Any] = {
    "format": 1, "id": "inner", "name": "Inner",
    "nodes": [call("look", "real_look", 3), {**call("pay", "real_pay", "{{steps.look.output}}"), "name": "Pay it"}],
    "edges": [{"id": "e1", "source": "look", "target": "pay"}],
}  # fmt: skip
SUMS: dict[str, Any] = {
    "format": 1, "id": "sums", "name": "Sums",
    "nodes": [{"id": "sum", "type": "transform", "config": {"fields": {"two": {"$expr": "1 + 1"}}}}], "edges": [],
}  # fmt: skip
OUTER: dict[str, Any] = {
    "format": 1, "id": "outer", "name": "Outer",
    "nodes": [
        call("first", "real_look", 1),
        subflow("sub", "inner"),
        subflow("compute", "sums"),
        {"id": "group", "type": "tool_group", "config": {"role": "lookers", "arguments": {"amount": 2}}},
        {"id": "each", "type": "for_each", "config": {"items": [7, 8]}},
        call("check", "real_look", "{{item}}", parent="each"),
        call("pay", "real_pay", "{{item}}", parent="each"),
    ],
    "edges": [
        {"id": "e1", "source": "first", "target": "sub"},
        {"id": "e2", "source": "sub", "target": "compute"},
        {"id": "e3", "source": "compute", "target": "group"},
        {"id": "e4", "source": "group", "target": "each"},
        {"id": "e5", "source": "check", "target": "pay"},
    ],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _tools(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.RATE_LIMITS = {}
    settings.TOOL_ROLES = {"lookers": ["real_look", "real_pay"]}
    CALLED.clear()
    monkeypatch.setattr(TOOLS, "_tools", dict(TOOLS._tools))

    @tool(read_only=True, registry=TOOLS)
    def real_look(amount: int) -> int:
        """Look at an amount."""
        CALLED.append(("look", amount))
        return amount

    @tool(registry=TOOLS)
    def real_pay(amount: int) -> int:
        """Pay an amount."""
        CALLED.append(("pay", amount))
        return amount


@pytest.fixture
def people(transactional_db: None) -> dict[str, User]:
    return make_people()


@pytest.fixture
def flow(people: dict[str, User]) -> Flow:
    for document in (INNER, SUMS):
        publish_version(import_flow(document, by=people["analyst"]), by=people["analyst"], catalog=CATALOG)
    return import_flow(OUTER, by=people["analyst"])


@pytest.fixture
def whole(flow: Flow, people: dict[str, User]) -> Run:
    """A run of everything; what it called is forgotten."""
    run = begin(publish_version(flow, by=people["analyst"], catalog=CATALOG), people["analyst"], work=False)
    run = work_on_all(run.pk)
    assert run.status == "succeeded", run.error
    CALLED.clear()
    return run


@pytest.fixture
def tested(flow: Flow, people: dict[str, User]) -> Flow:
    """The flow with a test that has replies for all of its tools."""
    make_test(flow, {"name": "t", "replies": REPLIES}, by=people["analyst"])
    return flow


@pytest.fixture
def analyst(people: dict[str, User]) -> Program:
    client = new_client()
    client.force_login(people["analyst"])
    return Program(client)


def work_on_all(run_id: str) -> Run:
    """Do a worker's part for a run and all that it starts, until they come to rest."""
    while pending := [one.pk for one in Run.objects.all() if pending_steps(one.pk)]:
        for one in pending:
            work_on(one)
    return Run.objects.get(pk=run_id)


def planned(analyst: Program, *nodes: str) -> dict[str, Any]:
    answer = analyst.post("flows/outer/tries/", {"nodes": list(nodes), "for_real": True})
    assert answer.status_code == 200, answer.content
    assert CALLED == [], "a plan calls nothing"
    found: dict[str, Any] = answer.json()
    return found


def named(found: dict[str, Any]) -> list[tuple[str, str, bool]]:
    return [(one["path"], one["tool"] or one["type"], one["sure"]) for one in found["calls"]]


def tried(analyst: Program, *nodes: str, revision: int = 1) -> Run:
    started = analyst.post("flows/outer/tries/start/", {"nodes": list(nodes), "revision": revision})
    assert started.status_code == 201, started.content
    run = work_on_all(started.json()["id"])
    assert run.status == "succeeded", run.error
    return run


@pytest.mark.parametrize("ground", ["whole", "tested"])
def test_a_sub_flow_that_is_tried_for_real_works_whatever_a_test_replies(
    analyst: Program, ground: str, request: pytest.FixtureRequest
):
    request.getfixturevalue(ground)
    found = planned(analyst, "sub")
    assert named(found) == [
        ("sub", "subflow", True), ("sub/look", "real_look", False), ("sub/pay", "real_pay", False)
    ]  # fmt: skip
    assert [(one["flow"], one["label"]) for one in found["calls"]][1:] == [("inner", "look"), ("inner", "Pay it")]
    assert [one["value"] and one["value"]["shown"] for one in found["calls"]][1:] == ['{"amount": 3}', None]
    run = tried(analyst, "sub")
    assert CALLED == [("look", 3), ("pay", 3)]
    assert Run.objects.filter(parent_run=run.pk).count() == 1


@pytest.mark.parametrize("ground", ["whole", "tested"])
def test_a_tool_group_that_is_tried_for_real_calls_its_tools_whatever_a_test_replies(
    analyst: Program, ground: str, request: pytest.FixtureRequest
):
    request.getfixturevalue(ground)
    found = planned(analyst, "group")
    assert named(found) == [("group[0]", "real_look", True), ("group[1]", "real_pay", True)]
    assert [one["value"]["shown"] for one in found["calls"]] == ['{"amount": 2}'] * 2
    tried(analyst, "group")
    assert sorted(CALLED) == [("look", 2), ("pay", 2)]


@pytest.mark.parametrize("ground", ["whole", "tested"])
def test_a_sub_flow_that_only_computes_is_run_all_the_same(
    analyst: Program, ground: str, request: pytest.FixtureRequest
):
    request.getfixturevalue(ground)
    assert named(planned(analyst, "compute")) == [("compute", "subflow", True)]
    run = tried(analyst, "compute")
    assert Run.objects.get(parent_run=run.pk).flow_id == "sums"
    assert CALLED == []


def test_a_reply_stands_in_for_a_call_before_although_what_is_tried_calls_the_same_tool(analyst: Program, tested: Flow):
    found = planned(analyst, "each")
    assert found["told"] == ""
    assert {step["path"]: step["source"] for step in found["steps"]}["first"] == "test"
    tried(analyst, "each")
    assert sorted(CALLED) == [("look", 7), ("look", 8), ("pay", 7), ("pay", 8)]


def test_a_sub_flow_that_does_not_wait_is_started_and_named(analyst: Program, whole: Run):
    document = deepcopy(OUTER)
    document["nodes"][1] = subflow("sub", "inner", wait=False)
    save_draft(Flow.objects.get(pk="outer"), document, revision=1, by=whole.started_by)
    assert named(planned(analyst, "sub"))[0] == ("sub", "subflow", True)
    tried(analyst, "sub", revision=2)
    assert CALLED == [("look", 3), ("pay", 3)]


def test_all_that_a_container_may_call_is_named_before(analyst: Program, whole: Run):
    found = planned(analyst, "each")
    sure = [one for one in named(found) if one[2]]
    assert ("each[0].check", "real_look", True) in sure
    assert [one for one in named(found) if not one[2]] == [
        ("each.check", "real_look", False), ("each.pay", "real_pay", False)
    ]  # fmt: skip
    assert {one["tool"]: one["effect"] for one in found["calls"]}["real_pay"] == "idempotent"
    tried(analyst, "each")
    assert {path for path in StepRun.objects.values_list("path", flat=True) if path.endswith("pay")} >= {"each[1].pay"}


def test_what_a_switched_off_step_would_call_is_not_named(analyst: Program, whole: Run):
    document = deepcopy(OUTER)
    document["nodes"][6]["enabled"] = False
    save_draft(Flow.objects.get(pk="outer"), document, revision=1, by=whole.started_by)
    assert "real_pay" not in json.dumps(planned(analyst, "each")["calls"])


def test_of_a_sub_flow_that_somebody_may_not_see_it_is_said_that_it_may_call_more(
    analyst: Program, whole: Run, people: dict[str, User], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("runner.services.trial_calls._sees", lambda by, flow: False)
    found = planned(analyst, "sub")
    assert named(found) == [("sub", "subflow", True), ("sub/", "hidden", False)]
    assert "real_pay" not in json.dumps(found["calls"])


def test_a_flow_that_calls_itself_is_named_once(analyst: Program, whole: Run):
    document = deepcopy(OUTER)
    document["nodes"][1] = subflow("sub", "outer", "self")
    save_draft(Flow.objects.get(pk="outer"), document, revision=1, by=whole.started_by)
    paths = [path for path, _, _ in named(planned(analyst, "sub"))]
    assert len(paths) == len(set(paths))
    assert {"sub", "sub/first", "sub/sub", "sub/each.pay"} <= set(paths)


def test_tools_of_an_agent_are_named_with_whether_a_person_may_be_asked(analyst: Program, whole: Run):
    document = deepcopy(OUTER)
    agent = {"instructions": "Pay.", "prompt": "Now", "tools": ["real_look", "real_pay"]}
    document["nodes"][2] = {"id": "compute", "type": "agent", "config": agent}
    document["permissions"] = {"rules": [{"tool": "real_p*", "effect": "ask", "when": "args.amount > 5"}]}
    save_draft(Flow.objects.get(pk="outer"), document, revision=1, by=whole.started_by)
    found = planned(analyst, "compute")
    assert named(found) == [
        ("compute", "agent", True), ("compute[real_look]", "real_look", False), ("compute[real_pay]", "real_pay", False)
    ]  # fmt: skip
    assert [one["asks"] for one in found["calls"]] == [False, False, True]


# --- tries are no whole runs ----------------------------------------------------------------------------------


def test_a_try_is_not_replayed_nor_listed_where_whole_runs_are_asked_for(analyst: Program, whole: Run):
    trial = tried(analyst, "group")
    answer = analyst.post("flows/outer/replays/", {"runs": [trial.pk]}).json()
    (item,) = answer["items"]
    assert (item["verdict"], item["ending"]) == ("incomparable", "")
    assert "try of single steps" in item["troubles"][0]
    assert trial.pk not in {one["id"] for one in analyst.read("flows/outer/replays/")["items"]}
    listed = {one["id"] for one in analyst.read("runs/?flow=outer")["items"]}
    without = {one["id"] for one in analyst.read("runs/?flow=outer&tries=false")["items"]}
    assert (listed - without, whole.pk in without) == ({trial.pk}, True)


# --- what to do instead ------------------------------------------------------------------------------------------


def test_no_pin_is_proposed_for_a_step_that_takes_none(analyst: Program, flow: Flow):
    document = deepcopy(OUTER)
    document["inputs"] = [{"name": "card", "type": "number", "sensitive": True}]
    document["nodes"][0] = call("first", "real_look", "{{card}}")
    save_draft(flow, document, revision=1, by=flow.owner)
    body = {"nodes": ["compute"], "inputs": {"card": 1}}
    (missing,) = analyst.post("flows/outer/tries/", body).json()["missing"]
    assert missing["node"] == "first"
    assert "Pin a value" not in missing["told"]
    assert "for real" in missing["told"]
    document["inputs"][0]["sensitive"] = False
    save_draft(flow, document, revision=2, by=flow.owner)
    (missing,) = analyst.post("flows/outer/tries/", body).json()["missing"]
    assert "Pin a value" in missing["told"]
