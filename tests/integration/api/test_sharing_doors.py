"""What sharing opens and closes: people with one right each, at every endpoint on a restricted flow and what it has.

Endpoints come from the matrix of test_doors.py, which takes them from the URLconf; whoever adds one says here which
right it asks for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from editor.models import AuditEntry, Draft, Flow, FlowGrant, FlowVersion
from editor.people import disable, enable
from editor.sharing import Grant, share_flow
from editor.tokens import SCOPES, make_token
from editor.visibility import ALL_RIGHTS, DECIDE, EDIT, PUBLISH, RIGHTS, RUN, SHARE, VIEW, of_visible_flow, rights_on
from runner.models import Approval, Artifact, Event, Run, StepRun
from tests.integration.api.conftest import Program, new_client, refusal
from tests.integration.api.test_doors import ENDPOINTS, RULES, Objects, body, needed_scope, objects, rows
from tests.support.flows import make_person

__all__ = ["objects"]  # the fixture of the other matrix

MAKE, ADMINS_ONLY = "make", "admin"
NEEDS: dict[tuple[str, str], str | tuple[str, ...]] = {
    ("api-flow", "PATCH"): EDIT,
    ("api-flow-archive", "POST"): ADMINS_ONLY,
    ("api-flow-comments", "POST"): VIEW,
    ("api-flow-comment", "PATCH"): VIEW,
    ("api-flow-draft", "PUT"): EDIT,
    ("api-flow-duplicate", "POST"): MAKE,
    ("api-flow-extractions", "POST"): MAKE,
    ("api-flow-restore", "POST"): ADMINS_ONLY,
    ("api-flow-review-setting", "PUT"): SHARE,
    ("api-flow-reviews", "POST"): PUBLISH,
    ("api-flow-review-decision", "POST"): ADMINS_ONLY,
    ("api-flow-sharing", "PUT"): SHARE,
    ("api-flow-tests", "POST"): EDIT,
    ("api-flow-test", "PUT"): EDIT,
    ("api-flow-test", "DELETE"): EDIT,
    ("api-flow-pin", "PUT"): EDIT,
    ("api-flow-pin", "DELETE"): EDIT,
    ("api-flow-tries-start", "POST"): (EDIT, RUN),
    ("api-flow-versions", "POST"): PUBLISH,
    ("api-approval-decision", "POST"): DECIDE,
    ("api-approval-delegation", "POST"): DECIDE,
    ("api-approval-delegation", "DELETE"): DECIDE,
    ("api-runs", "POST"): RUN,
    ("api-run-again", "POST"): RUN,
    ("api-run-cancel", "POST"): RUN,
    ("api-run-fork", "POST"): RUN,
    ("api-run-move", "POST"): RUN,
    ("api-run-pause", "POST"): RUN,
    ("api-run-resume", "POST"): RUN,
    ("api-run-signals", "POST"): RUN,
    ("api-run-step-retry", "POST"): RUN,
    ("api-run-verify", "POST"): ADMINS_ONLY,
}
"""The right that each change asks for; reading asks for the right to view."""
KEYS = {"flow_id", "run_id", "approval_id"}


def is_about_a_flow(rule: tuple[str, str]) -> bool:
    return rule == ("api-runs", "POST") or bool(KEYS & set(ENDPOINTS[rule[0]].pattern.converters))


OF_FLOWS = [rule for rule in RULES if is_about_a_flow(rule)]


def test_every_change_to_a_flow_and_what_it_has_names_its_right():
    assert {rule for rule in OF_FLOWS if needed_scope(*rule) != "read"} == set(NEEDS)


@pytest.fixture
def restricted(objects: Objects, people: dict[str, User]) -> Objects:
    """Both flows of the matrix are for nobody but their owner and admins; the owner is the analyst."""
    for flow in Flow.objects.all():
        share_flow(flow, restricted=True, grants=[], by=people["admin"])
    people["second"] = make_person("second", "analyst")
    return objects


def share(grants: list[Grant]) -> None:
    for flow in Flow.objects.all():
        share_flow(flow, restricted=True, grants=grants, by=None)


def meets(program: Program, objects: Objects, has: frozenset[str]) -> None:
    """Hold every endpoint against the rights that somebody has on the flows: none of them means nothing is there."""
    for name, method in OF_FLOWS:
        path, sent, before = objects.path(name), body(name, method), rows()
        answer = program.send(method, path, sent)
        needed = NEEDS.get((name, method), VIEW)
        if set((needed,) if isinstance(needed, str) else needed) <= has:
            assert answer.status_code not in (401, 403, 404, 500), (name, method, answer.content)
        else:
            error = refusal(answer, 403 if VIEW in has else 404)
            assert error["code"] == ("permission_denied" if VIEW in has else "not_found"), (name, method)
            assert rows() == before, (name, method)


@pytest.mark.parametrize("right", RIGHTS)
@pytest.mark.parametrize("by", ["person", "group"])
def test_a_right_opens_what_it_is_for_and_no_more(
    by: str, right: str, restricted: Objects, people: dict[str, User], as_person: Callable[[str], Program]
):
    if by == "group":
        people["outsider"].groups.add(Group.objects.create(name="crew"))
    share([Grant("crew" if by == "group" else "outsider", by == "group", {right})])
    meets(as_person("outsider"), restricted, frozenset({VIEW, right}))


@pytest.mark.parametrize(
    ("name", "has"),
    [
        ("second", frozenset()),
        ("reviewer", frozenset()),
        ("outsider", frozenset()),
        ("analyst", frozenset({VIEW, RUN, EDIT, PUBLISH, SHARE, MAKE})),
        ("admin", ALL_RIGHTS | {MAKE, ADMINS_ONLY}),
    ],
)
def test_who_is_not_listed_finds_nothing_but_owner_and_admins_do(
    name: str, has: frozenset[str], restricted: Objects, as_person: Callable[[str], Program]
):
    lists = [as_person(name).read(path)["items"] for path in ("flows/", "runs/", "approvals/")]
    assert [len(found) for found in lists] == ([2, 2, 1] if VIEW in has else [0, 0, 0])
    meets(as_person(name), restricted, has)


def test_a_token_follows_its_owners_rights(restricted: Objects, people: dict[str, User]):
    text = make_token(people["second"], name="a test", scopes=tuple(SCOPES)).text
    meets(Program(new_client(csrf=True), text), restricted, frozenset())
    share([Grant("second", False, {DECIDE})])
    meets(Program(new_client(csrf=True), text), restricted, frozenset({VIEW, DECIDE, MAKE}))


@pytest.mark.parametrize("name", ["analyst", "reviewer", "admin", "outsider"])
def test_a_disabled_person_is_a_stranger_with_session_and_token(
    name: str, restricted: Objects, people: dict[str, User], as_person: Callable[[str], Program]
):
    make_person("other admin", "admin")
    share([Grant("outsider", False, set(RIGHTS))])
    session = as_person(name)
    token = Program(new_client(csrf=True), make_token(people[name], name="a test", scopes=tuple(SCOPES)).text)
    disable(people[name], by=people["admin"])
    before = rows()
    for rule in RULES:
        for program in (session, token):
            refusal(program.send(rule[1], restricted.path(rule[0]), body(*rule)), 401)
    assert rows() == before
    enable(people[name], by=people["admin"])
    for program in (session, token):
        refusal(program.get("me/"), 401)
    assert Run.objects.filter(started_by=people["analyst"]).count() == 2  # what was done stays


def test_sharing_extends_what_a_role_gives_where_the_flow_is_the_teams(
    objects: Objects, people: dict[str, User], as_person: Callable[[str], Program]
):
    flow = Flow.objects.get(pk="asks")
    grants = [Grant("reviewer", False, {RUN}), Grant("outsider", False, {DECIDE})]
    share_flow(flow, restricted=False, grants=grants, by=people["admin"])
    assert rights_on(people["reviewer"], flow) == {VIEW, RUN, DECIDE}
    assert as_person("reviewer").post("runs/", {"flow": "asks"}).status_code == 201
    assert [one["id"] for one in as_person("outsider").read("flows/")["items"]] == ["asks"]
    assert len(as_person("outsider").read("approvals/")["items"]) == 1
    decision = {"verdict": "approved", "digest": Approval.objects.filter(run=objects.asking["run_id"]).get().digest}
    answer = as_person("outsider").post(objects.path("api-approval-decision"), {**decision, "form": {"grade": "good"}})
    assert answer.status_code == 200
    refusal(as_person("outsider").get("runs/" + objects.hidden["run_id"] + "/"), 404)


def test_querysets_and_rights_say_the_same(restricted: Objects, people: dict[str, User]):
    """Every person and every way of sharing, against every flow: rows that are seen are those with the right."""
    crew, other = (Group.objects.create(name=name) for name in ("crew", "other"))
    people["outsider"].groups.add(crew)
    people["second"].groups.add(crew)
    for person in (None, people["reviewer"], people["second"]):
        for group in (None, crew, other):
            for is_restricted in (True, False):
                FlowGrant.objects.all().delete()
                for flow in Flow.objects.all():
                    if person is not None:
                        FlowGrant.objects.create(flow=flow, person=person, rights=[RUN])
                    if group is not None and flow.pk == "asks":
                        FlowGrant.objects.create(flow=flow, group=group, rights=[])
                Flow.objects.update(is_restricted=is_restricted)
                for user in User.objects.all():
                    seen = {flow.pk for flow in Flow.objects.all() if VIEW in rights_on(user, flow)}
                    assert set(Draft.objects.filter(of_visible_flow(user)).values_list("pk", flat=True)) == seen
                    assert set(Flow.objects.visible_to(user).values_list("pk", flat=True)) == seen
                    versions = FlowVersion.objects.visible_to(user).values_list("flow_id", flat=True)
                    assert set(versions) == seen
                    if user.username in ("second", "outsider", "admin"):
                        runs = set(Run.objects.visible_to(user).values_list("flow_id", flat=True))
                        assert runs == (seen if user.username != "outsider" else shared_with(user))
                        of_runs = StepRun.objects.visible_to(user).values_list("run__flow_id", flat=True)
                        assert set(of_runs) == runs


def shared_with(user: User) -> set[str]:
    return set(FlowGrant.objects.filter(group__in=user.groups.all()).values_list("flow_id", flat=True))


def test_whom_an_approval_names_decides_it_whoever_the_flow_is_for(
    restricted: Objects, people: dict[str, User], as_person: Callable[[str], Program]
):
    """The document's author chose them; they see that approval and its run, and nothing else of the flow."""
    path = restricted.path("api-approval")
    for field, value in (("assignees", ["second"]), ("group", "crew"), ("assignees", ["crew"])):
        Approval.objects.update(**{"assignees": [], "group": None, field: value})
        people["second"].groups.add(Group.objects.get_or_create(name="crew")[0])
        program = as_person("second")
        assert program.read(path)["may_decide"] is True
        assert program.get(restricted.path("api-run")).status_code == 200
        refusal(program.get("flows/asks/"), 404)
        refusal(program.post(restricted.path("api-run-cancel"), {}), 403)
        refusal(program.get(restricted.path("api-run", hidden=True)), 404)
        refusal(as_person("reviewer").get(path), 404)
    Approval.objects.update(assignees=["Second", "secon", 'x"second'], group=None)
    people["second"].groups.remove(Group.objects.get(name="crew"))
    refusal(as_person("second").get(path), 404)


