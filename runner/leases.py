"""Keeping a claim: one thread in each worker process renews leases and looks whether a step shall stop.

It tells a running step through its abort token. Claiming and reporting are the services'.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.conf import settings
from django.db import Error, connection

from runner.processes import own_name
from runner.store.claims import Claim, look_at_claim, renew_lease
from runner.store.logs import write_log
from runner.store.sweeping import beat
from runner.tools.abort import AbortToken
from runner.tools.context import Record

log = logging.getLogger(__name__)


#: A worker that is busy with long steps shows that it is alive this often, in seconds.
BEAT_S = 10.0


_served: list[str] = []


def worker_name() -> str:
    """This process, as step runs and heartbeats name it: so that another one can prove that it has ended."""
    return own_name()


def show_life(queues: Iterable[str] = ()) -> None:
    """Note in the database that this worker is alive, and which queues it takes (once told, remembered)."""
    _served[:] = sorted(queues) or _served
    beat(f"worker {worker_name()}", "worker", {"queues": list(_served)})


@dataclass(slots=True)
class Attempt:
    """A claim that this process holds. `renewed` is when the lease was last known to run, by our own clock.

    `record` is what the attempt logs; `logged`: how much of it has been written.
    """

    step_id: str
    fence: int
    token: AbortToken
    lease_ms: int
    run_id: str = ""
    record: Record = field(default_factory=Record)
    renewed: float = field(default_factory=time.monotonic)
    logged: int = 0

    def lease_left(self) -> float:
        """Seconds until the lease ends, unless it is renewed."""
        return self.renewed + self.lease_ms / 1000 - time.monotonic()

    def has_news(self) -> bool:
        """Whether something was logged that is not written."""
        return len(self.record.lines) + self.record.dropped > self.logged

    def write_log(self) -> int:
        """Write all that was logged so far, and give how much that is. Raises django.db.Error."""
        lines, dropped = list(self.record.lines), self.record.dropped
        write_log(self.run_id, self.step_id, self.fence, lines, dropped)
        return len(lines) + dropped

    def renewal_is_due(self) -> bool:
        """Whether a third of the lease is over."""
        return time.monotonic() - self.renewed >= self.lease_ms / 3000


class Watcher:
    """Looks after the claims of this process, once in each poll interval."""

    def __init__(self) -> None:
        self._attempts: dict[str, Attempt] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def add(self, attempt: Attempt) -> None:
        """Begin to look after a claim."""
        with self._changed:
            self._attempts[attempt.step_id] = attempt
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="flowsite-leases", daemon=True)
                self._thread.start()
                return
            if len(self._attempts) == 1:
                self._changed.notify()

    def remove(self, attempt: Attempt) -> None:
        """The attempt has ended, or its claim is given up."""
        with self._changed:
            self._attempts.pop(attempt.step_id, None)

    def _run(self) -> None:
        poll = settings.FLOWSITE["CANCEL_POLL_MS"] / 1000
        beaten = time.monotonic()
        while True:
            with self._changed:
                if not self._attempts:
                    self._changed.wait()
            time.sleep(poll)
            with self._changed:
                attempts = list(self._attempts.values())
            for attempt in attempts:
                look_after(attempt)
            if attempts and time.monotonic() - beaten >= BEAT_S:
                beaten = time.monotonic()
                _show_life_quietly()
            if not attempts:
                connection.close()


def look_after(attempt: Attempt) -> None:
    """Renew a lease that is due for it, and give the abort signal where the step shall not go on."""
    try:
        asked_at = time.monotonic()
        if attempt.renewal_is_due():
            claim = renew_lease(attempt.step_id, attempt.fence, attempt.lease_ms)
            if claim.is_held:
                attempt.renewed = asked_at
        else:
            claim = look_at_claim(attempt.step_id, attempt.fence)
    except Error as error:
        log.warning("The lease of step run %s could not be renewed: %s", attempt.step_id, error)
        connection.close()
        if attempt.lease_left() > 0:
            return
        claim = Claim(is_held=False, is_canceled=False)
    keep_log(attempt)
    if claim.is_canceled:
        attempt.token.abort("canceled")
    elif not claim.is_held:
        attempt.token.abort("lost")


def keep_log(attempt: Attempt) -> None:
    """Write what an attempt has logged so far: what is written outlives the worker. A log is not worth a failure."""
    if not attempt.has_news():
        return
    try:
        attempt.logged = attempt.write_log()
    except Error as error:
        log.warning("The log of step run %s could not be written: %s", attempt.step_id, error)
        connection.close()


def _show_life_quietly() -> None:
    try:
        show_life()
    except Error as error:
        log.warning("The worker's sign of life could not be written: %s", error)
        connection.close()


_watchers: dict[int, Watcher] = {}


@contextmanager
def keep_lease(attempt: Attempt) -> Iterator[Attempt]:
    """Keep a claim while the block runs."""
    watcher = _watchers.setdefault(os.getpid(), Watcher())
    watcher.add(attempt)
    try:
        yield attempt
    finally:
        watcher.remove(attempt)
