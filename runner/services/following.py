"""Following a run from a program: its events as they come, until it ends. Browsers follow over sockets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from django.conf import settings

from runner import dispatch
from runner.engine.statuses import RUN_ENDED
from runner.models import Event, Heartbeat, Run
from runner.services.working import work_on
from runner.store.clock import now_ms

POLL_S = 0.2
#: Without any event for so long, it is asked whether a worker lives at all.
SILENCE_S = 5.0


def follow(
    run_id: str, *, after: int = 0, work: bool = False, alarm: Callable[[], None] | None = None
) -> Iterator[Event]:
    """Give the events of a run after a number as they come, and stop when the run has ended.

    With `work` this process does the run's work itself. `alarm` is called once if no worker shows up.
    """
    watch = _WorkerWatch(alarm if not work else None)
    while True:
        ended = Run.objects.filter(pk=run_id, status__in=sorted(RUN_ENDED)).exists()
        batch = list(Event.objects.after(run_id, after))
        for event in batch:
            after = event.seq
            yield event
        if batch:
            watch.heard()
        elif ended:
            return
        elif work:
            if not work_on(run_id):
                time.sleep(settings.FLOWSITE["SWEEP_MS"] / 1000)
        else:
            watch.silent(run_id)
            time.sleep(POLL_S)


class _WorkerWatch:
    """Notices, once, that a run has something to do and no worker lives to do it."""

    def __init__(self, alarm: Callable[[], None] | None) -> None:
        self._alarm = alarm
        self._quiet_since = time.monotonic()
        self._asked_at: int | None = None

    def heard(self) -> None:
        self._quiet_since, self._asked_at = time.monotonic(), None

    def silent(self, run_id: str) -> None:
        if self._alarm is None or time.monotonic() - self._quiet_since < SILENCE_S:
            return
        if self._asked_at is None:
            if Run.objects.filter(pk=run_id, step_runs__status="pending").exists():
                self._asked_at = now_ms()
                dispatch.ask_for_sign_of_life()
            self._quiet_since = time.monotonic()
        elif not _seen_since(self._asked_at):
            self._alarm()
            self._alarm = None
        else:
            self.heard()


def _seen_since(at: int) -> bool:
    return Heartbeat.objects.filter(kind="worker", at__gte=at).exists()
