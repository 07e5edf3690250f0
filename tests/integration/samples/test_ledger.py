"""The ledger books each call once: under repetition, and under calls at the same moment."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import IntegrityError, connections, transaction

from runner.engine.errors import RunError
from runner.samples.ledger import KeyTakenError, book_payment
from runner.samples.models import LedgerEntry
from runner.tools import TOOLS, ToolContext
from runner.tools.calling import call_tool

pytestmark = pytest.mark.django_db

PAYMENT: dict[str, Any] = {
    "vendor": "Ada", "iban": "DE89370400440532013000", "amount": 119.12, "currency": "EUR", "invoice_number": "A-1",
    "review_above": 1000.0,
}  # fmt: skip


def pay(key: str, **changes: Any) -> Any:
    tool = TOOLS.get("pay_invoice")
    assert tool is not None
    return call_tool(tool, PAYMENT | changes, ToolContext(effect_key=key))


def test_a_payment_is_booked_to_the_cent() -> None:
    assert pay("k1") == {
        "entry": LedgerEntry.objects.get().pk, "vendor": "Ada", "amount": 119.12, "currency": "EUR",
        "invoice_number": "A-1",
    }  # fmt: skip
    entry = LedgerEntry.objects.get()
    assert (entry.amount_cents, entry.review_above_cents, entry.effect_key) == (11_912, 100_000, "k1")
    assert entry.booked_at is not None and str(entry) == "A-1: 119.12 EUR to Ada"


def test_the_same_call_again_gives_the_first_entry() -> None:
    assert pay("k1") == pay("k1") == pay("k1")
    assert LedgerEntry.objects.count() == 1


def test_another_call_for_the_same_invoice_is_another_payment() -> None:
    assert pay("k1")["entry"] != pay("k2")["entry"]


def test_one_key_cannot_stand_for_two_payments() -> None:
    pay("k1")
    with pytest.raises(RunError) as caught:
        pay("k1", amount=5)
    assert caught.value.code == "ledger_conflict"
    assert LedgerEntry.objects.get().amount_cents == 11_912
    with pytest.raises(KeyTakenError):
        book_payment("k1", vendor="Eve")


def test_a_payment_without_a_key_is_refused() -> None:
    with pytest.raises(RunError):
        pay("")
    assert not LedgerEntry.objects.exists()


@pytest.mark.parametrize(
    "changes",
    [{"amount": 0.001}, {"amount": 1e300}, {"iban": "DE00370400440532013000"}, {"currency": "Euro"}, {"amount": 0},
     {"amount": -5}, {"amount": "many"}, {"vendor": ""}, {"surprise": 1}],
)  # fmt: skip
def test_arguments_that_make_no_payment_book_nothing(changes: dict[str, Any]) -> None:
    with pytest.raises(RunError) as caught:
        pay("k1", **changes)
    assert caught.value.code == "tool_args_invalid"
    assert not LedgerEntry.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_calls_at_the_same_moment_book_one_entry_for_each_key() -> None:
    keys = [f"k{number % 4}" for number in range(16)]
    together = threading.Barrier(len(keys))

    def call(key: str) -> Any:
        try:
            together.wait(20)
            return pay(key)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(keys)) as pool:
        receipts = list(pool.map(call, keys))
    assert LedgerEntry.objects.count() == 4
    booked = dict(LedgerEntry.objects.values_list("effect_key", "pk"))
    assert [receipt["entry"] for receipt in receipts] == [booked[key] for key in keys]


def test_the_database_itself_refuses_a_second_entry_and_an_empty_payment() -> None:
    fields = {"vendor": "A", "iban": "X", "currency": "EUR", "invoice_number": "1", "review_above_cents": 0}
    LedgerEntry.objects.create(effect_key="k", amount_cents=1, **fields)
    for key, cents in (("k", 1), ("other", 0)):
        with pytest.raises(IntegrityError), transaction.atomic():
            LedgerEntry.objects.create(effect_key=key, amount_cents=cents, **fields)
