"""The one clock of all runs: the database's. Whoever needs a time for a run's rows asks here.

Tests may shift it; the shift is a row that is read only where the settings say so.
"""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from runner.store.sql import fetch, vendor

_OFFSET = "(SELECT CAST(coalesce(sum(offset_ms), 0) AS bigint) FROM runner_clockoffset)"

#: Milliseconds since the epoch at the moment the row is made, not at the transaction's start.
_NOW = {
    "postgresql": "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)",
    "sqlite": "CAST(round((julianday('now') - 2440587.5) * 86400000) AS bigint)",
}


def now_sql() -> str:
    """The database's time in milliseconds since the epoch, as an SQL expression."""
    text = _NOW[vendor()]
    if not settings.TEST_CLOCK:
        return text
    # A clock that stands shows the shift alone: it moves when a test moves it, and begins at the epoch.
    return _OFFSET if settings.TEST_CLOCK_STANDS else f"({text} + {_OFFSET})"


def now_ms() -> int:
    """The database's time in milliseconds since the epoch."""
    return int(fetch(f"SELECT {now_sql()}")[0][0])


def shift_test_clock(by_ms: int) -> int:
    """Move the database's time forward by milliseconds, for tests only; gives the new offset.

    Raises RuntimeError where the settings do not say that tests are running.
    """
    if not settings.TEST_CLOCK:
        raise RuntimeError("The clock can be shifted in tests only (settings.TEST_CLOCK).")
    with transaction.atomic():
        found = fetch(
            "INSERT INTO runner_clockoffset (id, offset_ms) VALUES (1, %s)"
            " ON CONFLICT (id) DO UPDATE SET offset_ms = runner_clockoffset.offset_ms + excluded.offset_ms"
            " RETURNING offset_ms",
            [by_ms],
        )
    return int(found[0][0])
