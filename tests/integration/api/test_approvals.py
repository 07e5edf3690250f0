"""Approvals over the API: what is asked, and deciding about exactly that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from runner.models import Approval, Decision, Run
from tests.integration.api.conftest import Program, refusal
from tests.integration.pages.samples import ASKS, PAYS
from tests.support.flows import begin, publish, work_on


@pytest.fixture
def asking(people: dict[str, User]) -> Run:
    return begin(publish(ASKS, people["analyst"]), people["analyst"])


@pytest.fixture
def paying(people: dict[str, User]) -> Run:
    return begin(publish(PAYS, people["analyst"]), people["analyst"])


@pytest.fixture
def reviewer(as_person: Callable[[str], Program]) -> Program:
    return as_person("reviewer")


def approval_of(program: Program) -> dict[str, Any]:
    (one,) = program.read("approvals/")["items"]
    read: dict[str, Any] = program.read(f"approvals/{one['id']}/")
    assert {key: read[key] for key in one} == one
    return read


def test_open_approvals_are_listed_and_read_with_what_would_be_used(paying: Run, reviewer: Program):
    approval = approval_of(reviewer)
    assert (approval["kind"], approval["status"], approval["tool"], approval["run"]) == (
        "tool",
        "open",
        "pay_invoice",
        paying.pk,
    )
    assert approval["arguments"]["vendor"] == "ACME" and approval["editable"] is True
    assert approval["digest"].startswith("v1:") and approval["decision"] is None
    assert approval["may_decide"] is True and approval["refusal"] is None
    assert approval["flow"] == "pays"


def test_a_decision_is_made_once_and_about_what_was_read(asking: Run, reviewer: Program):
    approval = approval_of(reviewer)
    path = f"approvals/{approval['id']}/decision/"
    body = {"verdict": "approved", "digest": approval["digest"], "comment": "fine", "form": {"grade": "good"}}
    assert refusal(reviewer.post(path, {**body, "digest": "v1:0"}), 409)["code"] == "approval_digest_mismatch"
    error = refusal(reviewer.post(path, {**body, "form": {"grade": "bad"}}), 400)
    assert error["code"] == "validation_failed" and error["details"]["problems"]
    assert refusal(reviewer.post(path, {**body, "arguments": {}}), 400)["code"] == "validation_failed"
    assert refusal(reviewer.post(path, {**body, "verdict": "happened"}), 400)["code"] == "validation_failed"
    decided = reviewer.post(path, body)
    assert decided.status_code == 200
    assert (decided.json()["status"], decided.json()["may_decide"]) == ("approved", False)
    assert decided.json()["decision"] | {"at": ""} == {
        "verdict": "approved",
        "actor": {"kind": "user", "id": str(Decision.objects.get().actor["id"]), "name": "reviewer"},
        "at": "",
        "comment": "fine",
        "arguments": None,
        "form": {"grade": "good"},
    }
    error = refusal(reviewer.post(path, {**body, "verdict": "rejected"}), 409)
    assert error["code"] == "approval_already_decided" and error["details"]["verdict"] == "approved"
    assert Decision.objects.count() == 1
    assert work_on(asking.pk).status == "succeeded"


def test_a_reviewer_may_change_the_arguments_of_an_editable_call(paying: Run, reviewer: Program):
    approval = approval_of(reviewer)
    changed = {**approval["arguments"], "amount": 50}
    body = {"verdict": "approved", "digest": approval["digest"], "arguments": changed}
    assert reviewer.post(f"approvals/{approval['id']}/decision/", body).json()["decision"]["arguments"] == changed


def test_a_rejection_passes_the_words_on(asking: Run, reviewer: Program):
    approval = approval_of(reviewer)
    body = {"verdict": "rejected", "digest": approval["digest"], "comment": "not like this"}
    assert reviewer.post(f"approvals/{approval['id']}/decision/", body).json()["status"] == "rejected"
    run = work_on(asking.pk)
    assert run.status == "failed" and run.error["details"]["comment"] == "not like this"


def test_who_is_not_asked_may_look_and_is_told_why(
    asking: Run, paying: Run, analyst: Program, as_person: Callable[[str], Program]
):
    for run in (asking, paying):
        approval = Approval.objects.get(run=run)
        read = analyst.read(f"approvals/{approval.pk}/")
        assert read["may_decide"] is False and read["refusal"]["code"] == "permission_denied"
        body = {"verdict": "approved", "digest": approval.digest}
        assert refusal(analyst.post(f"approvals/{approval.pk}/decision/", body), 403)["code"] == "permission_denied"
        outsider = as_person("outsider")
        refusal(outsider.get(f"approvals/{approval.pk}/"), 404)
        refusal(outsider.post(f"approvals/{approval.pk}/decision/", body), 404)
    assert as_person("outsider").read("approvals/")["items"] == []
    assert not Decision.objects.exists()


def test_where_the_site_says_so_the_starter_does_not_decide(
    people: dict[str, User], as_person: Callable[[str], Program], settings: Any
):
    settings.SELF_APPROVAL = "no"
    begin(publish(PAYS, people["admin"]), people["admin"])
    admin = as_person("admin")
    approval = approval_of(admin)
    assert approval["refusal"]["code"] == "self_approval" and approval["may_decide"] is False
    body = {"verdict": "approved", "digest": approval["digest"]}
    assert refusal(admin.post(f"approvals/{approval['id']}/decision/", body), 403)["code"] == "self_approval"


def test_lists_by_status_and_run(asking: Run, paying: Run, reviewer: Program):
    def ids(query: str) -> list[str]:
        return [one["run"] for one in reviewer.read(f"approvals/?{query}")["items"]]

    assert ids("") == ids("status=open") == [asking.pk, paying.pk]
    assert ids(f"run={paying.pk}") == [paying.pk]
    approval = Approval.objects.get(run=paying)
    body = {"verdict": "rejected", "digest": approval.digest}
    reviewer.post(f"approvals/{approval.pk}/decision/", body)
    assert ids("status=open") == [asking.pk] and ids("status=rejected") == [paying.pk]
    page = reviewer.read("approvals/?limit=1")
    assert page["next"] is None
    refusal(reviewer.get("approvals/?run=x"), 400)


def test_a_token_decides_only_with_that_scope(asking: Run, with_token: Callable[..., Program]):
    approval = Approval.objects.get()
    body = {"verdict": "approved", "digest": approval.digest, "form": {"grade": "good"}}
    path = f"approvals/{approval.pk}/decision/"
    error = refusal(with_token("reviewer", "read", "run", "edit", "admin").post(path, body), 403)
    assert "decide" in error["message"]
    answer = with_token("reviewer", "decide").post(path, body)
    assert answer.status_code == 200 and answer.json()["decision"]["actor"]["kind"] == "token"
