"""Which processes make a site, and how each is started: command lines and environments."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from flowsite.supervisor.child import ChildPlan
from flowsite.supervisor.valkey import EmbeddedValkey

QUEUES = "steps.inline,steps.provider,steps.host"
WORKER_SOFT_STOP_S = 2
# On SIGTERM hand the messages back after the soft stop; do not wait for the end of a long step.
WORKER_ENVIRONMENT = {"REMAP_SIGTERM": "SIGQUIT"}
WEB_STOP_S = 3


def web_arguments(host: str, port: int) -> list[str]:
    """The arguments of the Python interpreter that start a web server."""
    return [
        *("-m", "uvicorn", "flowsite.asgi:application", "--host", host, "--port", str(port)),
        *("--ws-max-size", "65536", "--ws-ping-interval", "20", "--ws-ping-timeout", "20"),
        # Packing small frames costs a third of the work for a frame, and half of a socket's memory.
        *("--ws-per-message-deflate", "false"),
        *("--timeout-graceful-shutdown", str(WEB_STOP_S), "--lifespan", "off"),
        *("--no-server-header", "--no-access-log", "--log-level", "warning"),
    ]


def worker_arguments(concurrency: str, queues: str = QUEUES) -> list[str]:
    """The arguments of the Python interpreter that start a prefork worker with `concurrency` processes."""
    return [
        # Celery warns of running as root because of pickled messages: they are switched off.
        *("-W", "ignore:You're running the worker with superuser"),
        *("-m", "celery", "--quiet", "--app", "flowsite.celery", "worker", "--pool", "prefork"),
        *("--concurrency", concurrency, "--queues", queues),
        *("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING"),
    ]


class SitePlans:
    """The processes of the site in `root`, with its data in `var`, on `port` of 127.0.0.1."""

    def __init__(self, root: Path, var: Path, port: int, redis_url: str) -> None:
        self.root = root
        self.run_folder = var / "run"
        self.port = port
        self.worker_ready = self.run_folder / "worker.ready"
        self.environment = {
            "DJANGO_SETTINGS_MODULE": "flowsite.settings",
            "FLOWSITE_WORKER_SOFT_SHUTDOWN_S": str(WORKER_SOFT_STOP_S),
            **os.environ,
            "FLOWSITE_NO_BOOTSTRAP": "1",
            "FLOWSITE_PORT": str(port),
            "FLOWSITE_VAR": str(var),
            "PYTHONUNBUFFERED": "1",
            "REDIS_URL": redis_url,
        }

    def valkey(self, server: EmbeddedValkey) -> ChildPlan:
        """The embedded server. It stops last, and saves its queue even when the supervisor is killed."""
        return ChildPlan(
            "valkey", server.argv, self.environment, self.root, stops_last=True, death_signal=signal.SIGTERM
        )

    def preparation(self) -> ChildPlan:
        return self._python("prepare", "manage.py", "prepare_site", runs_once=True)

    def web(self) -> ChildPlan:
        return self._python("web", *web_arguments("127.0.0.1", self.port), stop_s=WEB_STOP_S + 3)

    def worker(self) -> ChildPlan:
        """The prefork worker. It writes its process id into the file `worker_ready` when it takes messages."""
        soft_stop_s = float(self.environment["FLOWSITE_WORKER_SOFT_SHUTDOWN_S"])
        return self._python(
            "worker",
            *worker_arguments(os.environ.get("FLOWSITE_WORKERS", "2")),
            stop_s=soft_stop_s + 6,
            environment={"FLOWSITE_READY_FILE": str(self.worker_ready), **WORKER_ENVIRONMENT},
        )

    def sweeper(self) -> ChildPlan:
        return self._python("sweeper", "manage.py", "run_sweeper")

    def _python(
        self,
        name: str,
        *arguments: str,
        stop_s: float = 5.0,
        runs_once: bool = False,
        environment: dict[str, str] | None = None,
    ) -> ChildPlan:
        argv = [sys.executable, *arguments]
        whole = {**self.environment, **(environment or {})}
        return ChildPlan(name, argv, whole, self.root, stop_s=stop_s, runs_once=runs_once)
