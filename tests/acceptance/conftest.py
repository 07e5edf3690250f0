"""What tests with real workers share: a stand-in for tools, and a crew of processes around a database."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from tests.support.crew import Crew
from tests.support.postgres import create_database
from tests.support.stand_in import StandIn


@pytest.fixture(scope="session")
def _server() -> Iterator[StandIn]:
    server = StandIn()
    yield server
    server.close()


@pytest.fixture
def stand_in(_server: StandIn) -> StandIn:
    """The server that answers the calls of the tool `work`; it remembers those of this test."""
    _server.forget()
    return _server


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def crew(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, _server: StandIn) -> Iterator[Crew]:
    """A worker, a sweeper and a Redis around a database of each kind; whoever ends one starts it again."""
    url = None
    if request.param == "postgres":
        url = create_database(request.getfixturevalue("postgres_server"), f"crew-{uuid.uuid4().hex[:12]}")
    crew = Crew(
        tmp_path_factory.mktemp("crew"),
        url,
        DJANGO_SETTINGS_MODULE="tests.support.crash_settings",
        FLOWSITE_LEASE_MS="1500",
        FLOWSITE_SWEEP_MS="200",
        FLOWSITE_STAND_IN_URL=_server.url,
    )
    try:
        crew.start()
        yield crew
    finally:
        crew.close()
