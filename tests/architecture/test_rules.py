"""The rules that hold for every file: who imports whom, types, style, size. Each tool is run as it is set up."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINES_ALLOWED = 500
OURS = ("editor", "runner", "flowsite", "tests")


def run(*command: str) -> None:
    result = subprocess.run([sys.executable, *command], cwd=ROOT, check=False, capture_output=True, text=True)
    if result.returncode:
        pytest.fail(f"{' '.join(command)} says:\n{result.stdout}{result.stderr}", pytrace=False)


def python_files() -> list[Path]:
    files = [ROOT / "manage.py"]
    for folder in OURS:
        files += [path for path in sorted((ROOT / folder).rglob("*.py")) if "__pycache__" not in path.parts]
    return files


def test_nothing_is_wrong_in_style() -> None:
    run("-m", "ruff", "check", "--no-cache", ".")


def test_every_file_is_formatted() -> None:
    run("-m", "ruff", "format", "--no-cache", "--check", ".")


def test_types_are_right() -> None:
    run("-m", "mypy")


def test_imports_follow_the_layers() -> None:
    run("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache", "--no-logo")


def test_no_file_is_too_long() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in python_files() if "migrations" not in path.parts}
    assert len(lengths) > 100
    too_long = {str(path.relative_to(ROOT)): lines for path, lines in lengths.items() if lines > LINES_ALLOWED}
    assert not too_long, f"Split by idea what is longer than {LINES_ALLOWED} lines: {too_long}"


def test_every_file_says_what_lives_in_it() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in python_files()
        if "migrations" not in path.parts
        and not path.read_text().removeprefix("#!/usr/bin/env python3\n").startswith('"""')
    ]
    assert not silent, f"The first line of a file is a docstring that says what lives here: {silent}"


@pytest.mark.parametrize("pattern", ["countdown=", "eta=", "task_always_eager", "autoretry_for", "innerHTML"])
def test_what_must_never_be_used_is_not_used(pattern: str) -> None:
    places = [path for folder in OURS[:3] for path in (ROOT / folder).rglob("*.py")]
    # What is built contains React itself; its own source is looked at instead.
    ours = ("static/flowsite", "templates", "frontend/src")
    places += [path for folder in ours for path in (ROOT / folder).rglob("*.*")]
    found = [str(path.relative_to(ROOT)) for path in places if pattern in path.read_text(errors="replace")]
    assert not found
