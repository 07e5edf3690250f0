"""Fixtures that give a test its servers, databases, sites and browser, and the rules for missing ones."""

import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from flowsite.supervisor.preparation import PreparationStamp
from tests.support.chromium import MISSING, find_chromium
from tests.support.postgres import PostgresCluster, PostgresMissing, create_database
from tests.support.site import ROOT, Site
from tests.support.standstill import watch

STRICT = os.environ.get("FLOWSITE_TEST_STRICT") == "1"
ONLY_FOLDER = os.environ.get("FLOWSITE_TEST_ONLY")  # "integration" in the run on the second database
REPORT = os.environ.get("FLOWSITE_TEST_REPORT")
TESTS = Path(__file__).parent
KINDS = ("passed", "failed", "error", "skipped", "xfailed", "rerun")


def pytest_configure(config: pytest.Config) -> None:
    """A run that stands still ends and says where."""
    watch(config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what this run's database has nothing to do with.

    That is a test about the other kind of database, and, in the run on the second one, a test outside the
    folder that depends on it.
    """
    engine = settings.DATABASES["default"]["ENGINE"]
    database = "sqlite" if engine.endswith("sqlite3") else "postgres"
    kept, left_out = [], []
    for item in items:
        marker = item.get_closest_marker("only_on")
        belongs = not ONLY_FOLDER or item.path.is_relative_to(TESTS / ONLY_FOLDER)
        (kept if belongs and (marker is None or marker.args == (database,)) else left_out).append(item)
    for item in kept:
        if config.pluginmanager.hasplugin("rerunfailures") and item.path.is_relative_to(TESTS / "e2e"):
            # A browser, a site and its workers share the machine with other tests: once is no proof. It is reported.
            item.add_marker(pytest.mark.flaky(reruns=1))
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Where every service must be there, a skipped test is a failure: it would hide a missing one."""
    outcome: Any = yield
    _refuse_skip(outcome.get_result())


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """The same for a file that skips itself as a whole."""
    outcome: Any = yield
    _refuse_skip(outcome.get_result())


def _refuse_skip(report: Any) -> None:
    if STRICT and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"Skipped, but FLOWSITE_TEST_STRICT=1 allows no skips: {reason}"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Leave the counts where `manage.py test` adds them up."""
    if REPORT and not hasattr(terminalreporter.config, "workerinput"):
        stats = terminalreporter.stats
        counts = {kind: len(stats.get(kind, ())) for kind in KINDS}
        Path(REPORT).write_text(json.dumps(counts))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a Postgres server that tests may make databases on; skips without one."""
    if url := os.environ.get("FLOWSITE_TEST_POSTGRES_URL"):
        yield url
        return
    try:
        cluster = PostgresCluster()
        cluster.create()
    except PostgresMissing as missing:
        pytest.skip(str(missing))
    yield cluster.url()
    cluster.remove()


@pytest.fixture
def postgres_cluster() -> Iterator[PostgresCluster]:
    """A Postgres server of the test's own, to be stopped and started at will."""
    try:
        cluster = PostgresCluster()
        cluster.create()
    except PostgresMissing as missing:
        pytest.skip(str(missing))
    yield cluster
    cluster.remove()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database for a site of its own: each test runs on both kinds."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/flowsite.sqlite3"
    return create_database(request.getfixturevalue("postgres_server"), f"site-{uuid.uuid4().hex[:12]}")


@pytest.fixture(scope="session")
def prepared_var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a site that was started before: its SQLite file needs no preparation any more."""
    site = Site(tmp_path_factory.mktemp("prepared") / "var")
    result = site.manage("prepare_site")
    assert result.returncode == 0, result.stderr
    PreparationStamp(ROOT, site.var).write()
    return site.var


@pytest.fixture
def make_site(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[..., Site]]:
    """A function that makes a Site (not started) with a folder of its own; all are killed after the test.

    On SQLite it has been prepared, unless it shall be new.
    """
    sites: list[Site] = []

    def make(database_url: str | None = None, *, is_new: bool = False, **environment: str | None) -> Site:
        site = Site(tmp_path / f"var-{len(sites)}", database_url, **environment)
        if database_url is None and not is_new:
            shutil.copytree(request.getfixturevalue("prepared_var"), site.var)
        sites.append(site)
        return site

    yield make
    for site in sites:
        site.kill_everything()


@pytest.fixture
def site(database_url: str, make_site: Callable[..., Site]) -> Site:
    """A running site, on SQLite and on Postgres."""
    site = make_site(None if database_url.startswith("sqlite") else database_url)
    site.start()
    return site


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The path of the browser; skips without one."""
    path = find_chromium()
    if path is None:
        pytest.skip(MISSING)
    return path
