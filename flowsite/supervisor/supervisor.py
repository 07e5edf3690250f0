"""Keeps child processes alive in the foreground and stops them in order. What they are: see plans."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from flowsite.supervisor.child import Child, ChildPlan
from flowsite.supervisor.console import Console

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
POLL_S = 0.05
LONGEST_WAIT_S = 1.0


class GivingUp(Exception):
    """A child keeps dying at once; the message says which."""


class Supervisor:
    """Owns the children: starts them, shows their output, starts them again when they die, stops them.

    `pid_folder` gets one NAME.pid for each living child, for people who look for a process.
    """

    def __init__(self, console: Console, pid_folder: Path) -> None:
        self.console = console
        self.pid_folder = pid_folder
        self.children: list[Child] = []
        self.stop_requests = 0
        self._selector = selectors.DefaultSelector()
        self._wake_reader, self._wake_writer = os.pipe()
        for end in (self._wake_reader, self._wake_writer):
            os.set_blocking(end, False)
        self._selector.register(self._wake_reader, selectors.EVENT_READ)

    def take_signals(self) -> None:
        """From now on SIGINT, SIGTERM and SIGHUP ask for a stop; a second one kills at once."""
        signal.set_wakeup_fd(self._wake_writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        for number in STOP_SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN or number != signal.SIGHUP:  # nohup stays nohup
                signal.signal(number, self._request_stop)

    def _request_stop(self, number: int, frame: FrameType | None) -> None:
        self.stop_requests += 1

    def start(self, plan: ChildPlan) -> Child:
        """Start a child and keep it alive from now on."""
        child = Child(plan)
        self.children.append(child)
        self._spawn(child)
        return child

    def run_once(self, plan: ChildPlan) -> int | None:
        """Run a process to its end, return its exit code; None if a stop was asked for meanwhile."""
        child = self.start(plan)
        self.watch(lambda: not child.is_alive)
        return None if child.is_alive else child.exit_code

    def watch(self, is_done: Callable[[], bool], timeout_s: float | None = None) -> bool:
        """Look after the children until `is_done`; False if a stop was asked for, or the time is up.

        Raises GivingUp.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while not is_done():
            if self.stop_requests or (deadline is not None and time.monotonic() > deadline):
                return False
            self._pass_on_output(POLL_S if deadline is not None else self._idle_s())
            self._bury_the_dead(restart=True)
            for child in self.children:
                if child.restart_at is not None and time.monotonic() >= child.restart_at:
                    self._spawn(child)
        return True

    def stop_all(self) -> None:
        """Stop all children, those that others need last. Returns when nothing is left of them."""
        for is_last in (False, True):
            group = [child for child in self.children if child.plan.stops_last == is_last]
            self._stop([child for child in group if child.is_alive])
        signal.set_wakeup_fd(-1)

    def _stop(self, children: list[Child]) -> None:
        asked_at, requests = time.monotonic(), self.stop_requests
        for child in children:
            child.ask_to_stop()
        while any(child.is_alive for child in children):
            for child in children:
                too_late = time.monotonic() > asked_at + child.plan.stop_s
                if child.is_alive and (too_late or self.stop_requests > max(requests, 1)):
                    child.signal_group(signal.SIGKILL)
            self._pass_on_output(POLL_S)
            self._bury_the_dead(restart=False)

    def _spawn(self, child: Child) -> None:
        output = child.start()
        self._selector.register(output, selectors.EVENT_READ, child)
        assert child.process is not None
        self._pid_file(child).write_text(f"{child.process.pid}\n")

    def _pid_file(self, child: Child) -> Path:
        return self.pid_folder / f"{child.plan.name}.pid"

    def _idle_s(self) -> float:
        """How long to wait for something to happen: signals and output wake the selector before."""
        dues = [child.restart_at for child in self.children if child.restart_at is not None]
        return min([LONGEST_WAIT_S, *(max(0.0, due - time.monotonic()) for due in dues)])

    def _pass_on_output(self, timeout_s: float) -> None:
        for key, _ in self._selector.select(timeout_s):
            if key.data is None:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._wake_reader, 4096)
            else:
                self._read(key.data, key.fd)

    def _read(self, child: Child, output: int) -> None:
        try:
            data = os.read(output, 65536)
        except BlockingIOError:
            return
        if data:
            self.console.write(child.plan.name, data)
        else:
            self._selector.unregister(output)

    def _bury_the_dead(self, *, restart: bool) -> None:
        for child in self.children:
            if child.has_ended():
                self._drain(child)
                lived_s = time.monotonic() - child.started_at
                child.forget_process()
                self._pid_file(child).unlink(missing_ok=True)
                if restart and not child.plan.runs_once:
                    self._plan_restart(child, lived_s)

    def _drain(self, child: Child) -> None:
        assert child.process is not None
        assert child.process.stdout is not None
        output = child.process.stdout.fileno()
        while output in self._selector.get_map() and self._has_data(output):
            self._read(child, output)
        if output in self._selector.get_map():
            self._selector.unregister(output)
        self.console.end_line(child.plan.name)

    def _has_data(self, output: int) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            return bool(selector.select(0))

    def _plan_restart(self, child: Child, lived_s: float) -> None:
        delay_s = child.policy.delay_after_death(lived_s)
        name, code = child.plan.name, child.exit_code
        if delay_s is None:
            raise GivingUp(f"The {name} process keeps ending right after its start (exit code {code}): giving up.")
        self.console.say(f"The {name} process ended (exit code {code}); starting it again in {delay_s:.1f} s.")
        child.restart_at = time.monotonic() + delay_s
