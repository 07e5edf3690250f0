"""Who saw something sensitive: kept in the audit, once for each person and thing."""

from __future__ import annotations

from typing import Any

from editor import audit
from editor.models import AuditEntry
from runner.models import Approval, Run, StepRun
from runner.services.sensitive import sensitive_inputs, touches_sensitive


def note_seen(user: Any, run: Run, where: str, thing: str) -> None:
    """Write down that somebody was shown sensitive values of a run. Again the same thing is not written again."""
    actor = audit.actor_of(user)
    told = {"where": where, "what": thing}
    before = AuditEntry.objects.filter(object_type="run", object_id=run.pk, action="secret-see", after=told)
    if not before.filter(actor_kind=actor["kind"], actor_id=actor["id"]).exists():
        audit.record(user, "secret-see", ("run", run.pk), after=told)


def note_card_seen(user: Any, approval: Approval) -> None:
    """Whoever decides is shown what would be called, sensitive or not: note it if it is."""
    if touches_sensitive(approval.run, approval):
        note_seen(user, approval.run, "approval", approval.pk)


def note_row_seen(user: Any, row: Any) -> None:
    """The same for a row that an admin looks at in the admin, where nothing is covered."""
    run = row if isinstance(row, Run) else row.run
    if isinstance(row, StepRun):
        step: StepRun | None = row
    else:
        step = getattr(row, "step_run", None) or getattr(getattr(row, "approval", None), "step_run", None)
    if touches_sensitive(run, step) if step is not None else bool(sensitive_inputs(run)):
        note_seen(user, run, "admin", f"{row._meta.model_name} {row.pk}")
