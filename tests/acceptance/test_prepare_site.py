"""The database is copied before its tables change, and only then. With the real command on a real file."""

import contextlib
import sqlite3
from collections.abc import Callable

import pytest

from tests.support.site import Site

pytestmark = pytest.mark.processes


def test_an_existing_file_is_copied_only_before_pending_migrations(make_site: Callable[..., Site]) -> None:
    site = make_site(is_new=True)
    backups = site.var / "backups"
    first = site.manage("prepare_site")
    assert first.returncode == 0, first.stderr
    assert "shown only this once" in first.stdout
    assert not backups.exists()  # there was nothing to lose

    second = site.manage("prepare_site")
    assert second.returncode == 0, second.stderr
    assert "shown only this once" not in second.stdout
    assert not backups.exists()  # nothing was pending

    with contextlib.closing(sqlite3.connect(site.var / "flowsite.sqlite3")) as connection, connection:
        connection.execute("DROP TABLE django_session")
        connection.execute("DELETE FROM django_migrations WHERE app = 'sessions'")
    third = site.manage("prepare_site")
    assert third.returncode == 0, third.stderr
    (copy,) = backups.iterdir()
    assert f"copied to {copy}" in third.stdout
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        assert "auth_user" in tables
        assert "django_session" not in tables
        assert connection.execute("SELECT count(*) FROM auth_user").fetchone() == (3,)
