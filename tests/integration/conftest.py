"""Tests on a database: they may empty it, although the database of a site refuses to forget."""

from typing import Any

import pytest
from django.test import TransactionTestCase


@pytest.fixture(scope="session", autouse=True)
def _databases_may_be_emptied() -> None:
    """Take the triggers away before a test's rows are deleted; the flush itself makes them anew."""
    from runner.triggers import drop_triggers

    empty_database = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]

    def without_triggers(self: Any) -> None:
        for alias in self._databases_names(include_mirrors=False):
            drop_triggers(alias)
        empty_database(self)

    TransactionTestCase._fixture_teardown = without_triggers  # type: ignore[attr-defined]
