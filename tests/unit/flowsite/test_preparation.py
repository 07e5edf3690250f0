"""A warm start skips the preparation only while code and database are those that were prepared."""

import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from flowsite.supervisor.preparation import PreparationStamp


@pytest.fixture
def stamp(tmp_path: Path) -> PreparationStamp:
    (tmp_path / "requirements.txt").write_text("Django\n")
    (tmp_path / "runner").mkdir()
    (tmp_path / "runner" / "models.py").write_text("one\n")
    var = tmp_path / "var"
    var.mkdir()
    stamp = PreparationStamp(tmp_path, var)
    execute(stamp, "CREATE TABLE django_migrations (id integer primary key)")
    execute(stamp, "INSERT INTO django_migrations VALUES (1)")
    stamp.write()
    return stamp


def execute(stamp: PreparationStamp, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(stamp.database)) as connection, connection:
        connection.execute(statement)


def test_it_is_valid_as_long_as_nothing_changed(stamp: PreparationStamp) -> None:
    assert stamp.is_valid()


def test_changed_code_needs_a_new_preparation(stamp: PreparationStamp) -> None:
    (stamp.root / "runner" / "models.py").write_text("two\n")
    os.utime(stamp.root / "runner" / "models.py", ns=(1, 1))
    assert not stamp.is_valid()


def test_a_new_file_needs_a_new_preparation_but_a_compiled_one_does_not(stamp: PreparationStamp) -> None:
    (stamp.root / "runner" / "__pycache__").mkdir()
    (stamp.root / "runner" / "__pycache__" / "models.pyc").write_text("x")
    assert stamp.is_valid()
    (stamp.root / "runner" / "sample.json").write_text("{}")
    assert not stamp.is_valid()


def test_another_database_needs_a_new_preparation(stamp: PreparationStamp) -> None:
    execute(stamp, "INSERT INTO django_migrations VALUES (2)")
    assert not stamp.is_valid()


def test_a_missing_database_needs_a_new_preparation(stamp: PreparationStamp) -> None:
    stamp.database.unlink()
    assert not stamp.is_valid()
