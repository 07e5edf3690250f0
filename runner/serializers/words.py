"""Statuses in honest words, each with the name of its mark. Derived from rows; pages and sockets add nothing."""

from __future__ import annotations

from dataclasses import dataclass

from editor import pseudonyms
from runner.engine.statuses import ApprovalStatus, RunStatus, StepStatus
from runner.models import Approval, Run, StepRun


@dataclass(frozen=True, slots=True)
class Words:
    """What a page says about a status: the text, and the mark (icon and tint) that goes with it."""

    text: str
    mark: str


_RUN = {
    RunStatus.AWAITING_APPROVAL: Words("Waiting for approval", "approval"),
    RunStatus.PAUSED: Words("Paused", "paused"),
    RunStatus.SUCCEEDED: Words("Succeeded", "succeeded"),
    RunStatus.FAILED: Words("Failed", "failed"),
    RunStatus.CANCELED: Words("Canceled", "canceled"),
}
_STEP = {
    StepStatus.PENDING: Words("Queued", "queued"),
    StepStatus.RUNNING: Words("Running", "running"),
    StepStatus.SUCCEEDED: Words("Succeeded", "succeeded"),
    StepStatus.FAILED: Words("Failed", "failed"),
    StepStatus.BUDGET_EXHAUSTED: Words("Budget exhausted", "expired"),
    StepStatus.CANCELED: Words("Canceled", "canceled"),
    StepStatus.SKIPPED: Words("Skipped (disabled)", "skipped"),
}
_WAITING = {
    "person": Words("Waiting for approval", "approval"),
    "timer": Words("Waiting for its time", "waiting"),
    "signal": Words("Waiting for a signal", "waiting"),
    "run": Words("Waiting for its sub-run", "waiting"),
    "calls": Words("Waiting for its calls", "waiting"),
}
_APPROVAL = {
    ApprovalStatus.OPEN: Words("Open", "approval"),
    ApprovalStatus.APPROVED: Words("Approved", "succeeded"),
    ApprovalStatus.REJECTED: Words("Rejected", "failed"),
    ApprovalStatus.EXPIRED: Words("Expired, no decision", "expired"),
    ApprovalStatus.CANCELED: Words("Withdrawn: the run went on without it", "canceled"),
}
_VERDICT = {
    "approved": "Approved",
    "rejected": "Rejected",
    "happened": "Said to have happened",
    "not_happened": "Said not to have happened",
    "try_again": "To be tried again",
}


def count_of(number: int, noun: str) -> str:
    """`1 step`, `2 steps`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def run_words(run: Run) -> Words:
    """Say where a run stands. A run that ended well over failed steps says so."""
    if run.status == RunStatus.ACTIVE:
        return _active_words(run)
    words = _RUN[RunStatus(run.status)]
    if run.status == RunStatus.SUCCEEDED and run.failed_steps:
        return Words(f"Succeeded with {count_of(run.failed_steps, 'failed step')}", "warned")
    return words


def _active_words(run: Run) -> Words:
    if run.running:
        return Words("Running", "running")
    waiting = run.waiting_other + run.waiting_person
    if waiting and run.live <= waiting:
        return Words("Waiting", "waiting")
    return Words("Queued", "queued")


def step_words(step: StepRun, now_ms: int | None = None, due_ms: int | None = None) -> Words:
    """Say where an attempt stands. `due_ms` is `not_before`; both are needed to tell a back-off."""
    if step.status == StepStatus.WAITING:
        return _WAITING.get(step.waits_for, Words("Waiting for the steps inside", "running"))
    if step.status == StepStatus.RUNNING and step.cancel_requested:
        return Words("Cancelling", "running")
    if step.status == StepStatus.PENDING and due_ms is not None and now_ms is not None and due_ms > now_ms:
        return Words("Retrying later" if step.attempt > 1 else "Waiting for its time", "retrying")
    if step.status == StepStatus.FAILED and (step.error or {}).get("code") == "approval_expired":
        return Words("Expired, no decision", "expired")
    return _STEP[StepStatus(step.status)]


def approval_words(approval: Approval) -> Words:
    """Say where an approval stands; what was decided about an unknown outcome is said as such."""
    decision = getattr(approval, "decision", None)
    words = _APPROVAL[ApprovalStatus(approval.status)]
    if decision is not None and decision.verdict not in ("approved", "rejected"):
        return Words(verdict_words(decision.verdict), words.mark)
    return words


def verdict_words(verdict: str) -> str:
    """A decision's verdict for people."""
    return _VERDICT.get(verdict, verdict.replace("_", " "))


def actor_words(actor: dict[str, object] | None) -> str:
    """Who did something, by name."""
    if not actor:
        return "somebody"
    if actor.get("kind") == "engine":
        return "the engine"
    actor = pseudonyms.shown(actor)
    name = actor.get("name") or actor.get("id")
    kind = actor.get("kind")
    return str(name) if kind == "user" and name else f"{kind} {name}" if name else f"a {kind}"


def who_decides(group: str | None, assignees: list[str]) -> str:
    """The people who may decide an approval."""
    if assignees:
        return ", ".join(assignees)
    return f"the group {group}" if group else "a reviewer"


def duration_words(ms: int) -> str:
    """A length of time for people: `340 ms`, `18.2 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`."""
    if ms < 1000:
        return f"{max(ms, 0)} ms"
    if ms < 60_000:
        return f"{ms / 1000:.1f} s"
    minutes, seconds = divmod(ms // 1000, 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min"
    return f"{hours // 24} d {hours % 24} h"


def size_words(size: int) -> str:
    """A number of bytes for people."""
    if size < 1024:
        return count_of(size, "byte")
    if size < 1024 * 1024:
        return f"{size / 1024:.1f} KiB"
    return f"{size / (1024 * 1024):.1f} MiB"


def money_words(micros: int) -> str:
    """Micro-dollars as dollars."""
    return f"${micros / 1_000_000:.6f}".rstrip("0").rstrip(".") if micros else "$0"
