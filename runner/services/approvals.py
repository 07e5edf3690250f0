"""Deciding approvals: the decision itself, exactly once. Who may is deciding.py's."""

from __future__ import annotations

from typing import Any

from editor import pseudonyms
from runner.deciding import refusal
from runner.engine.errors import RunError
from runner.engine.events import Actor
from runner.engine.happenings import ApprovalDecided
from runner.engine.rows import RunRow
from runner.models import Approval, Decision
from runner.services.runs import ask, from_outside

LONGEST_COMMENT = 10_000


def decide_approval(
    approval_id: str,
    *,
    verdict: str,
    digest: str,
    actor: Actor,
    user: Any = None,
    comment: str = "",
    arguments: dict[str, Any] | None = None,
    form: Any = None,
    person: str = "",
) -> RunRow:
    """Decide an approval: `approved` or `rejected` (an unknown outcome: `happened`, `not_happened`, `try_again`).

    `digest` is that of what the reviewer was shown. `user` None: a program decides, whose right was checked
    elsewhere; `person` then says who it stands for. Where several have to approve, the approval stays open until the
    last has. Raises RunError: `approval_not_found`, `permission_denied`, `self_approval`,
    `approval_already_decided` (details say who decided what), `approval_expired`,
    `approval_digest_mismatch`, `validation_failed`.
    """
    approval = find_approval(approval_id, user)
    if user is not None:
        refused = refusal(user, approval)
        if refused is not None:
            raise refused
    note = from_outside(comment, "The comment")
    if len(note) > LONGEST_COMMENT:
        raise RunError("value_too_large", f"The comment is longer than {LONGEST_COMMENT:,} characters.")
    changed = None if arguments is None else from_outside(arguments, "The arguments")
    filled = from_outside(form, "The form")

    def decided(now: int) -> ApprovalDecided:
        return ApprovalDecided(
            now,
            approval_id=approval_id,
            verdict=verdict,
            digest=digest,
            comment=note,
            arguments=changed,
            form=filled,
            person=person if user is None else str(user.pk),
            actor=actor,
        )

    try:
        return ask(approval.run_id, decided)
    except RunError as error:
        raise _with_winner(error, approval_id) from None


def find_approval(approval_id: str, user: Any) -> Approval:
    """An approval that a user may see; `user` None: any. Raises RunError `approval_not_found`."""
    found = Approval.objects.select_related("run", "run__flow", "delegate")
    if user is not None:
        found = found.visible_to(user)
    approval = found.filter(pk=approval_id).first()
    if approval is None:
        raise RunError("approval_not_found", "There is no such approval. Look for it in the inbox.")
    return approval


def _with_winner(error: RunError, approval_id: str) -> RunError:
    """Say who was first, where somebody was."""
    if error.code != "approval_already_decided":
        return error
    decision = Decision.objects.filter(approval_id=approval_id).first()
    if decision is None:  # withdrawn; or still open, and this person has approved already
        return error
    actor = pseudonyms.shown(decision.actor)
    name = actor.get("name") or actor.get("id") or "somebody"
    details = {"verdict": decision.verdict, "by": actor, "at": decision.at.isoformat()}
    return RunError(error.code, f"{name} has decided this already: {decision.verdict}.", details=details)
