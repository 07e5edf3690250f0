"""Deleting old runs for good: which, how many at a time, and what of them stays for an audit.

Of each run a purge ticket stays (who, why, the hash of its last event, how many rows) and an audit entry: flow and
version, who started it and when, how it ended, and who decided what. Values, events and artifacts are gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from editor import audit
from runner.engine.errors import RunError
from runner.engine.events import ENGINE, Actor
from runner.engine.statuses import RUN_ENDED
from runner.models import Decision, Run
from runner.store.old_runs import OldRun, family_of, old_runs
from runner.store.purge import purge_run

DAY_MS = 24 * 3_600_000
STATUSES = tuple(sorted(status.value for status in RUN_ENDED))
#: Decisions of one run that its audit entry lists; more are counted.
MOST_DECISIONS = 100
#: One run may have a hundred thousand steps: deleting it may take longer than a statement of a page may.
LONGEST_DELETION_MS = 15 * 60_000


@dataclass(frozen=True, slots=True)
class Rule:
    """Runs with these statuses that ended more than so many days ago, of one flow or of all."""

    days: int
    statuses: Sequence[str] = STATUSES
    flow_id: str | None = None

    def check(self) -> None:
        """Raise RunError `validation_failed` for a rule that makes no sense."""
        if self.days < 1:
            raise RunError("validation_failed", "Keep runs for at least one day after their end.")
        unknown = set(self.statuses) - set(STATUSES)
        if unknown or not self.statuses:
            raise RunError("validation_failed", f"Only ended runs can be deleted: {', '.join(STATUSES)}.")

    def find(self, limit: int, after: OldRun | None = None) -> list[OldRun]:
        """The runs of this rule, the oldest first."""
        return old_runs(
            older_than_ms=self.days * DAY_MS, statuses=self.statuses, flow_id=self.flow_id, after=after, limit=limit
        )


@dataclass(slots=True)
class Purged:
    """How many runs were deleted, with how many rows of each table; how many could not be, for now."""

    runs: int = 0
    skipped: int = 0
    rows: Counter[str] = field(default_factory=Counter)


def purge_old_runs(
    rule: Rule,
    *,
    actor: Actor,
    reason: str,
    limit: int,
    batch: int = 100,
    tell: Callable[[Purged], None] = lambda _: None,
) -> Purged:
    """Delete what a rule says, at most `limit` runs (sub-runs not counted), each in a transaction of its own.

    `tell` is called after each batch. A run whose sub-runs still go on is skipped. Raises RunError
    `validation_failed` for a rule that makes no sense, or without a reason.
    """
    rule.check()
    if not reason.strip():
        raise RunError("validation_failed", "Say why the runs are deleted: tickets and audit keep it.")
    done, last = Purged(), None
    while done.runs + done.skipped < limit:
        found = rule.find(min(batch, limit - done.runs - done.skipped), last)
        if not found:
            break
        for old in found:
            last = old
            _purge_family(old, actor, reason, done)
        tell(done)
    return done


def _purge_family(old: OldRun, actor: Actor, reason: str, done: Purged) -> None:
    """Delete a run with its sub-runs, those that nobody refers to first; all of them, or none."""
    try:
        with transaction.atomic():
            _take_time()
            family = family_of(old.id)
            if not family or not all(has_ended for _, has_ended in family):
                done.skipped += 1
                return
            counted: Counter[str] = Counter()
            for run_id, _ in family:
                counted.update(_purge_one(run_id, actor, reason))
    except RunError as error:
        if error.code not in ("not_found", "run_busy"):  # somebody else deleted it, or tried it again, just now
            raise
        done.skipped += 1
        return
    done.runs += 1
    done.rows.update(counted)


def _purge_one(run_id: str, actor: Actor, reason: str) -> dict[str, int]:
    before = _facts(run_id)
    counts = purge_run(run_id, actor=actor, reason=reason)
    audit.record(actor, "run-purge", ("run", run_id), before=before, after={"deleted": counts}, reason=reason)
    return counts


def _take_time() -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = {LONGEST_DELETION_MS}")


def _facts(run_id: str) -> dict[str, Any]:
    """What an audit asks of a run that is gone: no inputs, outputs or arguments, only their digests."""
    run = Run.objects.select_related("version").defer("inputs", "result", "policy", "version__document").get(pk=run_id)
    decisions = Decision.objects.filter(run=run_id).select_related("approval").order_by("at", "pk")
    listed = [
        {
            "path": one.approval.path,
            "tool": one.approval.tool,
            "verdict": one.verdict,
            "by": one.actor,
            "at": one.at.isoformat(),
            "digest": one.digest,
        }
        for one in decisions.defer("arguments", "form", "approval__arguments", "approval__form")[:MOST_DECISIONS]
    ]
    return {
        "flow": run.flow_id,
        "version": run.version.number,
        "content_hash": run.version.content_hash,
        "parent_run": run.parent_run,
        "status": run.status,
        "actor": run.actor,
        "started_at": run.started_at.isoformat(),
        "ended_at": run.ended_at.isoformat() if run.ended_at else None,
        "steps": run.steps,
        "cost_micros": run.cost_micros,
        "head_hash": run.head_hash,
        "decisions": listed,
        "more_decisions": max(0, decisions.count() - len(listed)),
    }


def automatic_rule() -> Rule | None:
    """What the settings say is to be deleted by itself, or None."""
    days: int = settings.RETENTION["DAYS"]
    return Rule(days, tuple(settings.RETENTION["STATUSES"])) if days else None


def purge_by_settings() -> int:
    """One round of the automatic deletion, if the settings ask for it; gives how many runs were deleted."""
    rule = automatic_rule()
    if rule is None:
        return 0
    reason = f"Kept for {rule.days} days after its end, as the settings say."
    return purge_old_runs(rule, actor=ENGINE, reason=reason, limit=settings.RETENTION["BATCH"]).runs
