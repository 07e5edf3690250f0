"""Money of the samples: whole cents inside, numbers with two decimals outside. No currency is converted."""

from __future__ import annotations

from decimal import Decimal

MOST_CENTS = 10**15
"""Larger amounts are typing errors, and floats no longer hold their cents."""


def to_cents(amount: float) -> int:
    """Turn an amount into whole cents. Raises ValueError for parts of a cent and for absurd sizes."""
    cents = Decimal(repr(amount)) * 100
    if cents != cents.to_integral_value() or abs(cents) > MOST_CENTS:
        raise ValueError(f"{amount} is no amount in whole cents")
    return int(cents)


def to_nearest_cent(limit: float) -> int:
    """Turn a limit, which may have parts of a cent, into whole cents of a size that can be stored."""
    return round(min(max(limit * 100, -MOST_CENTS), MOST_CENTS))


def from_cents(cents: int) -> float:
    """Turn whole cents into the number that flows see."""
    return cents / 100


def as_text(amount: float, currency: str) -> str:
    """Write an amount for people: `1,234.50 EUR`."""
    return f"{amount:,.2f} {currency}"
