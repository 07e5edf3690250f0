"""What makes an invoice payable: rules over its fields, each with a sentence for people. Nothing is looked up."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from runner.samples.money import to_cents

IBAN_LENGTHS = {
    "AT": 20, "BE": 16, "CH": 21, "CZ": 24, "DE": 22, "DK": 18, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "IE": 22,
    "IT": 27, "LU": 20, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "SE": 24,
}  # fmt: skip
"""Lengths by country; for other countries only the checksum is looked at."""

_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", re.ASCII)


def invoice_problems(invoice: Mapping[str, Any], seen_numbers: Collection[str]) -> list[str]:
    """List what speaks against paying an invoice, one sentence each; empty: nothing does."""
    problems = [
        _arithmetic(invoice),
        None if invoice["total"] > 0 else "The total is not above zero.",
        iban_problem(invoice["iban"]),
        None if invoice["issued"] <= invoice["due"] else "It is due before it was issued.",
        f"The number {invoice['number']} came earlier in this file." if invoice["number"] in seen_numbers else None,
    ]
    return [problem for problem in problems if problem]


def iban_problem(iban: str) -> str | None:
    """Say what is wrong with an account number, or None: its shape, its country's length, its check digits."""
    if not _IBAN.fullmatch(iban):
        return f"{iban} is no IBAN."
    length = IBAN_LENGTHS.get(iban[:2])
    if length is not None and len(iban) != length:
        return f"The IBAN {iban} has {len(iban)} characters; those of {iban[:2]} have {length}."
    digits = "".join(str(int(letter, 36)) for letter in iban[4:] + iban[:4])
    return None if int(digits) % 97 == 1 else f"The check digits of the IBAN {iban} are wrong."


def _arithmetic(invoice: Mapping[str, Any]) -> str | None:
    try:
        net, tax, total = (to_cents(invoice[name]) for name in ("net", "tax", "total"))
    except ValueError as error:
        return f"{error}."
    if net + tax == total:
        return None
    return f"Net {net / 100:.2f} and tax {tax / 100:.2f} make {(net + tax) / 100:.2f}, not {total / 100:.2f}."
