"""`manage.py run_status RUN_ID`: where a run stands, in a screenful."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runner.engine.statuses import STEP_LIVE
from runner.management.printing import result_lines
from runner.models import Run

_MOST_STEPS = 50


class Command(BaseCommand):
    help = "Shows where a run stands: its status, live and failed steps, open approvals, usage, result or error."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run_id")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        run = Run.objects.select_related("version").filter(pk=options["run_id"]).first()
        if run is None:
            raise CommandError(f"There is no run {options['run_id']!r}.", returncode=2)
        status = _status_of(run)
        if options["json"]:
            self.stdout.write(json.dumps(status, ensure_ascii=False, indent=2))
            return
        self.stdout.write(f"{status['flow']}: started {status['started_at']}, {status['events']} events")
        for line in result_lines(run):
            self.stdout.write(line)
        for step in status["steps"]:
            what = f" {step['error']['code']}: {step['error']['message']}" if step["error"] else ""
            self.stdout.write(
                f"  {step['status']:<10} {step['path']} (visit {step['visit']}, attempt {step['attempt']}){what}"
            )
        for approval in status["approvals"]:
            self.stdout.write(f"  waits for a decision: {approval['title']} ({approval['id']})")


def _status_of(run: Run) -> dict[str, Any]:
    shown = run.step_runs.filter(status__in=[*sorted(STEP_LIVE), "failed", "budget_exhausted"])
    steps = shown.order_by("created_at", "id").defer("input", "output", "delta")[:_MOST_STEPS]
    return {
        "run": run.pk,
        "flow": str(run.version),
        "status": run.status,
        "started_at": run.started_at.isoformat(),
        "ended_at": run.ended_at.isoformat() if run.ended_at else None,
        "events": run.seq,
        "usage": {
            "input_tokens": run.input_tokens,
            "output_tokens": run.output_tokens,
            "cost_usd": run.cost_micros / 1_000_000,
            "units": run.units,
        },
        "error": run.error,
        "result": run.value_of("result"),
        "steps": [
            {
                "id": step.pk,
                "path": step.path,
                "visit": step.visit,
                "attempt": step.attempt,
                "status": step.status,
                "error": step.error,
            }
            for step in steps
        ],
        "approvals": [
            {"id": approval.pk, "title": str(approval), "digest": approval.digest}
            for approval in run.approvals.open().order_by("created_at")
        ],
    }
