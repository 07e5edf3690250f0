"""A private Postgres server for the tests: own data folder, own port, run by a user without rights."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from flowsite.supervisor.parent_death import die_with_parent
from flowsite.supervisor.valkey import free_port

# Only a crash of the machine could lose data by these; a killed server cannot.
SETTINGS = {"fsync": "off", "full_page_writes": "off", "max_connections": "200", "shared_buffers": "64MB"}


class PostgresMissing(Exception):
    """No Postgres server is installed, or it cannot be started here; the message says what to do."""


def find_server_programs() -> Path | None:
    """The folder of the newest installed initdb and postgres, or None."""
    candidates = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parent.parent.name)
    )
    if found := shutil.which("initdb"):
        candidates.insert(0, Path(found).resolve())
    candidates = [path for path in candidates if (path.parent / "postgres").exists()]
    return candidates[-1].parent if candidates else None


def _unprivileged_user() -> pwd.struct_passwd | None:
    """The user to run the server as when we are root: it refuses to run as root itself."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise PostgresMissing("There is neither a user postgres nor a user nobody to run the test server as.")


class PostgresCluster:
    """One server on 127.0.0.1 with its data in a temporary folder that goes away with it, set up by `settings`."""

    def __init__(self, settings: Mapping[str, str] = SETTINGS) -> None:
        self.settings = settings
        programs = find_server_programs()
        if programs is None:
            raise PostgresMissing("No Postgres server is installed. On Debian: apt-get install postgresql")
        self.programs = programs
        self.user = _unprivileged_user()
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="flowsite-postgres-"))
        self.process: subprocess.Popen[bytes] | None = None
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)

    def url(self, database: str = "postgres") -> str:
        return f"postgres://flowsite@127.0.0.1:{self.port}/{database}"

    def create(self) -> None:
        """Make the data folder and start the server. Raises PostgresMissing."""
        command = ["initdb", "--pgdata=" + str(self.folder / "data"), "--username=flowsite", "--auth=trust"]
        result = self._run([*command, "--encoding=UTF8", "--no-locale", "--no-sync"])
        if result.returncode:
            raise PostgresMissing(f"initdb failed: {result.stdout.decode(errors='replace')}")
        self.start()

    def start(self, timeout_s: float = 30) -> None:
        """Start the server on the data folder and wait until it takes connections."""
        argv = [str(self.programs / "postgres"), "-D", str(self.folder / "data"), "-p", str(self.port)]
        argv += ["-c", "listen_addresses=127.0.0.1", "-k", ""]
        for name, value in self.settings.items():
            argv += ["-c", f"{name}={value}"]
        parent = os.getpid()
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                argv,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=lambda: die_with_parent(parent, signal.SIGQUIT),  # after the change of user, which clears it
                **self._as_user(),
            )
        deadline = time.monotonic() + timeout_s
        while self._run(["pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise PostgresMissing(f"Postgres did not start: {(self.folder / 'log').read_text()}")
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: SIGINT ends its sessions first, SIGQUIT ends all at once as a crash would."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait()
            self.process = None

    def remove(self) -> None:
        """Stop the server and delete its data."""
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _as_user(self) -> dict[str, Any]:
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [str(self.programs / command[0]), *command[1:]],
            check=False,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **self._as_user(),
        )


def create_database(server_url: str, name: str) -> str:
    """Make an empty database on the server whose database `server_url` names, return the URL of the new one."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return urlsplit(server_url)._replace(path=f"/{name}").geturl()
