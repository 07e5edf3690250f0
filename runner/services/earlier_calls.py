"""The last decided call like one that is asked about, so that a reviewer sees what is different this time. It reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from editor.language.diff import Change, compare_values
from runner.engine.statuses import ApprovalStatus
from runner.models import Approval, Decision
from runner.services.sensitive import touches_sensitive

LOOKED_AT = 200
"""Among so many of the newest approvals of such a node and tool, of whatever flow, the earlier one is sought."""


@dataclass(frozen=True)
class EarlierCall:
    """The last such call that was decided. `changes` lead from its arguments, as they were decided, to those of now;
    None: they may hold something sensitive, and are not compared."""

    approval: Approval
    decision: Decision
    changes: tuple[Change, ...] | None


def last_such_call(approval: Approval, arguments: Any, user: Any) -> EarlierCall | None:
    """The newest decision before this approval about the same node and tool of the same flow, among those whose
    arguments this user may see. None where there is none, or for a lost call, which is not like any other."""
    if approval.kind == "unknown" or approval.run.flow_id is None:
        return None
    same = Approval.objects.filter(node=approval.node, created_at__lt=approval.created_at)
    same = same.filter(tool__isnull=True) if approval.tool is None else same.filter(tool=approval.tool)
    newest = list(same.order_by("-created_at").values_list("pk", flat=True)[:LOOKED_AT])
    found = (
        Approval.objects.visible_to(user)
        .filter(pk__in=newest, run__flow=approval.run.flow_id, kind=approval.kind, decision__isnull=False)
        .filter(status__in=(ApprovalStatus.APPROVED, ApprovalStatus.REJECTED))
        .select_related("run", "run__version", "decision")
        .order_by("-created_at", "-pk")
        .first()
    )
    if found is None:
        return None
    decision = found.decision
    changed = decision.value_of("arguments")
    before = found.asked_arguments() if changed is None else changed
    covered = _is_covered(approval) or _is_covered(found)
    return EarlierCall(found, decision, None if covered else compare_values(before, arguments))


def _is_covered(approval: Approval) -> bool:
    return touches_sensitive(approval.run, approval)
