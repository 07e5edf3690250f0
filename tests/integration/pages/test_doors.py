"""Who gets in: sign-in, what each person sees, and that looking changes nothing. Pages come from the URLconf."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import URLPattern, reverse

from editor.invitations import invite
from editor.models import Flow, VersionReview
from editor.reviews import ask_review, set_reviewer
from editor.tokens import make_token
from runner.models import Approval, Artifact, Event, Run, StepRun
from runner.services.saved_views import save_view
from runner.services.stops import stop
from runner.urls import urlpatterns
from tests.integration.pages.samples import ASKS, LARGE
from tests.support.flows import begin, publish

PUBLIC = ("sign-in", "sign-out", "join")
PATTERNS: list[URLPattern] = [pattern for pattern in urlpatterns if pattern.name not in PUBLIC]
LISTS = {
    "home",
    "flows",
    "runs",
    "run-news",
    "inbox",
    "inbox-decided",
    "inbox-team",
    "inbox-count",
    "inbox-reviews",
    "tokens",
    "profile",
    "search",
}
CHANGES = {
    "cancel-run", "pause-run", "resume-run", "send-signal", "retry-step", "decide", "delegate-approval",
    "take-back-approval", "revoke-token", "release-stop",
    "fork-run", "move-run", "run-again", "invite", "end-invitation", "add-group", "drop-group", "unlock-address",
    "check-run", "run-dossier", "note-review",
    "erase-person",
    "archive-flow", "restore-flow",
    "save-groups", "disable-person", "enable-person", "sign-out-person", "unlock-person", "send-password-link",
}  # fmt: skip
OF_ONESELF = {"save-profile", "save-password", "leave-everywhere", "save-view", "remove-view"}
"""Changes that everybody who is signed in makes to their own account."""
OF_FLOWS = {"flow", "start-run"}
OF_ADMINS = {"stops", "stuck", "team", "account", "audit", "audit-export"}


@pytest.fixture
def arguments(people: dict[str, User]) -> dict[str, str]:
    """A value for each name that a path may hold: of a run that an analyst started and an approval in it."""
    asking = begin(publish(ASKS, people["analyst"]), people["analyst"])
    return {
        "flow_id": "asks",
        "run_id": asking.pk,
        "other_id": asking.pk,
        "step_id": StepRun.objects.get(run=asking, path="before").pk,
        "approval_id": Approval.objects.get(run=asking).pk,
        "artifact_id": "0" * 32,
        "name": "output",
        "seq": "3",
        "number": "1",
        "stop_id": str(stop("tool", "pay_invoice", reason="a test", user=people["admin"]).pk),
        "token_id": str(make_token(people["analyst"], name="theirs", scopes=["read"]).row.pk),
        "person_id": str(people["analyst"].pk),
        "review_id": str(_review(people).pk),
        "group_id": str(Group.objects.create(name="crew").pk),
        "view_id": str(save_view(people["analyst"], "theirs", "status=failed").pk),
        "link_id": str(invite(role="analyst", by=people["admin"]).row.pk),
    }


def _review(people: dict[str, User]) -> VersionReview:
    flow = Flow.objects.get(pk="asks")
    set_reviewer(flow, person="reviewer", by=people["admin"])
    return ask_review(flow, content_hash="v1:1", skills_hash="", by=people["analyst"])


def path_of(pattern: URLPattern, arguments: dict[str, str]) -> str:
    names = pattern.pattern.converters
    values = {name: arguments[name] for name in names}
    if str(pattern.name).startswith("run-value"):
        values["name"] = "inputs"
    return reverse(str(pattern.name), kwargs=values)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_a_stranger_is_sent_to_the_sign_in_page(pattern: URLPattern, db: None) -> None:
    names = ("flow_id", "run_id", "other_id", "step_id", "approval_id", "artifact_id", "name")
    numbers = ("seq", "number", "view_id", "token_id", "stop_id", "person_id", "group_id", "link_id", "review_id")
    path = path_of(pattern, {**dict.fromkeys(names, "x"), **dict.fromkeys(numbers, "1")})
    response = Client().get(path)
    assert (response.status_code, response.headers["Location"]) == (302, f"/sign-in/?next={path}")


def test_an_outsider_finds_nothing_anywhere(arguments: dict[str, str], client_of: Callable[..., Client]) -> None:
    client = client_of("outsider")
    for pattern in PATTERNS:
        path = path_of(pattern, arguments)
        if pattern.name in LISTS:
            page = client.get(path)
            assert page.status_code == 200
            assert arguments["run_id"][:8] not in page.content.decode()
        elif pattern.name in OF_ONESELF:
            continue
        elif pattern.name in CHANGES:
            assert client.post(path, {"verdict": "approved"}).status_code == 404, path
        else:
            assert client.get(path).status_code == (403 if pattern.name == "new-flow" else 404), path
    assert Approval.objects.get().status == "open"


def test_each_role_sees_what_it_should(arguments: dict[str, str], client_of: Callable[..., Client]) -> None:
    for role in ("analyst", "reviewer", "admin"):
        client = client_of(role)
        for pattern in PATTERNS:
            if pattern.name in CHANGES | OF_ONESELF | {"artifact", "artifact-preview"}:
                continue
            expected = 403 if role == "reviewer" and pattern.name in ("start-run", "new-flow") else 200
            if pattern.name in OF_ADMINS and role != "admin":
                expected = 403
            assert client.get(path_of(pattern, arguments)).status_code == expected, (role, pattern.name)


def test_a_reviewer_does_not_see_runs_that_ask_nothing_of_reviewers(
    people: dict[str, User], client_of: Callable[..., Client]
) -> None:
    run = begin(publish(LARGE, people["analyst"]), people["analyst"])
    artifact = Artifact.objects.get(run=run)
    client = client_of("reviewer")
    assert client.get(reverse("run", args=[run.pk])).status_code == 404
    assert client.get(reverse("run-parts", args=[run.pk])).status_code == 404
    assert client.get(reverse("run-events", args=[run.pk])).status_code == 404
    assert client.get(reverse("artifact", args=[run.pk, artifact.pk])).status_code == 404
    assert run.pk[:8] not in client.get(reverse("runs")).content.decode()


def test_a_reviewer_controls_no_run(arguments: dict[str, str], client_of: Callable[..., Client]) -> None:
    client = client_of("reviewer")
    for name in ("fork-run", "move-run", "run-again", "cancel-run", "pause-run", "resume-run", "send-signal"):
        assert client.post(reverse(name, args=[arguments["run_id"]])).status_code == 403
    assert client.post(reverse("start-run", args=["asks"])).status_code == 403
    assert Run.objects.get().status == "awaiting_approval"


def rows() -> dict[str, Any]:
    return {
        "runs": list(Run.objects.values_list("pk", "rev", "status", "seq")),
        "steps": list(StepRun.objects.values_list("pk", "status", "fence")),
        "events": Event.objects.count(),
        "approvals": list(Approval.objects.values_list("pk", "status")),
    }


def test_looking_at_pages_changes_nothing(arguments: dict[str, str], client_of: Callable[..., Client]) -> None:
    client, before = client_of("admin"), rows()
    for pattern in PATTERNS:
        path = path_of(pattern, arguments)
        for response in (client.get(path), client.head(path)):
            if pattern.name in CHANGES | OF_ONESELF:
                assert response.status_code == 405, path
    assert rows() == before


def test_changes_need_a_token(arguments: dict[str, str], client_of: Callable[..., Client]) -> None:
    client, before = client_of("admin", csrf=True), rows()
    for pattern in PATTERNS:
        if pattern.name in CHANGES | OF_ONESELF | {"start-run", "stops", "flow-sharing", "decide-several"}:
            assert client.post(path_of(pattern, arguments), {"verdict": "approved"}).status_code == 403
    assert rows() == before


def test_sign_in_follows_next_only_to_this_site(people: dict[str, User]) -> None:
    for target, expected in (
        ("/runs/", "/runs/"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("javascript:alert(1)", "/"),
        ("/\\evil.example", "/"),
    ):
        client = Client()
        sent = {"username": "analyst", "password": "correct horse battery staple", "next": target}
        response = client.post("/sign-in/", sent)
        assert (response.status_code, response.headers["Location"]) == (302, expected), target


def test_a_wrong_password_is_told_without_saying_what_was_wrong(people: dict[str, User]) -> None:
    answers = {
        re.sub(r'value="[^"]*"', "", Client().post("/sign-in/", {"username": name, "password": "no"}).content.decode())
        for name in ("analyst", "nobody")
    }
    assert len(answers) == 1
    assert "do not fit together" in answers.pop()


def test_signing_out_is_a_post(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    client = client_of("analyst")
    assert client.get("/sign-out/").status_code == 405
    assert client.get("/runs/").status_code == 200
    assert client.post("/sign-out/").status_code == 302
    assert client.get("/runs/").status_code == 302


def test_pages_hold_nothing_that_the_policy_forbids_and_are_kept_in_no_cache(
    arguments: dict[str, str], client_of: Callable[..., Client]
) -> None:
    client = client_of("admin")
    for pattern in PATTERNS:
        if pattern.name in CHANGES | OF_ONESELF | {
            "artifact",
            "artifact-preview",
            "step-value",
            "run-value",
            "run-events",
        }:
            continue
        response = client.get(path_of(pattern, arguments))
        text = response.getvalue().decode()
        assert not re.findall(r"<script(?![^>]*\b(?:src=|type=.application/json))[^>]*>", text), pattern.name
        assert not re.findall(r"<[^>]*\s(?:style|on[a-z]+)=", text), pattern.name
        assert "<style" not in text and "javascript:" not in text, pattern.name
        policy = response.headers["Content-Security-Policy"]
        assert "unsafe-inline" not in policy and "frame-ancestors 'none'" in policy
        assert response.headers["X-Frame-Options"] == "DENY"
        assert "no-store" in response.headers["Cache-Control"], pattern.name
