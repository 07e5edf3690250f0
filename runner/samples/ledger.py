"""Booking payments: one entry for each effect key, whoever asks at the same time and however often."""

from __future__ import annotations

from typing import Any

from runner.samples.models import LedgerEntry


class KeyTakenError(Exception):
    """The effect key stands for another payment already."""


def book_payment(effect_key: str, **payment: Any) -> LedgerEntry:
    """Book a payment (fields of LedgerEntry), or give the entry that this key booked before.

    Raises KeyTakenError if that entry says something else, and ValueError for an empty key.
    """
    if not effect_key:
        raise ValueError("a payment needs an effect key; without one it could be booked twice")
    entry, _ = LedgerEntry.objects.get_or_create(effect_key=effect_key, defaults=payment)
    if any(getattr(entry, name) != value for name, value in payment.items()):
        raise KeyTakenError(f"entry {entry.pk} was booked under this key with other values")
    return entry
