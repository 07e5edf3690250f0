"""The inbox: exactly what was stored, one decision for each request, and honest words for who comes second."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from runner.models import Approval, Decision, Run, StepRun, to_ms
from runner.samples.models import LedgerEntry
from runner.services.runs import actor_of, cancel_run, retry_step
from tests.integration.pages.samples import ASKS, PAYS
from tests.support.flows import begin, decide, make_person, publish, work_on


@pytest.fixture
def client(client_of: Callable[..., Client]) -> Client:
    return client_of("reviewer")


@pytest.fixture
def payment(people: dict[str, User]) -> Run:
    """A run that waits for a decision about a payment of 900."""
    return begin(publish(PAYS, people["analyst"]), people["analyst"])


@pytest.fixture
def question(people: dict[str, User]) -> Run:
    """A run that waits for the form of an approval node."""
    return begin(publish(ASKS, people["analyst"]), people["analyst"])


# The ledger books on a connection of its own, so rows must be committed.
pytestmark = pytest.mark.django_db(transaction=True)


def approval_of(run: Run) -> Approval:
    return Approval.objects.filter(run=run).latest("created_at")


def card(client: Client, run: Run) -> str:
    return client.get(reverse("approval", args=[approval_of(run).pk])).content.decode()


def send(client: Client, run: Run, verdict: str, **fields: Any) -> tuple[int, str]:
    """Decide as the card's form does; gives the status code and the page."""
    approval = approval_of(run)
    data = {"verdict": verdict, "digest": approval.digest, **fields}
    response = client.post(reverse("decide", args=[approval.pk]), data)
    return response.status_code, unescape(response.content.decode())


def error_at(page: str, field: str) -> str:
    found = re.search(rf'<ul class="errors" id="id_{field}_error">(.*?)</ul>', page, re.S)
    return found[1] if found else ""


def test_a_request_of_a_try_says_so_as_lists_of_runs_do(client: Client, payment: Run) -> None:
    Run.objects.filter(pk=payment.pk).update(trial=["pay"], given_ends={"before": []})
    with CaptureQueriesContext(connection) as asked:
        listed = client.get(reverse("inbox")).content.decode()
    assert "try of pay" in listed and "try of pay" in card(client, payment)
    # What stood in for other steps may be long, and no list shows it.
    assert not any("given_ends" in one["sql"] for one in asked.captured_queries)


def test_open_approvals_are_counted_and_listed(
    payment: Run, question: Run, client: Client, client_of: Callable[..., Client]
) -> None:
    page = client.get("/inbox/").content.decode()
    assert re.search(r'data-inbox-count="open">2<', page)
    assert "Pay the vendor" in page and "Go on?" in page
    assert page.index("Pay the vendor") < page.index("Go on?"), "who waits longest comes first"
    assert 'data-inbox-count="open" hidden>' in client_of("outsider").get("/inbox/").content.decode()


def test_what_one_may_decide_is_apart_from_what_waits_for_others(
    payment: Run, question: Run, client: Client, client_of: Callable[..., Client]
) -> None:
    analyst = client_of("analyst")
    page = analyst.get("/inbox/").content.decode()
    assert "Nothing waits for you" in page and 'href="/inbox/team/"' in page and "Pay the vendor" not in page
    assert "Pay the vendor" in analyst.get("/inbox/team/").content.decode()
    assert analyst.get("/inbox/count/").json() == {"open": "", "approvals": "", "reviews": ""}
    assert client.get("/inbox/count/").json() == {"open": "2", "approvals": "2", "reviews": ""}
    mine = client.get("/inbox/").content.decode()
    assert "Pay the vendor" in mine and "Cannot be repeated" not in mine


def test_what_expires_first_comes_first(payment: Run, question: Run, client: Client) -> None:
    Approval.objects.filter(run=question).update(expires_at=to_ms(approval_of(payment).created_at) + 1_000)
    Approval.objects.filter(run=payment).update(expires_at=None)
    page = client.get("/inbox/").content.decode()
    assert page.index("Go on?") < page.index("Pay the vendor")


