"""The report on a batch of invoices: totals, and Markdown for people. It only reads what the steps gave."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from runner.samples.money import as_text, from_cents, to_cents

SECTIONS = (
    ("paid", "Paid", "Ledger entry"),
    ("rejected", "Rejected by a reviewer", "Reason"),
    ("invalid", "Invalid", "Problems"),
    ("failed", "Not paid", "Error"),
)
"""Outcome of an invoice, heading of its section, heading of its last column."""

_MARKUP = re.compile(r"([\\`*_\[\]<>#|~&!])")


def totals_of(outcomes: Sequence[Mapping[str, Any]], bad_rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Count outcomes, and add up what was paid in each currency."""
    cents: dict[str, int] = {}
    for one in outcomes:
        if one["outcome"] == "paid":
            cents[one["currency"]] = cents.get(one["currency"], 0) + to_cents(one["amount"])
    counts = {name: sum(one["outcome"] == name for one in outcomes) for name, _, _ in SECTIONS}
    return {
        "invoices": len(outcomes),
        **counts,
        "unreadable": len(bad_rows),
        "paid_amount": {currency: from_cents(amount) for currency, amount in sorted(cents.items())},
    }


def markdown_of(
    title: str,
    source: str,
    review_above: float,
    outcomes: Sequence[Mapping[str, Any]],
    bad_rows: Sequence[Mapping[str, Any]],
) -> str:
    """Write the report. Text out of the file is data: markup in it shows as it was written."""
    totals = totals_of(outcomes, bad_rows)
    paid = ", ".join(as_text(amount, currency) for currency, amount in totals["paid_amount"].items())
    parts = [
        f"# {escaped(title)}",
        f"Source: {escaped(source)}. Payments above {review_above:,.2f} were put to a reviewer.",
        f"Invoices: {totals['invoices']}. Paid in all: {paid or 'nothing'}.",
    ]
    for outcome, heading, last in SECTIONS:
        rows = [one for one in outcomes if one["outcome"] == outcome]
        if rows:
            parts.append(f"## {heading} ({len(rows)})")
            parts.append(_table(("Invoice", "Vendor", "Amount", last), [_cells(one) for one in rows]))
    if bad_rows:
        parts.append(f"## Lines that could not be read ({len(bad_rows)})")
        lines = [(str(row["line"]), "; ".join(row["problems"])) for row in bad_rows]
        parts.append(_table(("Line", "Problems"), lines))
    if not outcomes and not bad_rows:
        parts.append("The file holds no invoices.")
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """A text that Markdown shows as it is, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def _cells(one: Mapping[str, Any]) -> tuple[str, ...]:
    detail = one.get("detail")
    text = " ".join(map(str, detail)) if isinstance(detail, list) else str("" if detail is None else detail)
    return one["number"], one["vendor"], as_text(one["amount"], one["currency"]), text or "none given"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *([escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
