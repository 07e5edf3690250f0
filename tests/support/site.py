"""A whole site under `manage.py up`, as real processes, for tests that kill, stop and watch them."""

import contextlib
import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from flowsite.supervisor.parent_death import die_with_parent
from flowsite.supervisor.valkey import free_port

ROOT = Path(__file__).resolve().parents[2]


class SiteError(AssertionError):
    """The site did not do in time what a test waited for; the message holds its output."""


def wait_until(is_true: Callable[[], bool], timeout_s: float, what: str) -> None:
    """Wait for a condition, looking twenty times a second. Raises SiteError."""
    deadline = time.monotonic() + timeout_s
    while not is_true():
        if time.monotonic() > deadline:
            raise SiteError(f"Not within {timeout_s} s: {what}")
        time.sleep(0.05)


class Site:
    """One site with its data in `var`, on a free port. `database_url` None means its own SQLite file.

    The environment of the tests is passed on; `environment` overrides it, and a value of None removes one.
    """

    def __init__(self, var: Path, database_url: str | None = None, **environment: str | None) -> None:
        self.var = var
        self.port = free_port()
        self.log = var.with_suffix(".log")
        changes: dict[str, str | None] = {
            "DATABASE_URL": database_url,
            "REDIS_URL": None,
            "DJANGO_SETTINGS_MODULE": "flowsite.settings",
            "FLOWSITE_NO_BOOTSTRAP": "1",
            "FLOWSITE_VAR": str(var),
            **environment,
        }
        merged = {**os.environ, **changes}
        self.environment = {name: value for name, value in merged.items() if value is not None}
        self.process: subprocess.Popen[bytes] | None = None
        self._sessions: set[int] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def output(self) -> str:
        """What the supervisor and its children printed since the site was first started."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    @property
    def redis_url(self) -> str:
        """The address of the embedded Redis server."""
        return (self.var / "run" / "redis_url").read_text()

    @property
    def passwords(self) -> dict[str, str]:
        """The passwords printed at the first start, by the person's name."""
        return dict(re.findall(r"^prepare +\| +(analyst|reviewer|admin) +(\S+)$", self.output, re.MULTILINE))

    def launch(self) -> None:
        """Start the supervisor without waiting for anything."""
        parent = os.getpid()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--port", str(self.port)],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=lambda: die_with_parent(parent, signal.SIGTERM),  # tests that are killed leave no site
            )
        self._sessions.add(self.process.pid)

    def start(self, timeout_s: float = 60) -> float:
        """Start the site, wait until it says that it is ready, return the seconds it took. Raises SiteError."""
        before, started_at = self.output.count("Flowsite is ready"), time.monotonic()
        self.launch()
        assert self.process is not None
        while self.output.count("Flowsite is ready") == before:
            if self.process.poll() is not None or time.monotonic() > started_at + timeout_s:
                self.kill_everything()
                raise SiteError(f"The site did not start.\n{self.output}")
            time.sleep(0.02)
        self._note_sessions()
        return time.monotonic() - started_at

    def pid(self, name: str) -> int | None:
        """The process id of the child valkey, web, worker or sweeper; None while it is not running."""
        try:
            return int((self.var / "run" / f"{name}.pid").read_text())
        except (OSError, ValueError):
            return None

    def kill(self, name: str, number: signal.Signals = signal.SIGKILL) -> int:
        """Send a signal to a child, return its process id."""
        pid = self.pid(name)
        assert pid is not None, f"{name} is not running.\n{self.output}"
        self._note_sessions()
        os.kill(pid, number)
        return pid

    def wait_for_restart(self, name: str, old_pid: int, timeout_s: float = 20) -> int:
        """Wait until the child has a new process, return its id."""
        wait_until(lambda: self.pid(name) not in (None, old_pid), timeout_s, f"{name} started again\n{self.output}")
        self._note_sessions()
        new_pid = self.pid(name)
        assert new_pid is not None
        return new_pid

    def worker_is_ready(self) -> bool:
        """Whether the worker that runs now takes messages."""
        try:
            return int((self.var / "run" / "worker.ready").read_text()) == self.pid("worker")
        except (OSError, ValueError):
            return False

    def get(self, path: str) -> int:
        """GET a path without signing in, return the status code; 0 if nobody answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except OSError:
            return 0
        finally:
            connection.close()

    def manage(self, *arguments: str, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
        """Run a management command on this site, as a person in a second terminal would."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=timeout_s,
        )

    def stop(self, number: signal.Signals = signal.SIGTERM, timeout_s: float = 30) -> int:
        """Send a signal to the supervisor, wait for its end, return its exit code."""
        assert self.process is not None
        self._note_sessions()
        self.process.send_signal(number)
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise SiteError(f"The supervisor did not stop within {timeout_s} s.\n{self.output}") from None

    def living_processes(self) -> dict[int, str]:
        """All processes of this site that are alive, children of children too: process id and command line."""
        living = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and (session := _living_session(entry)) in self._sessions and session:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                living[int(entry.name)] = command
        return living

    def kill_everything(self) -> None:
        """End whatever is left of the site; for the end of a test."""
        if self.process is not None:
            if self.process.poll() is None:
                self._note_sessions()
                self.process.kill()
            self.process.wait()
        for pid in self.living_processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _note_sessions(self) -> None:
        for path in (self.var / "run").glob("*.pid"):
            if pid := self.pid(path.stem):
                self._sessions.add(pid)


def _living_session(entry: Path) -> int | None:
    """The session of a process from its folder in /proc; None if it has gone or is a zombie."""
    try:
        fields = (entry / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[3])
