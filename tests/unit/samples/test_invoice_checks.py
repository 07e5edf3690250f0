"""What makes an invoice payable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import runner.samples
from runner.samples.invoice_checks import iban_problem, invoice_problems
from runner.samples.invoice_csv import read_invoices
from runner.samples.money import as_text, from_cents, to_cents, to_nearest_cent

GOOD: dict[str, Any] = {
    "line": 2, "number": "A-1", "vendor": "Ada", "iban": "DE89370400440532013000", "issued": "2026-03-04",
    "due": "2026-03-18", "currency": "EUR", "net": 100.1, "tax": 19.02, "total": 119.12,
}  # fmt: skip


def test_a_good_invoice_has_no_problems() -> None:
    assert invoice_problems(GOOD, {"A-2"}) == []


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"total": 119.13}, "Net 100.10 and tax 19.02 make 119.12, not 119.13."),
        ({"net": 0, "tax": 0, "total": 0}, "The total is not above zero."),
        ({"due": "2026-03-03"}, "It is due before it was issued."),
        ({"number": "A-2"}, "The number A-2 came earlier in this file."),
        ({"net": 100.123}, "100.123 is no amount in whole cents."),
        ({"iban": "DE89370400440532013001"}, "The check digits of the IBAN DE89370400440532013001 are wrong."),
    ],
)
def test_each_fault_is_named(fields: dict[str, Any], problem: str) -> None:
    assert problem in invoice_problems(GOOD | fields, {"A-2"})


def test_all_faults_are_named_at_once() -> None:
    bad = GOOD | {"total": -1, "iban": "x", "due": "2020-01-01", "number": "A-2"}
    assert len(invoice_problems(bad, {"A-2"})) == 5


@pytest.mark.parametrize(
    "iban",
    ["GB82WEST12345698765432", "DE89370400440532013000", "FR1420041010050500013M02606", "NO9386011117947",
     "MT84MALT011000012345MTLCAST001S"],
)  # fmt: skip
def test_account_numbers_that_are_right(iban: str) -> None:
    assert iban_problem(iban) is None


@pytest.mark.parametrize(
    "iban",
    ["", "DE", "DE8937040044053201300", "GB82WEST12345698765423", "de89370400440532013000",
     "DE89 3704 0044 0532 0130 00", "DE89370400440532013000'", "Ｄ" * 22],
)  # fmt: skip
def test_account_numbers_that_are_wrong(iban: str) -> None:
    assert iban_problem(iban)


def test_the_shipped_example_holds_one_invalid_invoice() -> None:
    path = Path(runner.samples.__file__).parent / "inputs" / "invoices-example.csv"
    invoices = read_invoices(path.read_text(encoding="utf-8"))["invoices"]
    assert [one["number"] for one in invoices if invoice_problems(one, ())] == ["2026-0420"]


def test_money_is_exact_in_cents() -> None:
    assert to_cents(0.1) + to_cents(0.2) == to_cents(0.3) == 30
    assert to_cents(1487.5) == 148_750 and from_cents(148_750) == 1487.5
    assert as_text(1234567.5, "EUR") == "1,234,567.50 EUR"
    assert to_nearest_cent(1234.5 * 0.1) == 12_345 and to_nearest_cent(1e300) == 10**15
    for wrong in (0.001, 1e300):
        with pytest.raises(ValueError):
            to_cents(wrong)
