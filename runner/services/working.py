"""Driving one run in the calling process, without a broker: for the command line, and for whoever has no worker."""

from __future__ import annotations

from django.conf import settings

from runner.services.after_commit import settle_child_runs
from runner.services.steps import run_segment
from runner.services.timers import fire_due_timers, take_back_lost_claims
from runner.store.children import live_descendants
from runner.store.claims import pending_steps


def work_on(run_id: str) -> int:
    """Do what is due in a run and its child runs now: lost claims, timers, pending steps. Gives how much there was."""
    batch = settings.FLOWSITE["SWEEP_BATCH"]
    done = settle_child_runs(batch)
    below = live_descendants(run_id)
    for one in (run_id, *below):
        done += take_back_lost_claims(batch, one) + fire_due_timers(batch, one)
        for step_id, _ in pending_steps(one):
            done += run_segment(step_id)
    made_meanwhile = set(live_descendants(run_id)) - set(below)
    return done + len(made_meanwhile)
