"""Commands: what the engine asks its shell to do once a transition is committed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ExecuteStep:
    """Run the node's handler with this input; only the holder of this fence may report the result.

    `pure`: nothing is left to run, the claim already worked out the result; the shell reports
    `StepFinished(step_id, fence)` at once (in the same transaction if it likes).
    """

    step_id: str
    fence: int
    node: str
    type: str
    path: str
    visit: int
    attempt: int
    input: Any
    effect_key: str
    limit_ms: int | None
    pure: bool = False


@dataclass(frozen=True, slots=True)
class HintStep:
    """A step run is pending: queue a hint for its backend. It may get lost."""

    step_id: str
    backend: str
    not_before: int


@dataclass(frozen=True, slots=True)
class CancelStep:
    """Send the running step its abort signal."""

    step_id: str


@dataclass(frozen=True, slots=True)
class AskPerson:
    """An approval is open: tell the people who may decide it."""

    approval_id: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run has ended with this status."""

    status: str


@dataclass(frozen=True, slots=True)
class StartRun:
    """Make and start the child run of a sub-flow step, in the transaction that asks for it.

    `parent_step` is the step run that waits for it; None: nobody does.
    """

    run_id: str
    flow: str
    version: int | str
    state: dict[str, Any]
    parent_run: str
    parent_step: str | None
    depth: int


@dataclass(frozen=True, slots=True)
class CancelRun:
    """Cancel a child run that nobody waits for any more."""

    run_id: str


Command = StartRun | CancelRun | ExecuteStep | HintStep | CancelStep | AskPerson | RunEnded
