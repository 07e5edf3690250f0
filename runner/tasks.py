"""Celery's way in: each task calls one service. What a step is and does is not known here."""

from __future__ import annotations

import logging
import time
from typing import Any

from celery import shared_task
from celery.exceptions import ImproperlyConfigured
from celery.signals import worker_init, worker_ready

from runner import dispatch
from runner.dispatch import BEAT, MAIL, RUN_STEP, SWEEP
from runner.leases import show_life as beat_now
from runner.services.mail import send_due_mail
from runner.services.steps import run_segment
from runner.sweeper import sweep as sweep_once

log = logging.getLogger(__name__)

#: A busy worker shows that it is alive this often, in seconds.
BEAT_S = 5.0
_last_beat = 0.0


@shared_task(name=RUN_STEP, ignore_result=True)  # type: ignore[untyped-decorator]
def run_step(step_id: str) -> None:
    """A step run is pending: take it, if nobody has."""
    _show_life()
    run_segment(step_id)


@shared_task(name=SWEEP, ignore_result=True)  # type: ignore[untyped-decorator]
def sweep() -> None:
    """One round of the sweeper: at a worker's start, when there may be more to take back than usual."""
    _show_life()
    sweep_once()


@shared_task(name=BEAT, ignore_result=True)  # type: ignore[untyped-decorator]
def show_life() -> None:
    """Somebody wants to know whether a worker is alive."""
    _show_life(at_once=True)


@shared_task(name=MAIL, ignore_result=True)  # type: ignore[untyped-decorator]
def send_mail() -> None:
    """Somebody is to be told of approvals by e-mail."""
    _show_life()
    send_due_mail()


def _show_life(*, at_once: bool = False) -> None:
    global _last_beat
    now = time.monotonic()
    if at_once or now - _last_beat >= BEAT_S:
        _last_beat = now
        beat_now(dispatch.queues_taken())


@worker_init.connect  # type: ignore[untyped-decorator]
def refuse_other_pools(sender: Any = None, **_: Any) -> None:
    """Only prefork can end a step that does not stop by itself."""
    pool = getattr(sender, "pool_cls", None)
    name = pool if isinstance(pool, str) else f"{getattr(pool, '__module__', '')}"
    if not name.endswith("prefork"):
        raise ImproperlyConfigured(f"The pool {name} has no time limits. Start the worker with --pool prefork.")


@worker_ready.connect  # type: ignore[untyped-decorator]
def sweep_at_start(**_: Any) -> None:
    """What an earlier worker left is taken back now, not at the sweeper's leisure."""
    try:
        sweep.apply_async(ignore_result=True)
    except Exception as error:  # the broker may be away: the sweeper process is there
        log.warning("The first sweep could not be queued: %r", error)
