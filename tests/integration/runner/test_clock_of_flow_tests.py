"""The clock of flow tests on the real runner: it begins at the epoch and moves only when it is moved."""

from __future__ import annotations

import time

import pytest
from django.test import override_settings

from runner.store.clock import now_ms, shift_test_clock


@pytest.mark.django_db
def test_a_clock_that_stands_shows_the_shift_alone() -> None:
    with override_settings(TEST_CLOCK=True, TEST_CLOCK_STANDS=True):
        shift_test_clock(-now_ms())
        time.sleep(0.005)
        assert now_ms() == 0
        shift_test_clock(3_600_000)
        assert now_ms() == 3_600_000
