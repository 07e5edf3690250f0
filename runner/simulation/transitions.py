"""Which pairs of a status and a happening were exercised, and which cannot come about, each with its reason.

The pairs of a run: its status, and every happening. Those of a step run: its status, and the happenings about steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from runner.engine.errors import RunError
from runner.engine.happenings import (
    ApprovalDecided,
    AttemptLost,
    CancelAsked,
    ChildEnded,
    ClaimReleased,
    Happening,
    MoveAsked,
    PauseAsked,
    ResumeAsked,
    RetryAsked,
    RunForked,
    RunStarted,
    SignalReceived,
    StepClaimed,
    StepFailed,
    StepFinished,
    TimerDue,
)
from runner.engine.machine import advance
from runner.engine.program import Program
from runner.engine.slice import Slice, Transition
from runner.engine.statuses import RunStatus, StepStatus

#: A run whose row was made and to which nothing has happened.
NEW = "new"
RUN, STEP = "run", "step"

_BEGINNINGS = (RunStarted, RunForked)
_REPORTS = (StepFinished, StepFailed, AttemptLost, ClaimReleased)
OF_STEPS: tuple[type[Happening], ...] = (StepClaimed, *_REPORTS, TimerDue, ApprovalDecided, ChildEnded, RetryAsked)
OF_RUNS: tuple[type[Happening], ...] = (
    *_BEGINNINGS, *OF_STEPS, SignalReceived, CancelAsked, PauseAsked, ResumeAsked, MoveAsked,
)  # fmt: skip

Pair = tuple[str, str, str]
"""Of what (run or step), its status, and the name of the happening."""

PAIRS: tuple[Pair, ...] = (
    *((RUN, status, kind.__name__) for status in (NEW, *map(str, RunStatus)) for kind in OF_RUNS),
    *((STEP, str(status), kind.__name__) for status in StepStatus for kind in OF_STEPS),
)


@dataclass(frozen=True)
class Impossible:
    """Pairs that cannot come about; empty `statuses` or `kinds`: all."""

    about: str
    statuses: tuple[str, ...]
    kinds: tuple[type[Happening], ...]
    reason: str

    def covers(self, pair: Pair) -> bool:
        """Whether a pair is among these."""
        about, status, kind = pair
        names = {one.__name__ for one in self.kinds}
        return about == self.about and (not self.statuses or status in self.statuses) and (not names or kind in names)


_STARTED = tuple(map(str, RunStatus))

IMPOSSIBLE: tuple[Impossible, ...] = (
    Impossible(
        RUN,
        (NEW,),
        tuple(kind for kind in OF_RUNS if kind not in _BEGINNINGS),
        "the row is made in the transaction that starts the run: nobody knows of it before",
    ),
    Impossible(RUN, _STARTED, _BEGINNINGS, "a run begins once: the transaction that starts it makes its row"),
    Impossible(STEP, ("skipped",), _REPORTS, "a disabled node is passed through: nobody ever claims it"),
    Impossible(
        STEP,
        ("skipped",),
        (TimerDue, ApprovalDecided, ChildEnded),
        "a disabled node sets no timer, asks nobody, starts no run",
    ),
    Impossible(STEP, ("budget_exhausted",), (ChildEnded,), "a sub-flow whose budget is used up starts no run"),
    Impossible(
        STEP,
        ("pending", "running"),
        (ChildEnded,),
        "the claim that starts a child run makes its step wait; from there it goes on to an end",
    ),
)


@dataclass
class Transitions:
    """What was exercised: how often each pair changed something, was moot, or was refused."""

    seen: dict[Pair, Counter[str]] = field(default_factory=dict)

    def advance(self, program: Program, slice_: Slice, happening: Happening) -> Transition:
        """As the engine's `advance`, and note it."""
        pairs = pairs_of(slice_, happening)
        try:
            transition = advance(program, slice_, happening)
        except RunError:
            self._note(pairs, "refused")
            raise
        self._note(pairs, "changed" if transition.events or transition.commands else "moot")
        return transition

    def _note(self, pairs: list[Pair], how: str) -> None:
        for pair in pairs:
            self.seen.setdefault(pair, Counter())[how] += 1

    def open(self) -> Iterator[Pair]:
        """Pairs that were not exercised and are not declared impossible."""
        return (pair for pair in PAIRS if pair not in self.seen and reason_of(pair) is None)

    def contradictions(self) -> Iterator[Pair]:
        """Pairs that came about although they are declared impossible."""
        return (pair for pair in PAIRS if pair in self.seen and reason_of(pair) is not None)

    def lines(self) -> Iterator[str]:
        """The whole list, a line for each pair."""
        for pair in PAIRS:
            about, status, kind = pair
            told = ", ".join(f"{how} {count}" for how, count in sorted(self.seen.get(pair, Counter()).items()))
            reason = reason_of(pair)
            told = told or (f"impossible: {reason}" if reason else "NOT EXERCISED")
            yield f"{about:<4} {status:<17} {kind:<15} {told}"


def reason_of(pair: Pair) -> str | None:
    """Why a pair cannot come about; None: it can."""
    return next((one.reason for one in IMPOSSIBLE if one.covers(pair)), None)


def pairs_of(slice_: Slice, happening: Happening) -> list[Pair]:
    """The pairs that this happening exercises, as the rows are now."""
    kind = type(happening).__name__
    pairs: list[Pair] = [(RUN, str(slice_.run.status) if slice_.run.seq else NEW, kind)]
    step_id = getattr(happening, "step_id", None)
    if isinstance(happening, TimerDue):
        timer = slice_.timer(happening.timer_id)
        step_id = timer.step_id if timer is not None else None
    elif isinstance(happening, ApprovalDecided):
        approval = slice_.approval(happening.approval_id)
        step_id = approval.step_id if approval is not None else None
    step = slice_.step(step_id) if step_id else None
    if step is not None:
        pairs.append((STEP, str(step.status), kind))
    return pairs
