"""Happenings: everything nondeterministic that reaches the engine, each with its time and any new names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from runner.engine.events import ENGINE, Actor
from runner.engine.rows import Checkpoint, Usage


@dataclass(frozen=True, slots=True)
class Happening:
    """What all happenings have: when (ms since the epoch, database time) and who."""

    now: int
    actor: Actor = field(default_factory=lambda: ENGINE, kw_only=True)


@dataclass(frozen=True, slots=True)
class RunStarted(Happening):
    """The run row was made; `state` is the checked first state."""

    state: dict[str, Any] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunForked(Happening):
    """The run row was made; it begins where another run stood. `state`: top-level keys that are set anew."""

    checkpoint: Checkpoint
    state: dict[str, Any] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StepClaimed(Happening):
    """A worker takes a step run that is pending and due (or whose lease has expired)."""

    step_id: str
    worker: str = ""
    lease_ms: int = 30_000


@dataclass(frozen=True, slots=True)
class StepFinished(Happening):
    """The handler gave a result. `delta` is a handler's own state change; `notes` are kept on the row.

    `calls`: an agent's model has not answered yet, it wants these tools called: `[{tool, arguments}]`.
    """

    step_id: str
    fence: int
    output: Any = None
    delta: dict[str, Any] | None = None
    usage: Usage = field(default_factory=Usage)
    notes: dict[str, Any] | None = None
    calls: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class StepFailed(Happening):
    """The attempt failed, ran out of time (`operation_timeout`) or answered its abort signal (`canceled`)."""

    step_id: str
    fence: int
    code: str
    message: str
    details: dict[str, Any] | None = None
    usage: Usage = field(default_factory=Usage)
    notes: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class AttemptLost(Happening):
    """A running step's lease has expired: its worker is taken for dead."""

    step_id: str
    fence: int


@dataclass(frozen=True, slots=True)
class ClaimReleased(Happening):
    """A worker that shuts down in order hands its claim back; nothing is counted."""

    step_id: str
    fence: int


@dataclass(frozen=True, slots=True)
class TimerDue(Happening):
    """A timer's time has come."""

    timer_id: str


@dataclass(frozen=True, slots=True)
class ApprovalDecided(Happening):
    """A person decided. `verdict`: approved, rejected; for an unknown outcome: happened, not_happened, try_again.

    `person`: who it is, whichever way they came, so that nobody counts twice; left out, the actor is.
    """

    approval_id: str
    verdict: str
    digest: str
    comment: str = ""
    arguments: dict[str, Any] | None = None
    form: Any = None
    person: str = ""


@dataclass(frozen=True, slots=True)
class SignalReceived(Happening):
    """An outside call sends a value under a key."""

    key: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class ChildEnded(Happening):
    """The run of a sub-flow has ended; `usage` is what it used."""

    step_id: str
    run_id: str
    status: str
    result: Any = None
    error: dict[str, Any] | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class CancelAsked(Happening):
    """Stop for good, at once."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class PauseAsked(Happening):
    """Start nothing new until resumed."""


@dataclass(frozen=True, slots=True)
class ResumeAsked(Happening):
    """Go on after a person's pause."""


@dataclass(frozen=True, slots=True)
class RetryAsked(Happening):
    """A person tries a failed step again."""

    step_id: str
    arguments: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class MoveAsked(Happening):
    """Go on as another version with the same structure, which the shell has made sure of.

    `policy` is that version's; `about` says which version it was and which it is.
    """

    policy: dict[str, Any] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
