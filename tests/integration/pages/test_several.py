"""Several approvals that are alike, decided on one page: each bound to what was shown, each a decision of its own."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from runner.models import Approval, Decision, Event, Run
from runner.services import deciding_several
from tests.integration.pages.samples import PAYS
from tests.support.flows import begin, decide, publish

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def payments(people: dict[str, User]) -> list[Approval]:
    """Three calls of one tool by one version, for three vendors."""
    version = publish(PAYS, people["analyst"])
    runs = [begin(version, people["analyst"], inputs={"vendor": name}) for name in ("ACME", "Bolt", "Crux")]
    return [Approval.objects.get(run=run) for run in runs]


@pytest.fixture
def reviewer(client_of: Callable[..., Client]) -> Client:
    return client_of("reviewer")


def address(approval: Approval) -> str:
    return reverse("decide-several", args=[approval.pk])


def send(client: Client, first: Approval, chosen: list[Approval], verdict: str, **more: str) -> tuple[int, str]:
    given: dict[str, Any] = {"chosen": [one.pk for one in chosen], "verdict": verdict}
    given |= {f"digest-{one.pk}": one.digest for one in chosen} | more
    answer = client.post(address(first), given)
    return answer.status_code, unescape(answer.content.decode())


def statuses(approvals: list[Approval]) -> list[str]:
    return [Approval.objects.get(pk=one.pk).status for one in approvals]


def test_what_differs_is_in_a_table_and_the_rest_is_said_once(payments: list[Approval], reviewer: Client) -> None:
    card = reviewer.get(reverse("approval", args=[payments[0].pk])).content.decode()
    assert "Decide 3 such calls together" in card and address(payments[0]) in card
    page = reviewer.get(address(payments[0])).content.decode()
    table = page[page.index("What differs") :]
    assert all(name in table for name in ("ACME", "Bolt", "Crux"))
    assert "DE89370400440532013000" not in table and page.count("DE89370400440532013000") == 1
    assert " checked" not in page, "nothing is chosen beforehand"


def test_calls_that_are_the_same_in_everything_are_said_to_be(people: dict[str, User], reviewer: Client) -> None:
    version = publish(PAYS, people["analyst"])
    runs = [begin(version, people["analyst"], inputs={"vendor": "ACME"}) for _ in range(2)]
    page = reviewer.get(address(Approval.objects.get(run=runs[0]))).content.decode()
    assert "The calls are the same in everything." in page
    begin(version, people["analyst"], inputs={"vendor": "Bolt"})
    assert "the same in everything" not in reviewer.get(address(Approval.objects.get(run=runs[0]))).content.decode()


def test_a_card_counts_those_alike_and_reads_none_of_them(payments: list[Approval], people: dict[str, User]) -> None:
    with CaptureQueriesContext(connection) as captured:
        assert deciding_several.how_many_alike(payments[0], people["reviewer"]) == 3
    assert not any('"arguments"' in one["sql"] or '"document"' in one["sql"] for one in captured.captured_queries)


def test_each_that_was_ticked_is_a_decision_of_its_own(payments: list[Approval], reviewer: Client) -> None:
    status, page = send(reviewer, payments[0], payments[:2], "approved", comment="Both are right")
    assert status == 200 and page.count("Decided:") == 2
    assert statuses(payments) == ["approved", "approved", "open"]
    assert [one.comment for one in Decision.objects.all()] == ["Both are right"] * 2
    assert Event.objects.filter(type="approval-decided").values("run").distinct().count() == 2


def test_one_that_is_refused_hurts_no_other(
    payments: list[Approval], people: dict[str, User], reviewer: Client
) -> None:
    decide(Run.objects.get(pk=payments[1].run_id), people["admin"], "rejected", comment="no")
    changed = {f"digest-{payments[2].pk}": "v1:something else"}
    status, page = send(reviewer, payments[0], payments, "approved", **changed)
    assert status == 200 and page.count("Decided:") == 1 and page.count("Not decided") == 2
    assert "admin has decided this already" in page and "is not what would run" in page
    assert statuses(payments) == ["approved", "rejected", "open"]


def test_what_makes_no_sense_decides_nothing(
    payments: list[Approval], people: dict[str, User], reviewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Approval.objects.get(run=begin(publish({**PAYS, "id": "others"}, people["analyst"]), people["analyst"]))
    assert send(reviewer, payments[0], [], "approved")[0] == 400
    assert send(reviewer, payments[0], payments, "happened")[0] == 400
    status, page = send(reviewer, payments[0], payments, "rejected", comment=" ")
    assert status == 400 and "Say why you reject" in page and page.count(" checked") == 3
    assert send(reviewer, payments[0], [payments[0], other], "approved")[0] == 400
    monkeypatch.setattr(deciding_several, "MOST", 2)
    assert send(reviewer, payments[0], payments, "approved")[0] == 400
    assert statuses([*payments, other]) == ["open"] * 4


def test_who_may_not_decide_finds_nothing_to_decide(payments: list[Approval], client_of: Callable[..., Client]) -> None:
    analyst = client_of("analyst")
    assert "Nothing like it waits for you" in analyst.get(address(payments[0])).content.decode()
    status, page = send(analyst, payments[0], payments, "approved")
    assert status == 200 and page.count("Not decided") == 3
    assert client_of("outsider").get(address(payments[0])).status_code == 404
    assert statuses(payments) == ["open"] * 3
