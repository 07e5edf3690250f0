"""The sample flow on real input: its file, its tools, its ledger, through the durable runner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from editor.models import FlowVersion
from runner.models import Approval, Artifact, Run, StepRun
from runner.samples.loading import copy_inputs, load_flows
from runner.samples.models import LedgerEntry
from runner.services.approvals import decide_approval
from runner.services.runs import actor_of, start_run
from runner.services.steps import run_segment
from runner.store.claims import pending_steps

pytestmark = pytest.mark.django_db(transaction=True)

BELOW = ("2026-0417", "2026-0419", "2026-0421")
ABOVE = ("2026-0418", "2026-0422")


@pytest.fixture(autouse=True)
def samples(tmp_path: Path, settings: Any) -> None:
    settings.INPUTS_FOLDER = tmp_path / "inputs"
    assert list(load_flows()) and list(copy_inputs())


@pytest.fixture
def reviewer() -> User:
    user = User.objects.create(username="rita")
    user.groups.add(Group.objects.get(name="reviewer"))
    return user


def start(**options: Any) -> Run:
    """Start a run and work on it until nothing is left but people."""
    analyst = User.objects.get_or_create(username="anna")[0]
    version = FlowVersion.objects.get(flow_id="invoice_approval", number=1)
    started = start_run(version, **({"inputs": {}} | options), actor=actor_of(analyst), user=analyst)
    return work_on(started.run_id)


def work_on(run_id: str) -> Run:
    for _ in range(1000):
        pending = pending_steps(run_id)
        if not pending:
            return Run.objects.get(pk=run_id)
        for step_id, _backend in pending:
            run_segment(step_id)
    raise AssertionError("the run does not come to rest")


def decide(run: Run, reviewer: User, verdict: str, **more: Any) -> Run:
    approval = Approval.objects.get(run=run, status="open")
    decide_approval(
        approval.pk, verdict=verdict, digest=approval.digest, actor=actor_of(reviewer), user=reviewer, **more
    )
    return work_on(run.pk)


def paid() -> dict[str, int]:
    return dict(LedgerEntry.objects.values_list("invoice_number", "amount_cents"))


def report(run: Run) -> str:
    return str(Artifact.objects.get(run=run, artifact="report").value_of("content"))


def test_approved_payments_are_made_and_everything_is_reported(reviewer: User) -> None:
    run = start()
    assert run.status == "awaiting_approval"
    approval = Approval.objects.get(run=run)
    assert (approval.tool, approval.group, approval.editable) == ("pay_invoice", "reviewer", True)
    assert approval.value_of("arguments")["invoice_number"] == ABOVE[0]
    assert set(paid()) == {BELOW[0]}, "what needs no reviewer was paid before the pause"
    run = decide(run, reviewer, "approved")
    assert run.status == "awaiting_approval"
    run = decide(run, reviewer, "approved")
    assert run.status == "succeeded"
    assert paid() == {
        "2026-0417": 41_650, "2026-0418": 148_750, "2026-0419": 97_580, "2026-0421": 11_400, "2026-0422": 290_400,
    }  # fmt: skip
    assert run.value_of("result") == {
        "invoices": 6, "paid": 5, "rejected": 0, "invalid": 1, "failed": 0, "unreadable": 0,
        "paid_amount": {"EUR": 5897.8},
    }  # fmt: skip
    text = report(run)
    assert "Paid in all: 5,897.80 EUR." in text
    assert (
        "| 2026-0420 | Van Dijk Logistiek | 671.60 EUR | Net 640.00 and tax 121.60 make 761.60, not 671.60. |" in text
    )
    assert Artifact.objects.get(run=run).filename == "invoice-report.md"


def test_rejected_and_changed_payments_are_reported_as_such(reviewer: User) -> None:
    run = start()
    run = decide(run, reviewer, "rejected", comment="Ordered by nobody.")
    stored = Approval.objects.get(run=run, status="open").value_of("arguments")
    run = decide(run, reviewer, "approved", arguments=stored | {"amount": 2000})
    assert run.status == "succeeded"
    assert ABOVE[0] not in paid() and paid()[ABOVE[1]] == 200_000
    assert "| 2026-0418 | Nordlicht Energie GmbH | 1,487.50 EUR | Ordered by nobody. |" in report(run)
    assert "| 2026-0422 | Costa Print S.L. | 2,000.00 EUR |" in report(run)


def test_the_limit_is_the_starters_and_the_preset_tightens_it() -> None:
    assert start(inputs={"limit": 5000}).status == "succeeded"
    assert Approval.objects.count() == 0
    run = start(inputs={"limit": 5000}, preset="strict")
    assert run.status == "awaiting_approval"
    assert Approval.objects.get(run=run).value_of("arguments")["review_above"] == 500


def test_invoices_given_as_text_need_no_file() -> None:
    text = "number,vendor,iban,issued,due,currency,net,tax,total\n" + "\n".join(
        [
            "T-1,Ada,DE89370400440532013000,2026-01-01,2026-02-01,EUR,10.00,1.90,11.90",
            "T-1,Ada,DE89370400440532013000,2026-01-01,2026-02-01,EUR,10.00,1.90,11.90",
            "T-3,Ada,DE89370400440532013000,yesterday,2026-02-01,EUR,10.00,1.90,11.90",
        ]
    )
    run = start(inputs={"csv_text": text, "file": "nowhere.csv"})
    assert run.status == "succeeded" and paid() == {"T-1": 1_190}
    assert "The number T-1 came earlier in this file." in report(run)
    assert "| 4 | issued: 'yesterday' is no date; write YYYY-MM-DD |" in report(run)


def test_a_file_that_is_not_there_fails_the_run_and_says_so() -> None:
    run = start(inputs={"file": "../flowsite.sqlite3"})
    assert run.status == "failed" and run.error["step"] == "read"
    assert "bare name" in run.error["message"] and not paid()


def test_each_payment_has_the_effect_key_of_its_step(reviewer: User) -> None:
    run = start(inputs={"limit": 5000})
    keys = set(LedgerEntry.objects.values_list("effect_key", flat=True))
    notes = [step.notes for step in StepRun.objects.filter(run=run, node="pay")]
    assert len(keys) == 5 and keys == {(note or {}).get("effect_key") for note in notes}
