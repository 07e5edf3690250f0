"""One child process of the supervisor: started in a session of its own, ended with all that it started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from flowsite.supervisor.parent_death import die_with_parent
from flowsite.supervisor.restarts import RestartPolicy


@dataclass(frozen=True)
class ChildPlan:
    """How a child is started and stopped."""

    name: str
    argv: list[str]
    environment: dict[str, str]
    folder: Path
    stop_s: float = 5.0  # seconds between SIGTERM and SIGKILL
    stops_last: bool = False  # the others need it until they have ended
    runs_once: bool = False  # its end is no failure
    death_signal: signal.Signals = signal.SIGKILL  # when the supervisor itself is killed


@dataclass
class Child:
    """A planned child and its process, if one is alive."""

    plan: ChildPlan
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    restart_at: float | None = None
    exit_code: int | None = None
    policy: RestartPolicy = field(default_factory=RestartPolicy)

    @property
    def is_alive(self) -> bool:
        return self.process is not None

    def start(self) -> int:
        """Start the process, return the descriptor of its output. For the main thread only."""
        supervisor = os.getpid()
        death_signal = self.plan.death_signal
        self.process = subprocess.Popen(
            self.plan.argv,
            cwd=self.plan.folder,
            env=self.plan.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=lambda: die_with_parent(supervisor, death_signal),
        )
        self.started_at = time.monotonic()
        self.restart_at = None
        assert self.process.stdout is not None
        os.set_blocking(self.process.stdout.fileno(), False)
        return self.process.stdout.fileno()

    def has_ended(self) -> bool:
        """Whether the process has just ended. If so, ends what it left behind, takes its exit code."""
        if self.process is None or os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return False
        # Not yet waited for, so the number of its group cannot belong to anybody else.
        self.signal_group(signal.SIGKILL)
        self.exit_code = self.process.wait()
        return True

    def forget_process(self) -> None:
        """Close the pipe of an ended process."""
        if self.process is not None and self.process.stdout is not None:
            self.process.stdout.close()
        self.process = None

    def ask_to_stop(self) -> None:
        """Send SIGTERM to the process itself; it stops its own children in order."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGTERM)

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to the process and all it started."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, number)
