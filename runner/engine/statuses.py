"""Statuses of runs, step runs, scopes and approvals, as tables: what may follow what. Pages derive more words."""

from __future__ import annotations

from enum import StrEnum


class RunStatus(StrEnum):
    """Where a run stands."""

    ACTIVE = "active"
    AWAITING_APPROVAL = "awaiting_approval"
    PAUSED = "paused"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"


class StepStatus(StrEnum):
    """Where one attempt at one node stands."""

    PENDING = "pending"
    RUNNING = "running"
    WAITING = "waiting"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    BUDGET_EXHAUSTED = "budget_exhausted"
    CANCELED = "canceled"
    SKIPPED = "skipped"


class ApprovalStatus(StrEnum):
    """Where a request to a person stands."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELED = "canceled"


class ScopeStatus(StrEnum):
    """Where a scope stands. A settling scope waits for its running steps to answer; a closed one has failed."""

    OPEN = "open"
    SETTLING = "settling"
    JOINED = "joined"
    CLOSED = "closed"


class ScopeKind(StrEnum):
    """What a scope is: `branch` is one path of a region; every other kind is a region, the place where paths live."""

    ROOT = "root"
    SEQUENCE = "sequence"
    PARALLEL = "parallel"
    LOOP = "loop"
    ITERATION = "iteration"
    FAN_OUT = "fan_out"
    GROUP = "group"
    BRANCH = "branch"


RUN_LIVE = frozenset({RunStatus.ACTIVE, RunStatus.AWAITING_APPROVAL, RunStatus.PAUSED})
RUN_ENDED = frozenset({RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELED})
STEP_LIVE = frozenset({StepStatus.PENDING, StepStatus.RUNNING, StepStatus.WAITING})
STEP_ENDED = frozenset(StepStatus) - STEP_LIVE

#: What may follow a run's status. `failed` can only become `active` again by a person's retry.
RUN_MOVES: dict[RunStatus, frozenset[RunStatus]] = {
    RunStatus.ACTIVE: frozenset(RunStatus) - {RunStatus.ACTIVE},
    RunStatus.AWAITING_APPROVAL: frozenset(RunStatus) - {RunStatus.AWAITING_APPROVAL},
    RunStatus.PAUSED: frozenset(RunStatus) - {RunStatus.PAUSED},
    RunStatus.SUCCEEDED: frozenset(),
    RunStatus.FAILED: frozenset({RunStatus.ACTIVE}),
    RunStatus.CANCELED: frozenset(),
}

#: What may follow a step run's status. Ended rows never change: another attempt is another row.
STEP_MOVES: dict[StepStatus, frozenset[StepStatus]] = {
    StepStatus.PENDING: frozenset(
        {
            StepStatus.RUNNING,
            StepStatus.WAITING,
            StepStatus.FAILED,
            StepStatus.BUDGET_EXHAUSTED,
            StepStatus.CANCELED,
            StepStatus.SKIPPED,
        }
    ),
    StepStatus.RUNNING: frozenset(
        {
            StepStatus.PENDING,
            StepStatus.WAITING,
            StepStatus.SUCCEEDED,
            StepStatus.FAILED,
            StepStatus.BUDGET_EXHAUSTED,
            StepStatus.CANCELED,
        }
    ),
    StepStatus.WAITING: frozenset({StepStatus.PENDING, StepStatus.SUCCEEDED, StepStatus.FAILED, StepStatus.CANCELED}),
    **{ended: frozenset[StepStatus]() for ended in STEP_ENDED},
}


def can_become(now: RunStatus, then: RunStatus) -> bool:
    """Whether a run may go from one status to another."""
    return then in RUN_MOVES[now]


def step_can_become(now: StepStatus, then: StepStatus) -> bool:
    """Whether a step run may go from one status to another."""
    return then in STEP_MOVES[now]