def test_sharing_is_written_down_and_saying_it_again_is_not(
    objects: Objects, people: dict[str, User], as_person: Callable[[str], Program]
):
    program = as_person("analyst")
    said = {"restricted": True, "grants": [{"person": "reviewer", "rights": ["decide"]}]}
    for _ in range(2):
        answer = program.send("PUT", "flows/asks/sharing/", said)
        assert answer.status_code == 200
    assert answer.json() == {
        "restricted": True,
        "owner": "analyst",
        "grants": [{"person": "reviewer", "group": None, "rights": ["view", "decide"]}],
    }
    entry = AuditEntry.objects.get(action="flow-share")
    assert (entry.actor_name, entry.object_id) == ("analyst", "asks")
    assert entry.before == {"restricted": False, "grants": []}
    assert entry.after["grants"] == [{"person": "reviewer", "rights": ["view", "decide"]}]
    assert program.read("flows/asks/")["rights"] == ["view", "run", "edit", "publish", "share"]
    assert as_person("reviewer").read("flows/asks/")["rights"] == ["view", "decide"]


@pytest.mark.parametrize(
    ("grants", "told"),
    [
        ([{"person": "ghost", "rights": []}], "no person 'ghost'"),
        ([{"group": "ghosts", "rights": []}], "no group 'ghosts'"),
        ([{"person": "reviewer", "rights": ["own"]}], "own"),
        ([{"person": "reviewer", "group": "admin", "rights": []}], "one of the two"),
        ([{"rights": []}], "one of the two"),
        ([{"person": "reviewer", "rights": []}] * 2, "named twice"),
    ],
)
def test_sharing_with_nobody_that_is_there_changes_nothing(
    objects: Objects, analyst: Program, grants: list[Any], told: str
):
    error = refusal(analyst.send("PUT", "flows/asks/sharing/", {"restricted": True, "grants": grants}), 400)
    assert re.search(re.escape(told), error["message"]), error
    assert not Flow.objects.get(pk="asks").is_restricted and not FlowGrant.objects.exists()


