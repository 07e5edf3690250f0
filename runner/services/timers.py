"""Timers that are due, and claims whose lease is over: found in the database, made to happen one by one.

Each is a transaction of its own; what has become moot in the meantime changes nothing. Setting timers is the
engine's.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from django.db import DatabaseError

from editor.log_context import bound
from runner.engine.errors import RunError
from runner.engine.happenings import AttemptLost, Happening, TimerDue
from runner.processes import has_ended
from runner.services.after_commit import advance_and_announce
from runner.services.programs import program_of_run
from runner.store.claims import end_leases_of, workers_at_work
from runner.store.sweeping import Due, due_timers, expired_leases
from runner.store.transactions import run_transaction

log = logging.getLogger(__name__)


def fire_due_timers(limit: int, run_id: str | None = None) -> int:
    """Let due timers happen, of one run or of all; gives how many were found."""
    found = due_timers(limit, run_id)
    for due in found:
        _happen(due, partial(TimerDue, timer_id=due.id))
    return len(found)


def end_leases_of_the_dead() -> int:
    """Wait for no lease of a worker that is proved to have ended: one of this machine; gives how many leases."""
    ended = 0
    for worker in workers_at_work():
        if has_ended(worker):
            log.warning("The worker %s has ended; what it was doing is taken back.", worker)
            ended += end_leases_of(worker)
    return ended


def take_back_lost_claims(limit: int, run_id: str | None = None) -> int:
    """Take step runs back from workers whose lease is over; gives how many were found."""
    found = expired_leases(limit, run_id)
    for due in found:
        _happen(due, partial(AttemptLost, step_id=due.id, fence=due.fence))
    return len(found)


def _happen(due: Due, make: Callable[[int], Happening]) -> None:
    """One row's trouble must not keep the others waiting."""
    try:
        with bound(run_id=due.run_id):
            place, program = program_of_run(due.run_id)
            with run_transaction(due.run_id) as work:
                if work is not None and work.version_id == place.version_id:  # else it was moved just now: next time
                    advance_and_announce(program, work, make(work.now))
    except DatabaseError:
        raise
    except RunError as error:
        log.warning("Run %s: %s", due.run_id, error.message)
    except Exception:
        log.exception("Run %s: what is due for %s could not be done", due.run_id, due.id)
