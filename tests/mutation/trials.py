"""Trying a mutation: a temporary copy of the code with one guard removed, and the tests that must notice it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.guard import Guard

ROOT = Path(__file__).parents[2]
#: Copied; everything else at the top of the tree is linked to.
_COPIED = ("editor", "flowsite", "runner", "tests")
#: A mutation with which a test comes to no end has been noticed.
_LONGEST_S = 600


@dataclass(frozen=True)
class Result:
    """Whether the tests noticed that a guard was gone, and which one was the first."""

    guard: Guard
    noticed: str

    @property
    def is_killed(self) -> bool:
        """Whether any test noticed."""
        return bool(self.noticed)


@contextmanager
def copy_of_the_code() -> Iterator[Path]:
    """A temporary copy of the tree, compiled files and all, that can be changed at will."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        copy = Path(folder)
        for path in ROOT.iterdir():
            if path.name in _COPIED:
                shutil.copytree(path, copy / path.name, symlinks=True)
            elif path.name not in ("var", ".git", ".pytest_cache"):
                (copy / path.name).symlink_to(path)
        yield copy


@contextmanager
def _mutated(copy: Path, guard: Guard) -> Iterator[None]:
    path = copy / guard.file
    text, times = path.read_text(), path.stat()
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        compiled.unlink()
    try:
        path.write_text(guard.mutate(text))
        yield
    finally:
        path.write_text(text)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def attempt(copy: Path, guard: Guard) -> Result:
    """Remove a guard in the copy and run its tests, those of the simulator first."""
    with _mutated(copy, guard):
        return Result(guard, _simulated(copy, [guard]) or _tested(copy, guard.tests))


def fault_without_mutation(copy: Path, guards: list[Guard]) -> str:
    """What fails of all these tests with nothing removed: then they prove nothing. Empty: all pass."""
    tests = tuple(dict.fromkeys(test for guard in guards for test in guard.tests))
    return _simulated(copy, guards) or _tested(copy, tests)


def _simulated(copy: Path, guards: list[Guard]) -> str:
    asked = {
        "flows": list(dict.fromkeys(flow for guard in guards for flow in guard.flows)),
        "probes": list(dict.fromkeys(flow for guard in guards for flow in guard.probes)),
        "storms": sorted({seed for guard in guards for seed in guard.storms}),
    }
    return _run(copy, ["-m", "tests.mutation.judge"], json.dumps(asked)) if any(asked.values()) else ""


def _tested(copy: Path, tests: tuple[str, ...]) -> str:
    """Run tests of pytest on a copy of a database that the first of these calls has made, by unchanged code."""
    if not tests:
        return ""
    database, prepared = copy / "mutation.sqlite3", copy / "prepared.sqlite3"
    if prepared.exists():
        shutil.copyfile(prepared, database)
    arguments = ["-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", "--reuse-db"]
    fault = _run(copy, [*arguments, "--ds", "tests.mutation.settings", *tests])
    if database.exists() and not prepared.exists():
        shutil.copyfile(database, prepared)
    return fault


def _run(copy: Path, arguments: list[str], given: str = "") -> str:
    own = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(copy), "MUTATION_DATABASE": str(copy / "mutation.sqlite3")}
    given_on = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "DJANGO_"))}
    try:
        ended = subprocess.run(
            [sys.executable, *arguments],
            cwd=copy,
            env=given_on | own,
            input=given,
            capture_output=True,
            text=True,
            timeout=_LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "came to no end"
    if ended.returncode == 0:
        return ""
    lines = [line for line in (ended.stdout + ended.stderr).splitlines() if line.strip()]
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return (failed or lines or [f"exit code {ended.returncode}"])[0 if failed else -1][:200]