def test_an_analyst_shares_their_own_flows_only(
    objects: Objects, people: dict[str, User], as_person: Callable[[str], Program]
):
    people["second"] = make_person("second", "analyst")
    error = refusal(as_person("second").send("PUT", "flows/asks/sharing/", {"restricted": False, "grants": []}), 403)
    assert "owner" in error["message"]
    people["analyst"].groups.clear()  # ownership is an analyst's
    refusal(as_person("analyst").send("PUT", "flows/asks/sharing/", {"restricted": False, "grants": []}), 404)


def test_a_flow_may_not_run_one_that_its_author_may_not_run(
    restricted: Objects, people: dict[str, User], as_person: Callable[[str], Program]
):
    node = {"id": "call", "type": "subflow", "config": {"flow": "large", "version": 1}}
    document = {"format": 1, "id": "outer", "nodes": [node], "edges": []}
    program = as_person("second")
    assert program.post("flows/", {"id": "outer", "document": document}).status_code == 201
    for refused in (
        program.post("flows/outer/versions/", {}),
        program.post("runs/", {"flow": "outer", "version": "draft"}),
    ):
        assert "large" in refusal(refused, 403)["message"]
    share([Grant("second", False, {RUN})])
    assert program.post("flows/outer/versions/", {}).status_code == 201


