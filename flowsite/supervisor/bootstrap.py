"""Makes the project's virtual environment when it is needed, and goes on inside it. Standard library only.

`.venv` is complete when its stamp names the requirements that were installed. A marker stands in it while
packages are being put in: a new environment that was left half-made is thrown away and made again, an older
one (a running site may be using it) gets all its packages again in place.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from flowsite.supervisor.parent_death import die_with_parent

REQUIREMENTS = {"run": ("requirements.txt",), "test": ("requirements.txt", "requirements-dev.txt")}
NEW, UPDATE = "new", "update"  # what the marker says was being done
ENSUREPIP_HELP = (
    "This Python has no ensurepip, so it cannot make a virtual environment. On Debian and Ubuntu:\n"
    "    apt-get install python3-venv"
)
INSTALL_HELP = (
    "Installing the packages failed: see pip's message above, then run this command again.\n"
    "If it stays so, delete the folder .venv first."
)


class BootstrapError(Exception):
    """The virtual environment cannot be made; the message says why and what to do."""


class Environment:
    """The virtual environment `.venv` of the project in `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.python = self.folder / "bin" / "python"
        self.stamp = self.folder / "flowsite-stamp.json"
        self.marker = self.folder / "flowsite-unfinished"

    def digest(self, kind: str) -> str:
        """The hash of the requirements files of `kind` ("run" or "test")."""
        content = hashlib.sha256()
        for name in REQUIREMENTS[kind]:
            content.update((self.root / name).read_bytes() + b"\0")
        return content.hexdigest()

    def is_ready(self, kind: str) -> bool:
        """Whether the environment holds what `kind` needs, as far as its stamp tells."""
        return self.python.exists() and not self.marker.exists() and self._stamped(kind)

    def _stamped(self, kind: str) -> bool:
        return self._read_stamp().get(kind) == self.digest(kind)

    def _read_stamp(self) -> dict[str, str]:
        try:
            stamp = json.loads(self.stamp.read_text())
        except (OSError, ValueError):
            return {}
        return stamp if isinstance(stamp, dict) else {}

    def make(self, kind: str) -> None:
        """Make the environment, or bring it up to date. Raises BootstrapError."""
        with self._only_one():
            if self.is_ready(kind):
                return  # another process made it while this one waited
            unfinished = self.marker.read_text() if self.marker.exists() else None
            usable = self.python.exists() and unfinished != NEW and self._python_runs()
            if not usable:
                self._create()
            if not self._install(kind, again=unfinished == UPDATE):
                raise BootstrapError(INSTALL_HELP)
            done = {"run": self.digest("run")}
            if kind == "test" or self._stamped("test"):
                done["test"] = self.digest("test")
            self.stamp.write_text(json.dumps(done))
            self.marker.unlink()

    @contextlib.contextmanager
    def _only_one(self) -> Iterator[None]:
        with open(self.root / ".venv.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _python_runs(self) -> bool:
        try:
            command = [str(self.python), "-c", "import pip"]
            return subprocess.run(command, check=False, capture_output=True).returncode == 0
        except OSError:
            return False

    def _create(self) -> None:
        if sys.version_info < (3, 11):  # noqa: UP036 - this file runs on whatever Python there is
            raise BootstrapError(f"Flowsite needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
        if importlib.util.find_spec("ensurepip") is None:
            raise BootstrapError(ENSUREPIP_HELP)
        say("Making the virtual environment .venv ...")
        discarded = self.folder.with_name(".venv.discarded")
        shutil.rmtree(discarded, ignore_errors=True)
        if self.folder.exists():
            self.folder.rename(discarded)  # at one stroke: no half-deleted environment can pass for a whole one
            shutil.rmtree(discarded)
        self.folder.mkdir()
        self.marker.write_text(NEW)
        python = getattr(sys, "_base_executable", sys.executable)
        if _run([python, "-m", "venv", str(self.folder)]):
            raise BootstrapError(f"The virtual environment could not be made.\n{ENSUREPIP_HELP}")

    def _install(self, kind: str, *, again: bool = False) -> bool:
        name = REQUIREMENTS[kind][-1]
        say(f"Installing {name} ...")
        if not self.marker.exists():
            self.marker.write_text(UPDATE)
        command = [str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        command += ["--no-input", "--requirement", str(self.root / name)]
        command += ["--force-reinstall"] if again else []
        return _run(command) == 0


def _run(command: list[str]) -> int:
    """Run a command that ends with this process: one that outlived it would write into the next environment."""
    installer = os.getpid()
    return subprocess.run(command, check=False, preexec_fn=lambda: die_with_parent(installer)).returncode


def say(text: str) -> None:
    """Tell the person what is going on, ahead of what the next process prints."""
    print(text, flush=True)


def is_switched_off() -> bool:
    """Whether FLOWSITE_NO_BOOTSTRAP=1 says that this Python already has all packages, as in a container."""
    return os.environ.get("FLOWSITE_NO_BOOTSTRAP") == "1"


def enter_environment(root: Path, kind: str | None) -> None:
    """Go on inside `.venv`: return when already there, else run this command again with its Python.

    With a `kind` ("run" or "test") the environment is made first where needed; without one it is only used
    if it exists. Raises BootstrapError.
    """
    if is_switched_off():
        return
    environment = Environment(root)
    if kind is not None and not environment.is_ready(kind):
        environment.make(kind)
    if Path(sys.prefix).resolve() == environment.folder.resolve():
        return
    if kind is not None or environment.python.exists():
        _go_on_with(environment.python)
    if importlib.util.find_spec("django") is None:
        raise BootstrapError("There is no virtual environment yet. Make it with: python3 manage.py up")


def _go_on_with(python: Path) -> NoReturn:
    sys.stdout.flush()
    os.execv(python, [str(python), *sys.argv])
