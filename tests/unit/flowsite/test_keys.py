"""Secret keys are made once, kept private, and the same for processes that start together."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from flowsite.keys import load_or_create_key


def test_a_key_is_made_once_and_private(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "secret"
    key = load_or_create_key(path)
    assert len(key) == 64
    assert load_or_create_key(path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [file.name for file in path.parent.iterdir()] == ["secret"]


def test_all_who_ask_at_the_same_moment_get_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: load_or_create_key(tmp_path / "secret"), range(64)))
    assert len(keys) == 1


def test_an_empty_key_file_is_an_error_and_stays(tmp_path: Path) -> None:
    (tmp_path / "secret").touch()
    with pytest.raises(ValueError, match="is empty"):
        load_or_create_key(tmp_path / "secret")
    assert (tmp_path / "secret").read_text() == ""
