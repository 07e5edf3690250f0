"""A filled database for all tests of this folder: years of use in a few seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from tests.support.crowd import Crowd, fill
from tests.support.crowd_pages import Pages, make_crowds_people, pages_of

CROWD = Crowd(runs=5_000, steps=4, events=6, audits=5_000, long=300)


@pytest.fixture(scope="module")
def pages(django_db_setup: None, django_db_blocker: Any) -> Iterator[Pages]:
    """What can be asked for, in a filled database; it is emptied behind the tests of a file by rolling back."""
    with django_db_blocker.unblock():
        atomic = transaction.atomic()
        atomic.__enter__()
        try:
            fill(CROWD, make_crowds_people())
            yield pages_of(CROWD.runs)
        finally:
            transaction.set_rollback(True)
            atomic.__exit__(None, None, None)