def test_an_archived_flow_is_not_changed_published_or_started(
    objects: Objects, people: dict[str, User], as_person: Callable[[str], Program]
):
    admin = as_person("admin")
    key = {"Idempotency-Key": "before"}
    started = admin.post("runs/", {"flow": "asks"}, **key).json()["id"]
    admin.post("flows/asks/archive/", {})
    refused = [("PATCH", "flows/asks/", {"name": "Other"}), ("POST", "flows/asks/versions/", {})]
    document = {"format": 1, "id": "asks", "nodes": [], "edges": []}
    refused += [("PUT", "flows/asks/draft/", {"revision": 1, "document": document})]
    refused += [("POST", "runs/", {"flow": "asks", **more}) for more in ({}, {"version": "draft"}, {"version": 1})]
    refused += [("POST", objects.path("api-run-again"), {}), ("POST", objects.path("api-run-fork"), {"seq": 3})]
    before = rows()
    for method, path, sent in refused:
        error = refusal(admin.send(method, path, sent), 400)
        assert error["code"] == "validation_failed" and "is archived" in error["message"], path
    assert rows() == before and Event.objects.exists() and Artifact.objects.exists()
    assert admin.read("flows/asks/")["rights"] == ["view", "decide", "share"]
    assert admin.post("runs/", {"flow": "asks"}, **key).json()["id"] == started  # sent again, it means the same run
    assert admin.post("flows/asks/duplicate/", {"id": "copy"}).status_code == 201
    assert admin.post(objects.path("api-run-cancel"), {}).status_code == 200
    admin.post("flows/asks/restore/", {})
    assert admin.post("runs/", {"flow": "asks"}).status_code == 201


def test_me_says_who_asks(
    people: dict[str, User], as_person: Callable[[str], Program], with_token: Callable[..., Program]
):
    people["reviewer"].groups.add(Group.objects.create(name="crew"))
    me = as_person("reviewer").read("me/")
    assert (me["username"], me["roles"], me["groups"]) == ("reviewer", ["reviewer"], ["crew"])
    assert me["team_rights"] == ["decide", "view"] and me["token"] is None
    assert me["rights"] == {"make_flows": False, "archive_flows": False, "manage_people": False}
    of_token = with_token("admin", "read").read("me/")
    assert of_token["token"] == {"name": "a test", "scopes": ["read"]}
    assert of_token["rights"] == {"make_flows": True, "archive_flows": True, "manage_people": True}
    assert as_person("outsider").read("me/")["roles"] == []
