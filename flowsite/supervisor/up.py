"""`manage.py up`: from its arguments to a running site, and back. Knows the order, not the details."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import http.client
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from flowsite.supervisor.console import Console
from flowsite.supervisor.plans import SitePlans
from flowsite.supervisor.preparation import PreparationStamp
from flowsite.supervisor.supervisor import GivingUp, Supervisor
from flowsite.supervisor.valkey import EmbeddedValkey, ValkeyError

START_TIMEOUT_S = 60


class UpError(Exception):
    """The site cannot start; the message says why and what to do."""


def main(root: Path, arguments: list[str]) -> int:
    """Run the site until asked to stop. The exit code: 0 after a stop, 1 if it could not go on."""
    parser = argparse.ArgumentParser("manage.py up", description="Run the whole site in the foreground.")
    parser.add_argument("--port", type=_port, default=os.environ.get("FLOWSITE_PORT", "8000"), help="1 to 65535 (8000)")
    port = parser.parse_args(arguments).port
    console = Console()
    os.umask(0o077)  # database, keys, inputs and logs are their owner's only
    var = Path(os.environ.get("FLOWSITE_VAR", root / "var")).resolve()
    try:
        with _sole_owner(var):
            _refuse_taken_port(port)
            return _serve(root, var, port, console)
    except (UpError, ValkeyError) as error:
        print(error, file=sys.stderr)
        return 1


def _serve(root: Path, var: Path, port: int, console: Console) -> int:
    server = None if os.environ.get("REDIS_URL") else EmbeddedValkey(var / "valkey")
    plans = SitePlans(root, var, port, server.url if server else os.environ["REDIS_URL"])
    supervisor = Supervisor(console, plans.run_folder)
    supervisor.take_signals()
    try:
        if _start(supervisor, plans, server, PreparationStamp(root, var)):
            console.say(f"Flowsite is ready at http://127.0.0.1:{port}")
            supervisor.watch(lambda: False)
        console.say("Stopping ...")
        return 0
    except (UpError, GivingUp) as error:
        console.say(str(error))
        return 1
    finally:
        supervisor.stop_all()
        for left_over in ("redis_url", "worker.ready"):
            (plans.run_folder / left_over).unlink(missing_ok=True)
        if supervisor.stop_requests:
            console.say("Flowsite has stopped.")


def _start(supervisor: Supervisor, plans: SitePlans, server: EmbeddedValkey | None, stamp: PreparationStamp) -> bool:
    """Start everything in order; True when the site serves, False if a stop was asked for meanwhile."""
    if server:
        server.write_configuration()
        supervisor.start(plans.valkey(server))
        _write_private(plans.run_folder / "redis_url", server.url)
    if not _prepare(supervisor, plans, stamp):
        return False
    if not supervisor.watch(lambda: _redis_answers(plans, server), 10) and not supervisor.stop_requests:
        raise UpError("Redis does not answer. Start it, or correct REDIS_URL.")
    plans.worker_ready.unlink(missing_ok=True)
    supervisor.start(plans.web())
    supervisor.start(plans.worker())
    is_ready = supervisor.watch(lambda: plans.worker_ready.exists() and _web_answers(plans.port), START_TIMEOUT_S)
    if not is_ready and not supervisor.stop_requests:
        missing = "web server" if plans.worker_ready.exists() else "worker"
        raise UpError(f"The {missing} was not ready after {START_TIMEOUT_S} s: see its messages above.")
    if is_ready:
        # After the others: it has nothing to do in the first second, and would only slow them down.
        supervisor.start(plans.sweeper())
    return is_ready


def _prepare(supervisor: Supervisor, plans: SitePlans, stamp: PreparationStamp) -> bool:
    """Bring the database up to date, unless it is known to be; False if a stop was asked for meanwhile."""
    has_own_database = not os.environ.get("DATABASE_URL")
    if has_own_database and stamp.is_valid():
        return True
    stamp.forget()
    exit_code = supervisor.run_once(plans.preparation())
    if exit_code is None or supervisor.stop_requests:
        return False
    if exit_code:
        raise UpError("The database could not be prepared: see the message above.")
    if has_own_database:
        stamp.write()
    return True


def _web_answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _redis_answers(plans: SitePlans, server: EmbeddedValkey | None) -> bool:
    if server:
        return server.answers()
    address = urlsplit(plans.environment["REDIS_URL"])
    if address.hostname is None:  # a socket in the file system: the worker will tell
        return True
    with contextlib.suppress(OSError), socket.create_connection((address.hostname, address.port or 6379), 1):
        return True
    time.sleep(0.1)
    return False


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is no port. Give a number from 1 to 65535.")
    return int(text)


def _refuse_taken_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise UpError(
                f"Port {port} cannot be used ({error}). Choose another: python3 manage.py up --port 8001"
            ) from error


@contextlib.contextmanager
def _sole_owner(var: Path) -> Iterator[None]:
    """Hold the lock of the data folder: two sites must not share one SQLite file's backups and servers."""
    try:
        var.mkdir(parents=True, exist_ok=True, mode=0o700)
        (var / "run").mkdir(exist_ok=True, mode=0o700)
        lock = open(var / "run" / "up.lock", "w")  # noqa: SIM115 - closed below
    except OSError as error:
        raise UpError(
            f"The data folder {var} cannot be written to ({error.strerror}: {error.filename}). "
            "Correct its owner and rights, or choose another with FLOWSITE_VAR."
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UpError(f"Flowsite already runs with the data in {var}. Stop it first.") from None
        yield


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
