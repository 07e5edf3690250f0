"""`manage.py purge_runs`: deletes old runs for good. What of them stays is told in docs/howto/retention.md."""

from __future__ import annotations

import getpass
from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand

from runner.engine.errors import RunError
from runner.models import to_instant
from runner.services.retention import STATUSES, Purged, Rule, purge_old_runs
from runner.store.old_runs import OldRun

_REFUSED = 2


class Command(BaseCommand):
    help = (
        "Deletes runs that ended long ago, with all their rows. A purge ticket and an audit entry of each run stay."
        " Exit code 2: nothing was deleted, and the message says why."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--older-than", type=int, required=True, metavar="DAYS", help="since the run's end")
        parser.add_argument("--status", action="append", choices=STATUSES, help="may be repeated; left out: all ended")
        parser.add_argument("--flow", metavar="ID", help="only runs of this flow")
        parser.add_argument("--reason", default="", help="kept with tickets and audit; needed unless --dry-run")
        parser.add_argument("--limit", type=int, default=1_000_000, metavar="N", help="delete at most so many runs")
        parser.add_argument("--batch", type=int, default=100, metavar="N", help="runs between two lines of progress")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be deleted")

    def handle(self, *args: Any, **options: Any) -> None:
        rule = Rule(options["older_than"], tuple(options["status"] or STATUSES), options["flow"])
        limit, batch = options["limit"], options["batch"]
        try:
            rule.check()
            if limit < 1 or batch < 1:
                raise RunError("validation_failed", "--limit and --batch are positive numbers.")
            if options["dry_run"]:
                self._show(rule, limit, batch)
                return
            actor = {"kind": "user", "id": "command line", "name": getpass.getuser()}
            done = purge_old_runs(
                rule, actor=actor, reason=options["reason"], limit=limit, batch=batch, tell=self._tell
            )
        except RunError as error:
            self.stderr.write(f"{error.code}: {error.message}")
            raise SystemExit(_REFUSED) from None
        rows = ", ".join(f"{count} {table}" for table, count in sorted(done.rows.items()) if count)
        self.stdout.write(f"Deleted {done.runs} runs{f' with {rows}' if rows else ''}.")
        if done.skipped:
            self.stdout.write(f"Left {done.skipped} runs: their sub-runs still go on, or somebody is busy with them.")

    def _tell(self, done: Purged) -> None:
        self.stdout.write(f"{done.runs} runs deleted so far.")

    def _show(self, rule: Rule, limit: int, batch: int) -> None:
        """Count what the rule finds, without holding all of it."""
        counts: Counter[tuple[str, str]] = Counter()
        steps = events = 0
        first: OldRun | None = None
        last: OldRun | None = None
        while sum(counts.values()) < limit:
            found = rule.find(min(batch, limit - sum(counts.values())), last)
            if not found:
                break
            first, last = first or found[0], found[-1]
            counts.update((old.flow_id or "(no flow)", old.status) for old in found)
            steps, events = steps + sum(old.steps for old in found), events + sum(old.events for old in found)
        self.stdout.write(f"Would delete {sum(counts.values())} runs with {steps} steps and {events} events.")
        if first is not None and last is not None:
            oldest, newest = (to_instant(one.ended_at).strftime("%Y-%m-%d") for one in (first, last))
            self.stdout.write(f"They ended from {oldest} to {newest}:")
        for (flow, status), count in sorted(counts.items()):
            self.stdout.write(f"  {count:>8} {status:<10} {flow}")
