"""The sweeper: finds in the database what nobody does, and sees to it. The only recovery there is.

Any number of copies may run. Each round is bounded; a round that found all it may take is followed by another.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass

from django.conf import settings
from django.db import Error, connections

from editor.log_context import bound
from runner import dispatch
from runner.processes import own_name
from runner.services.after_commit import settle_child_runs
from runner.services.mail import mail_is_due
from runner.services.retention import purge_by_settings
from runner.services.routing import route_due
from runner.services.timers import end_leases_of_the_dead, fire_due_timers, take_back_lost_claims
from runner.store.sweeping import (
    beat,
    forget_old_heartbeats,
    heartbeat_age_ms,
    sign_open_run,
    take_due_hints,
    unsigned_runs,
)

log = logging.getLogger(__name__)

#: A worker that was not seen for so long is asked for a sign of life.
WORKER_SILENCE_MS = 10_000
LONGEST_PAUSE_S = 30.0
#: Rounds between two looks for heartbeats of processes long gone.
TIDY_EVERY = 600
#: Seconds between two looks for approvals to remind of or escalate, and for mail to send.
ROUTING_EVERY_S = 5.0
#: Seconds between two looks for runs that the settings say are too old.
RETENTION_EVERY_S = 60.0


@dataclass(frozen=True, slots=True)
class Swept:
    """How much one round found."""

    lost: int
    timers: int
    hints: int
    signed: int
    children: int = 0

    def is_full(self, batch: int) -> bool:
        """Whether there may be more of something."""
        return batch in (self.lost, self.timers, self.children)


def sweep() -> Swept:
    """One round: lost claims, due timers, hints for what nobody claimed, word between runs, signatures."""
    batch = settings.FLOWSITE["SWEEP_BATCH"]
    end_leases_of_the_dead()
    lost = take_back_lost_claims(batch)
    timers = fire_due_timers(batch)
    hints = take_due_hints(batch)
    dispatch.hint_again(hints, at_most=batch)
    children = settle_child_runs(batch)
    signed = sum(sign_open_run(run_id) for run_id in unsigned_runs(batch))
    return Swept(lost, timers, len(hints), signed, children)


def look_after_approvals() -> None:
    """Remind of approvals and escalate them where it is time, and have a worker send the mail that is due."""
    route_due(settings.FLOWSITE["SWEEP_BATCH"])
    if mail_is_due():
        dispatch.ask_for_mail()


def sweep_on(stop: threading.Event) -> None:
    """Sweep until told to stop. A database that does not answer is waited for."""
    name = f"sweeper {own_name()}"
    interval = settings.FLOWSITE["SWEEP_MS"] / 1000
    pause, rounds, retained, routed = interval, 0, -RETENTION_EVERY_S, -ROUTING_EVERY_S
    while not stop.is_set():
        try:
            beat(name, "sweeper")
            with bound(worker=own_name()):
                swept = sweep()
            if rounds % TIDY_EVERY == 0:
                forget_old_heartbeats()
            if time.monotonic() - retained >= RETENTION_EVERY_S:
                retained = time.monotonic()
                purge_by_settings()
            if time.monotonic() - routed >= ROUTING_EVERY_S:
                routed = time.monotonic()
                look_after_approvals()
            silence = heartbeat_age_ms("worker")
            if silence is None or silence > WORKER_SILENCE_MS:
                dispatch.ask_for_sign_of_life(at_most=settings.FLOWSITE["SWEEP_BATCH"])
            rounds += 1
            pause = 0.0 if swept.is_full(settings.FLOWSITE["SWEEP_BATCH"]) else interval
        except Error as error:
            log.warning("The database does not answer, the sweeper tries again: %s", error)
            connections.close_all()
            pause = min(max(2 * pause, interval), LONGEST_PAUSE_S)
        stop.wait(pause)
