"""Who may do what: every person at every endpoint on every kind of object. Endpoints come from the URLconf."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from editor.api.access import scope_of
from editor.comments import add_comment
from editor.invitations import invite
from editor.models import Flow
from editor.reviews import ask_review, set_reviewer
from editor.tokens import SCOPES, make_token
from runner.catalog import CATALOG
from runner.models import Approval, Artifact, Event, Run, StepRun
from runner.services.flow_tests import make_test
from runner.services.pins import pin_output
from runner.services.stops import stop
from tests.integration.api.conftest import Parts, Program, new_client, refusal
from tests.integration.pages.samples import ASKS, LARGE
from tests.support.flows import begin, publish

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
PEOPLE = ("outsider", "reviewer", "analyst", "admin")
ELSEWHERE = {"api-schema", "api-docs", "api-nowhere"}


def endpoints() -> dict[str, URLPattern]:
    """Every address below /api/, by its name."""
    found: dict[str, URLPattern] = {}

    def collect(resolver: URLResolver, prefix: str) -> None:
        for one in resolver.url_patterns:
            place = prefix + str(one.pattern)
            if isinstance(one, URLResolver):
                collect(one, place)
            elif place.lstrip("^").startswith("api/"):
                assert one.name and one.name not in found, f"An address of the API has no name of its own: {place}"
                found[one.name] = one

    collect(get_resolver(), "")
    return found


ENDPOINTS = {name: pattern for name, pattern in endpoints().items() if name not in ELSEWHERE}

# Who gets in: what an outsider, a reviewer, an analyst and an admin are answered; 0 is whatever is no refusal.
LIST = (0, 0, 0, 0)
MEMBERS = (404, 0, 0, 0)
STAFF = (404, 403, 0, 0)
ADMINS = (404, 403, 403, 0)
DECIDERS = (404, 0, 403, 0)
HIDDEN = (404, 404, 0, 0)  # what a reviewer does not see

DOCUMENT = {"format": 1, "id": "asks", "nodes": [], "edges": []}
STEPS = {**DOCUMENT, "nodes": [{"id": "before", "type": "one_of"}]}
RULED = {**DOCUMENT, "permissions": {"rules": [{"tool": "*", "effect": "ask"}]}}
RULES: dict[tuple[str, str], tuple[tuple[int, ...], Any]] = {
    ("api-checks", "POST"): ((403, 0, 0, 0), {"document": {}}),
    ("api-conversions", "POST"): ((403, 0, 0, 0), {"document": {}}),
    ("api-imports", "POST"): ((403, 403, 0, 0), {"document": {}, "id": "fresh"}),
    ("api-flow-open-runs", "GET"): (MEMBERS, None),
    ("api-run-document", "GET"): (MEMBERS, None),
    ("api-flows", "GET"): (LIST, None),
    ("api-flows", "POST"): ((403, 403, 0, 0), {"id": "fresh"}),
    # Before anything else changes the draft: whoever changed it does not decide about it.
    ("api-flow-review-decision", "POST"): (ADMINS, {"approve": True, "content_hash": "other"}),
    ("api-flow", "GET"): (MEMBERS, None),
    ("api-flow", "PATCH"): (STAFF, {"name": "Other"}),
    ("api-flow-archive", "POST"): (ADMINS, {}),
    ("api-flow-checks", "POST"): (MEMBERS, {}),
    ("api-explanations", "GET"): (LIST, None),
    ("api-flow-comments", "GET"): (MEMBERS, None),
    ("api-flow-comments", "POST"): (MEMBERS, {"node": "before", "text": "Why?"}),
    ("api-flow-comment", "PATCH"): (MEMBERS, {"resolved": True}),
    ("api-flow-description", "POST"): (MEMBERS, {}),
    ("api-flow-difference", "GET"): (MEMBERS, None),
    ("api-flow-draft", "GET"): (MEMBERS, None),
    ("api-flow-draft", "PUT"): (STAFF, {"revision": 1, "document": DOCUMENT}),
    ("api-flow-duplicate", "POST"): (STAFF, {"id": "fresh"}),
    ("api-flow-extractions", "POST"): (STAFF, {"document": STEPS, "nodes": ["before"], "id": "fresh"}),
    ("api-flow-names", "POST"): (MEMBERS, {"document": RULED, "rule": 0}),
    ("api-flow-pins", "GET"): (MEMBERS, None),
    ("api-flow-pin", "PUT"): (STAFF, {"output": 1}),
    ("api-flow-pin", "GET"): (MEMBERS, None),
    ("api-flow-pin", "DELETE"): (STAFF, None),
    ("api-flow-tries", "POST"): (MEMBERS, {"nodes": ["before"]}),
    ("api-flow-tries-start", "POST"): (STAFF, {"nodes": ["before"], "revision": 1}),
    ("api-flow-preview", "POST"): (MEMBERS, {"document": DOCUMENT, "kind": "template", "value": ""}),
    ("api-flow-review-setting", "GET"): (MEMBERS, None),
    ("api-flow-review-setting", "PUT"): (STAFF, {"person": "admin"}),
    ("api-flow-reviews", "GET"): (MEMBERS, None),
    ("api-flow-reviews", "POST"): (STAFF, {}),
    ("api-flow-restore", "POST"): (ADMINS, {}),
    ("api-flow-sharing", "GET"): (MEMBERS, None),
    ("api-flow-sharing", "PUT"): (STAFF, {"restricted": False, "grants": []}),
    ("api-flow-replays", "GET"): (MEMBERS, None),
    ("api-flow-replays", "POST"): (MEMBERS, {"runs": ["0" * 32]}),
    ("api-flow-tests", "GET"): (MEMBERS, None),
    ("api-flow-tests", "POST"): (STAFF, {"content": {"name": "another", "expect": {}}}),
    ("api-flow-tests-crash", "POST"): (MEMBERS, {"content": {"name": "not kept"}}),
    ("api-flow-tests-run", "POST"): (MEMBERS, {}),
    ("api-flow-test", "GET"): (MEMBERS, None),
    ("api-flow-test", "PUT"): (STAFF, {"revision": 1, "content": {"name": "kept"}}),
    ("api-flow-test-file", "GET"): (MEMBERS, None),
    ("api-flow-test", "DELETE"): (STAFF, None),
    ("api-flow-versions", "GET"): (MEMBERS, None),
    ("api-flow-versions", "POST"): (STAFF, {}),
    ("api-flow-version", "GET"): (MEMBERS, None),
    ("api-approvals", "GET"): (LIST, None),
    ("api-approval", "GET"): (MEMBERS, None),
    ("api-approval-delegation", "POST"): (DECIDERS, {"to": "admin"}),
    ("api-approval-delegation", "DELETE"): (DECIDERS, None),
    ("api-approval-decision", "POST"): (DECIDERS, {"verdict": "rejected", "digest": ""}),
    **{
        (f"api-catalog-{part}", "GET"): (MEMBERS, None)
        for part in ("document-schema", "handlers", "models", "node-types", "roles", "skills", "tools")
    },
    ("api-invitations", "GET"): (ADMINS, None),
    ("api-invitations", "POST"): (ADMINS, {"role": "analyst"}),
    ("api-invitation", "DELETE"): (ADMINS, None),
    ("api-me", "GET"): (LIST, None),
    ("api-people", "GET"): (ADMINS, None),
    ("api-person", "GET"): (ADMINS, None),
    ("api-person", "PATCH"): (ADMINS, {"groups": ["reviewer"], "active": True}),
    ("api-runs", "GET"): (LIST, None),
    ("api-runs-counts", "GET"): (LIST, None),
    ("api-runs", "POST"): (STAFF, {"flow": "asks"}),
    ("api-runs-with-files", "POST"): (STAFF, Parts(request='{"flow": "asks"}')),
    ("api-run", "GET"): (MEMBERS, None),
    ("api-run-artifacts", "GET"): (MEMBERS, None),
    ("api-run-artifact-content", "GET"): (HIDDEN, None),
    ("api-run-compare", "GET"): (MEMBERS, None),
    ("api-run-cancel", "POST"): (STAFF, {}),
    ("api-run-events", "GET"): (MEMBERS, None),
    ("api-run-again", "POST"): (STAFF, {}),
    ("api-run-fork-plan", "GET"): (MEMBERS, None),
    ("api-run-fork", "POST"): (STAFF, {"seq": 3}),
    ("api-run-move", "POST"): (STAFF, {"version": 1}),
    ("api-run-observed", "POST"): (MEMBERS, {}),
    ("api-run-pause", "POST"): (STAFF, {}),
    ("api-run-resume", "POST"): (STAFF, {}),
    ("api-run-verify", "POST"): (ADMINS, {}),
    ("api-run-recording", "POST"): (MEMBERS, {}),
    ("api-run-signals", "POST"): (STAFF, {"key": "go"}),
    ("api-run-state", "GET"): (MEMBERS, None),
    ("api-run-steps", "GET"): (MEMBERS, None),
    ("api-run-step", "GET"): (MEMBERS, None),
    ("api-run-step-retry", "POST"): (STAFF, {}),
    ("api-stops", "GET"): (LIST, None),
    ("api-stops", "POST"): ((403, 403, 403, 0), {"scope": "tool", "target": "send_answer", "reason": "a test"}),
    ("api-stop-release", "POST"): (ADMINS, {"note": "a test"}),
    ("api-stuck", "GET"): (ADMINS, None),
}


_QUERIES = {"api-flow-difference": "?before=1", "api-run-fork-plan": "?seq=3"}


@dataclass
class Objects:
    """A run that asks reviewers, one that they do not see, and what is in them."""

    asking: dict[str, str]
    hidden: dict[str, str]

    def path(self, name: str, *, hidden: bool = False) -> str:
        """The path of an endpoint behind /api/, about these objects."""
        known = self.hidden if hidden or name == "api-run-artifact-content" else self.asking
        values = {key: known.get(key, "0" * 32) for key in ENDPOINTS[name].pattern.converters}
        return reverse(name, kwargs=values).removeprefix("/api/") + _QUERIES.get(name, "")


def _review(people: dict[str, User]) -> str:
    """One that the admin is asked for; it is about the draft, which the analyst wrote."""
    flow = Flow.objects.get(pk="asks")
    set_reviewer(flow, person="admin", by=people["analyst"])
    asked = ask_review(flow, content_hash="v1:0", skills_hash="", by=people["analyst"])
    return str(asked.pk)


def _pinned(people: dict[str, User]) -> str:
    pin_output(Flow.objects.get(pk="asks"), "before", output=1, by=people["analyst"], catalog=CATALOG)
    return "before"


@pytest.fixture
def objects(people: dict[str, User]) -> Objects:
    asking = begin(publish(ASKS, people["analyst"]), people["analyst"])
    hidden = begin(publish(LARGE, people["analyst"]), people["analyst"])
    return Objects(
        {
            "flow_id": "asks",
            "number": "1",
            "run_id": asking.pk,
            "other_id": asking.pk,
            "step_id": StepRun.objects.get(run=asking, path="before").pk,
            "review_id": _review(people),
            "comment_id": str(
                add_comment(Flow.objects.get(pk="asks"), node="before", text="Why?", by=people["analyst"]).pk
            ),
            "node": _pinned(people),
            "test_id": str(make_test(Flow.objects.get(pk="asks"), {"name": "kept"}, by=people["analyst"]).pk),
            "approval_id": Approval.objects.get().pk,
            "person_id": str(people["outsider"].pk),
            "link_id": str(invite(role="analyst", by=people["admin"]).row.pk),
            "stop_id": str(stop("tool", "pay_invoice", reason="a test", user=people["admin"]).pk),
        },
        {
            "run_id": hidden.pk,
            "other_id": hidden.pk,
            "step_id": StepRun.objects.get(run=hidden, path="keep").pk,
            "artifact_id": Artifact.objects.get(run=hidden).pk,
        },
    )


def rows() -> dict[str, Any]:
    """What must not change by looking, or by being refused."""
    return {
        "runs": sorted(Run.objects.values_list("pk", "rev", "status", "seq")),
        "steps": sorted(StepRun.objects.values_list("pk", "status", "fence")),
        "events": Event.objects.count(),
        "approvals": sorted(Approval.objects.values_list("pk", "status")),
    }


def body(name: str, method: str) -> Any:
    given = RULES[name, method][1]
    if name == "api-approval-decision":
        return {**given, "digest": Approval.objects.get().digest}
    return given


def test_every_endpoint_and_method_has_a_rule():
    offered = {
        (name, method)
        for name, pattern in ENDPOINTS.items()
        for method in METHODS
        if hasattr(pattern.callback.view_class, method.lower())  # type: ignore[attr-defined]
    }
    assert offered == set(RULES)


@pytest.mark.parametrize(("name", "method"), RULES, ids=lambda part: str(part))
def test_each_person_gets_what_the_rule_says(
    name: str, method: str, objects: Objects, as_person: Callable[[str], Program], with_token: Callable[..., Program]
):
    path = objects.path(name)
    for person, expected in zip(PEOPLE, RULES[name, method][0], strict=True):
        before, sent = rows(), body(name, method)
        answer = as_person(person).send(method, path, sent)
        if expected:
            error = refusal(answer, expected)
            assert error["code"] == ("not_found" if expected == 404 else "permission_denied"), person
            assert rows() == before, person
        else:
            assert answer.status_code not in (401, 403, 404, 500), (person, answer.content)
    with_its_scope = with_token("admin", needed_scope(name, method))
    assert with_its_scope.send(method, path, body(name, method)).status_code not in (401, 403, 404, 500)


def needed_scope(name: str, method: str) -> str:
    return scope_of(ENDPOINTS[name].callback.view_class, method)  # type: ignore[attr-defined]


@pytest.fixture
def nothing_changes(objects: Objects) -> Iterator[Objects]:
    """The objects; afterwards nothing about them may have changed."""
    before = rows()
    yield objects
    assert rows() == before


def test_what_a_reviewer_does_not_see_is_not_there(nothing_changes: Objects, as_person: Callable[[str], Program]):
    of_runs = [rule for rule in RULES if rule[0].startswith("api-run") and not rule[0].startswith("api-runs")]
    for person in ("outsider", "reviewer"):
        program = as_person(person)
        for name, method in of_runs:
            refusal(program.send(method, nothing_changes.path(name, hidden=True), body(name, method)), 404)


def test_a_stranger_and_a_wrong_token_get_401(nothing_changes: Objects, db: None):
    wrong = ("Bearer", "Bearer x", "bearer fst_00_x", "Bearer fst_0011223344_x", "Bearer fst_0011223344_ü")
    for name in ENDPOINTS:
        for method in METHODS:
            for text in (None, *wrong):
                headers = {} if text is None else {"Authorization": text}
                answer = Program(new_client()).send(method, nothing_changes.path(name), {}, **headers)
                assert refusal(answer, 401)["code"] == "permission_denied"
                assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_token_in_an_address_opens_nothing(people: dict[str, User]):
    text = make_token(people["admin"], name="a test", scopes=tuple(SCOPES)).text
    for name in ("token", "access_token", "api_key", "Authorization"):
        refusal(Program(new_client()).get(f"runs/?{name}={text}"), 401)


def test_other_methods_are_405(nothing_changes: Objects, as_person: Callable[[str], Program]):
    admin = as_person("admin")
    for name in ENDPOINTS:
        for method in (*METHODS, "OPTIONS"):
            if (name, method) not in RULES:
                answer = admin.send(method, nothing_changes.path(name), {})
                refused = refusal(answer, 405)
                assert refused["code"] == "validation_failed"
                assert [one for one in refused["details"]["allowed"] if one != "HEAD"] == [
                    one for one in METHODS if (name, one) in RULES
                ]
                assert method not in answer.headers["Allow"].replace("OPTIONS", "")


def test_changes_by_a_session_need_its_csrf_token(nothing_changes: Objects, people: dict[str, User]):
    client = new_client(csrf=True)
    client.force_login(people["admin"])
    for name, method in RULES:
        if method != "GET":
            answer = Program(client).send(method, nothing_changes.path(name), body(name, method))
            assert "CSRF" in refusal(answer, 403)["message"], name


def test_a_session_with_its_csrf_token_may_change(objects: Objects, people: dict[str, User]):
    client = new_client(csrf=True)
    client.force_login(people["admin"])
    client.get("/tokens/")
    headers = {"X-CSRFToken": client.cookies["flowsite_csrf"].value}
    assert Program(client).send("POST", objects.path("api-run-cancel"), {}, **headers).status_code == 200


def test_a_token_opens_only_what_it_is_for(nothing_changes: Objects, with_token: Callable[..., Program]):
    programs = {scope: with_token("admin", *(one for one in SCOPES if one != scope)) for scope in SCOPES}
    for name, method in RULES:
        needed = needed_scope(name, method)
        error = refusal(programs[needed].send(method, nothing_changes.path(name), body(name, method)), 403)
        assert f"“{needed}”" in error["message"], name


def test_looking_changes_nothing_and_is_kept_in_no_cache(nothing_changes: Objects, as_person: Callable[[str], Program]):
    admin = as_person("admin")
    for name, method in RULES:
        if method == "GET":
            for looking in ("GET", "HEAD"):
                answer = admin.send(looking, nothing_changes.path(name))
                assert answer.status_code == 200, name
                assert "no-store" in answer.headers["Cache-Control"]


def test_an_address_that_leads_nowhere_says_so_in_json(analyst: Program):
    for path in ("", "nothing/", "flows", "runs/x", "flows/a.b/", "runs//", "flows/a/versions/x/"):
        for method in METHODS:
            assert refusal(analyst.send(method, path), 404)["code"] == "not_found"
