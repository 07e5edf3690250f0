"""Fixtures of the editor's database tests."""

from collections.abc import Iterator

import pytest

from runner.triggers import drop_triggers


@pytest.fixture
def committed_rows(transactional_db: None) -> Iterator[None]:
    """A database where a test commits rows that nobody may delete; they go with the triggers that keep them.

    Emptying the database afterwards makes the triggers anew.
    """
    yield
    drop_triggers()