def test_a_call_that_cannot_be_repeated_is_marked(
    payment: Run, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from runner.views import inbox

    tool = inbox.CATALOG.tool("pay_invoice")
    assert tool is not None
    monkeypatch.setattr(inbox, "CATALOG", _Catalog(replace(tool, effect="at_most_once")))
    assert "Cannot be repeated" in client.get("/inbox/").content.decode()


class _Catalog:
    """A catalog of one tool."""

    def __init__(self, tool: Any) -> None:
        self.only = tool

    def tool(self, name: str) -> Any:
        return self.only if name == self.only.name else None


def test_an_approval_of_another_group_is_neither_seen_nor_decided(
    people: dict[str, User], client: Client, client_of: Callable[..., Client]
) -> None:
    document = PAYS | {"permissions": {"rules": [{"tool": "pay_*", "effect": "ask", "group": "finance"}]}}
    run = begin(publish(document, people["analyst"]), people["analyst"])
    people["fin"] = make_person("fin", "finance")
    assert client.get(reverse("approval", args=[approval_of(run).pk])).status_code == 404
    assert send(client, run, "approved")[0] == 404
    analyst = client_of("analyst")
    page = card(analyst, run)
    assert "This is for finance to decide" in page and "Your decision" not in page
    assert send(analyst, run, "approved")[0] == 403
    assert approval_of(run).status == "open"
    assert send(client_of("fin"), run, "approved")[0] == 302


def test_the_card_shows_exactly_what_is_stored(people: dict[str, User], client: Client) -> None:
    run = begin(publish(PAYS, people["analyst"]), people["analyst"], inputs={"vendor": "AC\u200bME <script>"})
    approval, page = approval_of(run), card(client, run)
    assert approval.digest in page
    assert '<span class="hidden-char" title="ZERO WIDTH SPACE">U+200B</span>' in page
    assert "\u200b" not in page and "<script>" not in page.replace('<script type="module"', "")
    text = unescape(re.sub(r"<[^>]+>", "", page))
    for shown in ("pay_invoice", '"AC', "900", '"DE89370400440532013000"'):
        assert shown in text
    assert "a rule of the flow: ask pay_*" in text
    assert "pay_invoice runs with exactly the arguments shown here" in text
    assert not re.findall(r'<input type="(?:radio|checkbox)"[^>]*name="verdict"', page), "nothing is chosen beforehand"


def test_approving_runs_the_call_with_the_stored_arguments(payment: Run, client: Client) -> None:
    status, _ = send(client, payment, "approved", comment="Fine.")
    assert status == 302
    run = work_on(payment.pk)
    assert run.status == "succeeded"
    assert LedgerEntry.objects.get().amount_cents == 90_000
    decision = Decision.objects.get()
    assert (decision.verdict, decision.comment, decision.actor["name"]) == ("approved", "Fine.", "reviewer")
    page = card(client, run)
    assert "Approved" in page and "What came of it" in page and "Succeeded" in page and "Your decision" not in page
    decided = client.get("/inbox/decided/").content.decode()
    assert "Pay the vendor" in decided and "reviewer decided" in decided
    assert "Nothing waits for you" in client.get("/inbox/").content.decode()


def test_a_rejection_needs_words_and_passes_them_on(payment: Run, client: Client) -> None:
    status, page = send(client, payment, "rejected", comment="  ")
    assert status == 400 and "Say why you reject" in error_at(page, "comment")
    assert approval_of(payment).status == "open"
    assert send(client, payment, "rejected", comment="Not this vendor")[0] == 302
    run = work_on(payment.pk)
    assert run.status == "failed" and run.error["details"]["comment"] == "Not this vendor"
    assert not LedgerEntry.objects.exists()


def test_changed_arguments_are_checked_and_both_are_kept(payment: Run, client: Client) -> None:
    approval = approval_of(payment)
    before = approval.value_of("arguments")
    status, page = send(client, payment, "approved_changed", arguments="{broken")
    assert status == 400 and "line 1" in error_at(page, "arguments")
    status, page = send(client, payment, "approved_changed", arguments="[1]")
    assert status == 400 and "JSON object" in error_at(page, "arguments")
    status, page = send(client, payment, "approved_changed", arguments='{"amount": -1}')
    assert status == 400 and "do not fit tool" in page
    assert approval_of(payment).status == "open"
    changed = str(before | {"amount": 450.5}).replace("'", '"')
    assert send(client, payment, "approved_changed", arguments=changed)[0] == 302
    assert work_on(payment.pk).status == "succeeded"
    assert LedgerEntry.objects.get().amount_cents == 45_050
    assert approval_of(payment).value_of("arguments") == before
    assert Decision.objects.get().value_of("arguments")["amount"] == 450.5
    assert "Changed arguments, as approved" in card(client, payment)


def test_a_plain_approval_does_not_use_what_stands_in_the_editor(payment: Run, client: Client) -> None:
    assert send(client, payment, "approved", arguments='{"amount": 1}')[0] == 302
    work_on(payment.pk)
    assert LedgerEntry.objects.get().amount_cents == 90_000


def test_a_decision_about_something_else_is_refused(payment: Run, client: Client) -> None:
    for digest in ("", "v1:" + "0" * 64):
        status, page = send(client, payment, "approved", digest=digest, comment="typed")
        assert status == 409 and "What you were shown is not what would run" in page
    assert send(client, payment, "happened")[0] == 400
    assert send(client, payment, "")[0] == 400
    assert approval_of(payment).status == "open" and not Decision.objects.exists()


def test_who_comes_second_reads_who_was_first_and_keeps_the_comment(
    people: dict[str, User], payment: Run, client: Client
) -> None:
    people["second"] = make_person("second", "reviewer")
    other = Client()
    other.force_login(people["second"])
    assert send(client, payment, "approved")[0] == 302
    status, page = send(other, payment, "rejected", comment="I would not")
    assert status == 409
    assert "reviewer has decided this already: approved" in page
    assert "I would not" in page and "Your decision was not taken" in page
    decision = Decision.objects.get()
    assert decision.at.isoformat().split("+")[0][:19] in page


def test_the_starter_may_be_kept_from_deciding(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    people["both"] = make_person("both", "analyst", "reviewer")
    own = begin(publish(ASKS, people["both"]), people["both"])
    assert "Your decision" in card(client_of("both"), own)


def test_a_form_has_a_control_for_each_simple_field(question: Run, client: Client) -> None:
    page = card(client, question)
    assert len(re.findall(r'type="radio" name="form-grade"', page)) == 2
    assert len(re.findall(r'type="radio" name="form-sure"', page)) == 3
    assert re.search(r'name="form-score"[^>]*inputmode="numeric"', page)
    assert re.search(r'<textarea name="form-more"[^>]*class="json"', page)
    assert "Look twice." in page and ">Grade" in page
    assert re.search(r'/steps/[0-9a-f]{32}/">before</a>', page), "what led here"


def test_a_form_is_checked_and_its_data_are_the_output(question: Run, client: Client) -> None:
    status, page = send(client, question, "approved")
    assert status == 400 and "required" in error_at(page, "form-grade")
    status, page = send(client, question, "approved", **{"form-grade": "0", "form-score": "11"})
    assert status == 400 and "/score" in page, "the schema itself judges"
    assert approval_of(question).status == "open"
    filled = {"form-grade": "1", "form-sure": "false", "form-score": "10", "form-more": '{"a": [1]}'}
    assert send(client, question, "approved", **filled)[0] == 302
    run = work_on(question.pk)
    assert run.value_of("result") == {"grade": "poor", "sure": False, "score": 10, "more": {"a": [1]}}
    assert "Answers" in card(client, run)


def test_a_rejection_needs_no_filled_in_form(question: Run, client: Client) -> None:
    assert send(client, question, "rejected", comment="No.")[0] == 302
    assert work_on(question.pk).error["code"] == "tool_denied"


def test_a_schema_without_a_simple_form_is_answered_in_json(people: dict[str, User], client: Client) -> None:
    document = {
        "id": "hard",
        "nodes": [
            {"id": "ask", "type": "approval", "config": {"title": "?", "form": {"oneOf": [{"required": ["a"]}]}}}
        ],
    }
    run = begin(publish(document, people["analyst"]), people["analyst"])
    assert 'name="form-whole"' in card(client, run)
    assert send(client, run, "approved", **{"form-whole": "{broken"})[0] == 400
    assert send(client, run, "approved", **{"form-whole": '{"a": 1}'})[0] == 302
    assert work_on(run.pk).value_of("result") == {"a": 1}


def test_an_unknown_outcome_offers_its_three_answers(people: dict[str, User], payment: Run, client: Client) -> None:
    paused = approval_of(payment)
    step = StepRun.objects.get(run=payment, path="pay")
    Approval.objects.filter(pk=paused.pk).update(kind="unknown", editable=False)
    page = card(client, payment)
    for word in ("It happened", "It did not happen", "Try again", "takes effect twice"):
        assert word in page
    assert "Reject" not in page
    status, page = send(client, payment, "happened", result="{broken")
    assert status == 400 and "line 1" in error_at(page, "result")
    assert send(client, payment, "happened", result='{"booked": true}', comment="seen in the bank")[0] == 302
    run = work_on(payment.pk)
    assert run.status == "succeeded"
    assert StepRun.objects.get(pk=step.pk).value_of("output") == {"booked": True}
    assert not LedgerEntry.objects.exists(), "the call is not made again"
    assert "Said to have happened" in client.get("/inbox/decided/").content.decode()


def test_what_is_withdrawn_with_its_run_says_so(people: dict[str, User], payment: Run, client: Client) -> None:
    cancel_run(payment.pk, actor=actor_of(people["analyst"]))
    page = card(client, payment)
    assert "Withdrawn" in page and "Your decision" not in page
    status, page = send(client, payment, "approved")
    assert status == 409 and "Your decision was not taken" in page


def test_each_retry_of_a_person_asks_anew(people: dict[str, User], payment: Run, client: Client) -> None:
    run = decide(payment, people["reviewer"], "rejected", comment="no")
    first = approval_of(run)
    retry_step(run.pk, StepRun.objects.get(run=run, path="pay").pk, actor=actor_of(people["analyst"]))
    work_on(run.pk)
    second = Approval.objects.get(run=run, status="open")
    assert second.pk != first.pk
    assert "Rejected" in client.get(reverse("approval", args=[first.pk])).content.decode()
    assert "Your decision" in client.get(reverse("approval", args=[second.pk])).content.decode()


def words_of(page: str) -> str:
    """What a page says, without its tags."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))


def test_the_card_marks_what_is_different_from_the_last_such_call(
    people: dict[str, User], payment: Run, client: Client
) -> None:
    assert "last such call" not in card(client, payment), "there was none"
    changed = approval_of(payment).value_of("arguments") | {"amount": 120}
    decide(payment, people["reviewer"], "approved", comment="As ever.", arguments=changed)
    # Others' flows, and other versions of this one, have such calls, too.
    other = begin(publish(PAYS | {"id": "others"}, people["analyst"]), people["analyst"], inputs={"vendor": "Other"})
    decide(other, people["reviewer"], "approved")
    again = begin(payment.version, people["analyst"], inputs={"vendor": "ACME\u200b"})
    page = card(client, again)
    text = words_of(page)
    assert "Since the last such call : 2 differences Approved by reviewer" in text
    assert 'was "ACME"' in text and "was 120" in text and page.count('class="difference"') == 2
    assert reverse("approval", args=[approval_of(payment).pk]) in page
    decide(again, people["reviewer"], "rejected", comment="no")
    third = begin(payment.version, people["analyst"], inputs={"vendor": "ACME\u200b"})
    assert "The arguments are the same. Rejected by reviewer" in words_of(card(client, third))


def test_sensitive_arguments_are_not_compared(people: dict[str, User], client: Client) -> None:
    hidden = PAYS | {"inputs": [{**PAYS["inputs"][0], "sensitive": True}]}
    first = begin(publish(hidden, people["analyst"]), people["analyst"])
    decide(first, people["reviewer"], "approved")
    page = words_of(card(client, begin(first.version, people["analyst"], inputs={"vendor": "Globex"})))
    assert "may hold something sensitive" in page and "ACME" not in page
    assert "Result covered: sensitive" in words_of(card(client, first))


def test_the_card_tells_who_approved_already_and_what_was_changed(people: dict[str, User], client: Client) -> None:
    rules = [{"tool": "pay_*", "effect": "ask", "editable": True, "approvals": 2}]
    run = begin(publish(PAYS | {"permissions": {"rules": rules}}, people["analyst"]), people["analyst"])
    page = words_of(card(client, run))
    assert "0 of 2 approvals" in page and "Counts as one of 2 approvals" in page and "Only" not in page
    changed = str(approval_of(run).value_of("arguments") | {"amount": 450}).replace("'", '"')
    assert send(client, run, "approved_changed", arguments=changed, comment="Less.")[0] == 302
    page = words_of(card(client, run))
    assert "1 of 2 approvals" in page and "reviewer approved" in page and "Less." in page and "was 900" in page
    assert (
        "You have approved it. 1 more to go." in page
        and "Nothing waits for you" in client.get("/inbox/").content.decode()
    )
    assert "1 of 2 approvals, one of them yours" in words_of(client.get("/inbox/team/").content.decode())
    status, page = send(client, run, "approved")
    assert status == 409 and "Somebody else has to, as well" in page
    other = Client()
    other.force_login(make_person("second", "reviewer"))
    assert send(other, run, "approved")[0] == 302
    assert work_on(run.pk).status == "succeeded" and LedgerEntry.objects.get().amount_cents == 45_000
    page = words_of(card(client, run))
    assert "What ran pay_invoice with the changed arguments above" in page and '"amount": 450' in page


def test_the_card_warns_where_too_few_may_approve(people: dict[str, User], client: Client) -> None:
    rules = [{"tool": "pay_*", "effect": "ask", "approvals": 5}]
    run = begin(publish(PAYS | {"permissions": {"rules": rules}}, people["analyst"]), people["analyst"])
    assert "Only 2 of the 5 people that are needed may decide this." in words_of(card(client, run))


def test_an_approval_is_handed_over_and_taken_back_on_its_card(
    people: dict[str, User], payment: Run, client: Client
) -> None:
    second, pk = make_person("second", "reviewer"), approval_of(payment).pk
    page = card(client, payment)
    assert re.findall(r'<option value="\d+">(\w+)', page) == ["admin", "second"]
    path = reverse("delegate-approval", args=[pk])
    for to in ("", people["analyst"].pk, people["reviewer"].pk):
        assert client.post(path, {"to": to}).status_code == 400
    assert client.get(path).status_code == 405
    answer = client.post(path, {"to": second.pk, "reason": "You know them."}, follow=True).content.decode()
    assert "It was handed to <strong>second</strong>" in answer and "You know them." in answer
    assert "Nothing waits for you" in client.get("/inbox/").content.decode()
    other = Client()
    other.force_login(second)
    assert "handed to you" in other.get("/inbox/").content.decode() and "handed to you" in card(other, payment)
    answer = client.post(reverse("take-back-approval", args=[pk]), follow=True).content.decode()
    assert "took it back from second" in words_of(answer) and "Pay the vendor" in client.get("/inbox/").content.decode()
    assert client.post(reverse("take-back-approval", args=[pk])).status_code == 400
    assert send(other, payment, "approved")[0] == 302
    assert client.post(path, {"to": people["admin"].pk}).status_code == 409
