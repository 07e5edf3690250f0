"""The report: totals that add up, and text out of a file that stays text."""

from __future__ import annotations

from typing import Any

from runner.samples.handlers import summarize_invoices
from runner.samples.report import escaped, markdown_of, totals_of


def outcome(kind: str, number: str, amount: float, detail: Any, **more: Any) -> dict[str, Any]:
    return {"outcome": kind, "number": number, "vendor": "Ada", "amount": amount, "currency": "EUR", "detail": detail,
            **more}  # fmt: skip


OUTCOMES = [
    outcome("paid", "A-1", 0.1, 7),
    outcome("paid", "A-2", 0.2, 8),
    outcome("paid", "A-3", 5, 9, currency="CHF"),
    outcome("rejected", "A-4", 1487.5, ""),
    outcome("invalid", "A-5", 3, ["The total is wrong.", "So is the IBAN."]),
    outcome("failed", "A-6", 3, "The ledger is busy."),
]
BAD = [{"line": 9, "problems": ["total: it is empty", "due: it is empty"]}]


def test_totals_count_every_outcome_and_add_up_in_cents() -> None:
    assert totals_of(OUTCOMES, BAD) == {
        "invoices": 6, "paid": 3, "rejected": 1, "invalid": 1, "failed": 1, "unreadable": 1,
        "paid_amount": {"CHF": 5.0, "EUR": 0.3},
    }  # fmt: skip


def test_the_report_lists_each_invoice_once_under_its_outcome() -> None:
    assert (
        markdown_of("Invoices", "a.csv", 1000, OUTCOMES, BAD)
        == """\
# Invoices

Source: a.csv. Payments above 1,000.00 were put to a reviewer.

Invoices: 6. Paid in all: 5.00 CHF, 0.30 EUR.

## Paid (3)

| Invoice | Vendor | Amount | Ledger entry |
| --- | --- | --- | --- |
| A-1 | Ada | 0.10 EUR | 7 |
| A-2 | Ada | 0.20 EUR | 8 |
| A-3 | Ada | 5.00 CHF | 9 |

## Rejected by a reviewer (1)

| Invoice | Vendor | Amount | Reason |
| --- | --- | --- | --- |
| A-4 | Ada | 1,487.50 EUR | none given |

## Invalid (1)

| Invoice | Vendor | Amount | Problems |
| --- | --- | --- | --- |
| A-5 | Ada | 3.00 EUR | The total is wrong. So is the IBAN. |

## Not paid (1)

| Invoice | Vendor | Amount | Error |
| --- | --- | --- | --- |
| A-6 | Ada | 3.00 EUR | The ledger is busy. |

## Lines that could not be read (1)

| Line | Problems |
| --- | --- |
| 9 | total: it is empty; due: it is empty |
"""
    )


def test_a_file_without_invoices_says_so() -> None:
    assert "The file holds no invoices." in markdown_of("Invoices", "a.csv", 0, [], [])


def test_markup_in_a_vendors_name_stays_text() -> None:
    nasty = "<img src=x onerror=alert(1)> | [x](javascript:y)\n# Paid `a` ![b](c)"
    text = markdown_of("T", nasty, 1, [outcome("paid", nasty, 1, nasty, vendor=nasty)], [])
    assert "<img" not in text.replace("\\<", "") and "\n# Paid" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    assert all(line.replace("\\|", "").count("|") == 5 for line in rows)
    assert escaped("a|b\n\\c") == "a\\|b \\\\c"


def test_the_handler_gives_the_report_and_the_totals() -> None:
    state = {"outcomes": OUTCOMES, "batch": {"source": "a.csv", "bad_rows": BAD}, "review_above": 1000}
    reply = summarize_invoices(state, {"title": "Today"})
    assert reply["state"]["report"].startswith("# Today\n")
    assert reply["state"]["totals"] == reply["output"] == totals_of(OUTCOMES, BAD)
    assert set(reply["state"]) == {"report", "totals"}
