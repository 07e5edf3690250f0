"""Checking a run because somebody asks: the proof is history.py's; here it is noted who asked, and what came of it."""

from __future__ import annotations

from typing import Any

from editor import audit
from editor.models import AuditEntry
from runner.services.history import Verdict, verify_history

SHOWN = 5


def check_run(run_id: str, *, by: Any) -> Verdict:
    """Prove a run, and write into the audit who asked and what was found. Raises RunError `not_found`."""
    verdict = verify_history(run_id)
    after = {"result": verdict.result, "events": verdict.events, "rows": verdict.rows}
    if verdict.fault is not None:
        after["fault"] = str(verdict.fault)
    audit.record(by, "run-verify", ("run", run_id), after=after)
    return verdict


def earlier_checks(run_id: str) -> list[AuditEntry]:
    """When a run was checked before, the newest first."""
    rows = AuditEntry.objects.filter(object_type="run", object_id=run_id, action="run-verify")
    return list(rows.order_by("-pk")[:SHOWN])
