"""Workers and sweepers of a site as real processes that a test starts, kills and stops one by one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

from flowsite.supervisor.plans import SitePlans
from flowsite.supervisor.valkey import EmbeddedValkey, free_port
from tests.support.flow_runs import Agent
from tests.support.site import ROOT, wait_until


class Crew:
    """The processes around one database. `environment` overrides that of the tests; a value of None removes one."""

    def __init__(self, var: Path, database_url: str | None = None, **environment: str | None) -> None:
        self.var = var
        self.valkey = EmbeddedValkey(var / "valkey", persistent=False)
        self.port = free_port()
        self._plans = SitePlans(ROOT, var, self.port, self.valkey.url)
        changes: dict[str, str | None] = {
            "DATABASE_URL": database_url,
            "DJANGO_SETTINGS_MODULE": "flowsite.settings",
            "FLOWSITE_TEST_OWNER": None,
            "FLOWSITE_WORKER_SOFT_SHUTDOWN_S": "1",
            **environment,
        }
        merged = {**self._plans.environment, **changes}
        self.environment = {name: value for name, value in merged.items() if value is not None}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._agent: Agent | None = None

    @property
    def output(self) -> str:
        """What the processes printed."""
        return "".join(f"--- {path.name}\n{path.read_text()[-4000:]}" for path in sorted(self.var.glob("*.log")))

    def start(self) -> None:
        """Make the database, and start Redis, a worker and a sweeper."""
        self.prepare()
        self.start_sweeper()
        self.start_worker()

    def prepare(self) -> None:
        """Make the database, and start Redis."""
        self.var.mkdir(parents=True, exist_ok=True)
        self.valkey.start()
        migrated = self.manage("migrate", "--verbosity", "0", timeout_s=120)
        assert migrated.returncode == 0, migrated.stderr

    @property
    def agent(self) -> Agent:
        """The process that starts and reads runs."""
        if self._agent is None:
            self._agent = Agent(self.environment, lambda: self.output)
        return self._agent

    def start_worker(self, name: str = "worker") -> None:
        """Start a worker and wait until it takes messages."""
        ready = self.var / f"{name}.ready"
        ready.unlink(missing_ok=True)
        self._launch(name, self._plans.worker().argv, FLOWSITE_READY_FILE=str(ready), REMAP_SIGTERM="SIGQUIT")
        wait_until(ready.exists, 60, f"{name} is ready\n{self.output if not ready.exists() else ''}")

    def start_web(self) -> None:
        """Start a web server on `port` and wait until it answers."""
        self._launch("web", self._plans.web().argv)
        wait_until(self._answers, 60, "the web server answers")

    def _answers(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def pid(self, name: str) -> int:
        """The process id of a process that was started."""
        return self._processes[name].pid

    def start_sweeper(self) -> None:
        """Start a sweeper."""
        self._launch("sweeper", [sys.executable, "manage.py", "run_sweeper"])

    def manage(self, *arguments: str, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
        """Run a management command of this site to its end."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=timeout_s,
        )

    def has_ended(self, name: str = "worker") -> bool:
        """Whether a process has ended."""
        return self._processes[name].poll() is not None

    def kill(self, name: str = "worker", number: signal.Signals = signal.SIGKILL) -> None:
        """Send a process a signal and wait for its end."""
        process = self._processes[name]
        process.send_signal(number)
        process.wait(30)

    def close(self) -> None:
        """End everything."""
        if self._agent is not None:
            self._agent.close()
        for process in self._processes.values():
            process.kill()
            process.wait()
        self.valkey.stop(kill=True)

    def _launch(self, name: str, argv: list[str], **environment: str) -> None:
        log = os.open(self.var / f"{name}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._processes[name] = subprocess.Popen(
            argv,
            cwd=ROOT,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        os.close(log)
