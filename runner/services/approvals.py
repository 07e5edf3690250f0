"""Deciding approvals: who may, and the decision itself, exactly once."""

from __future__ import annotations

from typing import Any

from editor.language.catalog import Catalog
from editor.visibility import DECIDE, group_names, may
from runner.catalog import CATALOG
from runner.engine.errors import RunError
from runner.engine.events import Actor
from runner.engine.happenings import ApprovalDecided
from runner.engine.rows import RunRow
from runner.models import Approval, Decision
from runner.models.visibility import is_admin
from runner.services.runs import ask, from_outside

LONGEST_COMMENT = 10_000


def refusal(user: Any, approval: Approval, catalog: Catalog = CATALOG) -> RunError | None:
    """Why this user may not decide this approval, or None.

    Whom the document names, decides; where it names nobody, whoever has the right on the flow. The approval's run
    and its flow must be loaded with it (`select_related("run__flow")`).
    """
    if not _is_asked(user, approval):
        who = ", ".join(approval.assignees) or approval.group or "reviewers"
        return RunError("permission_denied", f"This is for {who} to decide.")
    if approval.run.started_by_id == user.pk and not _may_approve_own(approval, catalog):
        return RunError("self_approval", "You started this run, so somebody else has to decide.")
    return None


def _is_asked(user: Any, approval: Approval) -> bool:
    if not user.is_active:
        return False
    if is_admin(user):
        return True
    names = group_names(user)
    if approval.assignees:
        return user.get_username() in approval.assignees or bool(names.intersection(approval.assignees))
    if approval.group:
        return approval.group in names
    return may(user, DECIDE, approval.run.flow)


def _may_approve_own(approval: Approval, catalog: Catalog) -> bool:
    allowed = catalog.site.self_approval
    if allowed is not None:
        return allowed
    tool = catalog.tool(approval.tool) if approval.tool else None
    return tool is None or tool.effect != "at_most_once"


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
) -> RunRow:
    """Decide an approval: `approved` or `rejected` (an unknown outcome: `happened`, `not_happened`, `try_again`).

    `digest` is that of what the reviewer was shown. `user` None: a program decides, whose right was checked
    elsewhere. Raises RunError: `approval_not_found`, `permission_denied`, `self_approval`,
    `approval_already_decided` (details say who decided what), `approval_expired`,
    `approval_digest_mismatch`, `validation_failed`.
    """
    approval = _find(approval_id, user)
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
            actor=actor,
        )

    try:
        return ask(approval.run_id, decided)
    except RunError as error:
        raise _with_winner(error, approval_id) from None


def _find(approval_id: str, user: Any) -> Approval:
    found = Approval.objects.select_related("run", "run__flow")
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
    if decision is None:
        return error
    name = decision.actor.get("name") or decision.actor.get("id") or "somebody"
    details = {"verdict": decision.verdict, "by": decision.actor, "at": decision.at.isoformat()}
    return RunError(error.code, f"{name} has decided this already: {decision.verdict}.", details=details)
