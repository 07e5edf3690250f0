"""The only place that queues work: hints that a step run is pending, by task name, after the commit.

A hint may be lost, doubled or late: claims decide, and the sweeper hands on again what nobody claimed. One thread
sends for the whole process, so that neither a request nor a step ever waits for the broker.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from celery import current_app
from kombu.exceptions import ChannelError

log = logging.getLogger(__name__)

RUN_STEP, SWEEP, BEAT, MAIL = "runner.run_step", "runner.sweep", "runner.show_life", "runner.send_mail"
#: Hints that one process holds back at most; more are left to the sweeper.
MOST_WAITING = 10_000
#: After trouble with the broker nothing is sent for so long.
REST_S = 2.0
#: A hint that the sending process is likely to obey itself is held back for so long.
HOLD_S = 0.02


def queue_of(backend: str) -> str:
    """The queue for steps of a backend."""
    return f"steps.{backend}"


@dataclass(frozen=True, slots=True)
class Hint:
    """A message about one step run. `at_most`: send it only while its queue holds fewer messages."""

    step_id: str
    queue: str
    at_most: int | None = None
    task: str = RUN_STEP

    @property
    def arguments(self) -> list[str]:
        """What the task is called with."""
        return [self.step_id] if self.step_id else []


def hint_step(step_id: str, backend: str) -> None:
    """Queue a hint now. Call it after the commit. Never raises and never waits."""
    _sender().put(Hint(step_id, queue_of(backend)))


def hint_step_soon(step_id: str, backend: str) -> None:
    """Queue a hint in a moment, unless `take_back` comes first."""
    _sender().hold(Hint(step_id, queue_of(backend)))


def take_back(step_id: str) -> bool:
    """Whether a held hint could be taken back before it was sent."""
    return _sender().take_back(step_id)


def hint_again(steps: Iterable[tuple[str, str]], at_most: int) -> None:
    """Queue hints for (step run, backend) pairs, each only while its queue holds fewer than `at_most` messages."""
    for step_id, backend in steps:
        _sender().put(Hint(step_id, queue_of(backend), at_most))


def ask_for_sign_of_life(at_most: int = 1_000) -> None:
    """Ask any worker to show in the database that it is alive. Never raises and never waits."""
    _sender().put(Hint("", queue_of("inline"), at_most, BEAT))


def ask_for_mail(at_most: int = 100) -> None:
    """Ask any worker to send the mail that is due. Never raises and never waits."""
    _sender().put(Hint("", queue_of("inline"), at_most, MAIL))


def flush(seconds: float = 2.0) -> bool:
    """Wait until every hint of this process is sent or dropped, but not longer; False: some are left."""
    sender = _senders.get(os.getpid())
    return sender is None or sender.flush(seconds)


class Sender:
    """The sending thread of this process."""

    def __init__(self) -> None:
        self._waiting: deque[Hint] = deque()
        self._held: dict[str, tuple[float, Hint]] = {}
        self._changed = threading.Condition()
        self._busy = False
        self._rest_until = 0.0
        self._thread: threading.Thread | None = None

    def put(self, hint: Hint) -> None:
        """Send a hint as soon as possible."""
        with self._changed:
            if len(self._waiting) >= MOST_WAITING:
                return
            self._waiting.append(hint)
            self._start()
            self._changed.notify_all()

    def hold(self, hint: Hint) -> None:
        """Send a hint in a moment."""
        with self._changed:
            was_empty = not self._held
            self._held[hint.step_id] = (time.monotonic() + HOLD_S, hint)
            self._start()
            if was_empty:
                self._changed.notify_all()

    def take_back(self, step_id: str) -> bool:
        """Forget a held hint."""
        with self._changed:
            return self._held.pop(step_id, None) is not None

    def flush(self, seconds: float) -> bool:
        """Wait until nothing is left to send."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._held and not self._busy, seconds)

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="flowsite-hints", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            self._send(self._next())

    def _next(self) -> list[Hint]:
        """Wait for hints that are due."""
        with self._changed:
            self._busy = False
            self._changed.notify_all()
            while True:
                now = time.monotonic()
                due = [step_id for step_id, (at, _) in self._held.items() if at <= now]
                self._waiting.extend(self._held.pop(step_id)[1] for step_id in due)
                if self._waiting:
                    hints = list(self._waiting)
                    self._waiting.clear()
                    self._busy = True
                    return hints
                earliest = min((at for at, _ in self._held.values()), default=None)
                self._changed.wait(None if earliest is None else max(0.0, earliest - now))

    def _send(self, hints: list[Hint]) -> None:
        room: dict[str, int] = {}
        for hint in hints:
            if time.monotonic() < self._rest_until:
                continue
            try:
                if hint.at_most is not None:
                    if hint.queue not in room:
                        room[hint.queue] = hint.at_most - queue_length(hint.queue)
                    if room[hint.queue] <= 0:
                        continue
                    room[hint.queue] -= 1
                current_app.send_task(hint.task, args=hint.arguments, queue=hint.queue, ignore_result=True)
            except Exception as error:
                self._rest_until = time.monotonic() + REST_S
                log.warning("The broker takes no hints, the sweeper will hand the steps on: %r", error)


def queues_taken() -> list[str]:
    """The queues whose messages this worker takes."""
    return sorted(current_app.amqp.queues.consume_from)


def queue_length(queue: str) -> int:
    """How many messages wait in a queue of the broker. Raises what the broker's client raises."""
    with current_app.connection_for_write() as connection:
        try:
            declared = connection.default_channel.queue_declare(queue=queue, passive=True)
        except ChannelError:  # there is no such queue: nothing waits in it
            return 0
        return int(declared.message_count)


_senders: dict[int, Sender] = {}
_senders_lock = threading.Lock()


def _sender() -> Sender:
    """The sender of this process. A forked process needs its own: threads stay behind."""
    pid = os.getpid()
    found = _senders.get(pid)
    if found is None:
        with _senders_lock:
            found = _senders.setdefault(pid, Sender())
    return found


@atexit.register
def _send_the_rest() -> None:
    flush(2.0)
