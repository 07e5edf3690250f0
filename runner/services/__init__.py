"""What people, programs and workers do to runs: one verb each, one transaction each, news after the commit."""

from runner.services.approvals import decide_approval
from runner.services.forks import fork_run, move_run, run_again
from runner.services.history import verify_history
from runner.services.runs import (
    StartedRun,
    actor_of,
    cancel_run,
    pause_run,
    resume_run,
    retry_step,
    send_signal,
    start_run,
)
from runner.services.steps import run_segment

__all__ = [
    "StartedRun",
    "actor_of",
    "cancel_run",
    "decide_approval",
    "fork_run",
    "move_run",
    "pause_run",
    "resume_run",
    "retry_step",
    "run_again",
    "run_segment",
    "send_signal",
    "start_run",
    "verify_history",
]
