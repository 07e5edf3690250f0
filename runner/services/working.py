"""Driving one run in the calling process, without a broker: for the command line, and for whoever has no worker."""

from __future__ import annotations

from django.conf import settings

from runner.services.steps import run_segment
from runner.services.timers import fire_due_timers, take_back_lost_claims
from runner.store.claims import pending_steps


def work_on(run_id: str) -> int:
    """Do what is due in a run now: claims to take back, timers, pending steps. Gives how much there was."""
    batch = settings.FLOWSITE["SWEEP_BATCH"]
    done = take_back_lost_claims(batch, run_id) + fire_due_timers(batch, run_id)
    for step_id, _ in pending_steps(run_id):
        done += run_segment(step_id)
    return done
