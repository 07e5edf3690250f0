"""How the lists of somebody who sees little are read: by the keys of what they see, instead of past all the rest.

The rule itself is visibility.py's. Whoever sees many rows finds a page of them soon by walking an index; whoever sees
few would walk past everything else. So what somebody may see is looked up by indexes first, and if it is little,
lists are made of just that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.db.models import Q, QuerySet

from editor.visibility import group_names, shared_flows
from runner.models.visibility import assigned_to, is_admin, is_analyst, is_reviewer

FEW = 1_000
"""Up to so many rows a list is made of their keys."""
NOBODY = "[]"


def few_runs(user: Any) -> list[str] | None:
    """Ids among which all runs are that this user sees; None: they may be more than FEW."""
    if is_admin(user) or is_analyst(user):
        return None
    runs = apps.get_model("runner", "Run").objects
    return _together(
        [
            runs.filter(started_by=user.pk).values_list("pk", flat=True),
            runs.filter(flow__in=shared_flows(user)).values_list("pk", flat=True),
            *(rows.values_list("run_id", flat=True) for rows in _asked(user)),
        ]
    )


def sees_only_own(user: Any) -> bool:
    """Whether all runs that this user sees are those that they started."""
    if is_admin(user) or is_analyst(user):
        return False
    return not list(shared_flows(user)[:1]) and not any(rows.exists() for rows in _asked(user))


def few_approvals(user: Any) -> list[str] | None:
    """Ids among which all approvals are that this user sees; None: they may be more than FEW."""
    if is_admin(user) or is_analyst(user):
        return None
    approvals = apps.get_model("runner", "Approval").objects
    of_flows = approvals.filter(run__flow__in=shared_flows(user))
    return _together(rows.values_list("pk", flat=True) for rows in (of_flows, *_asked(user)))


def _asked(user: Any) -> list[QuerySet[Any]]:
    """The approvals that may be a user's to see: each query follows an index of its own."""
    approvals = apps.get_model("runner", "Approval").objects
    names = group_names(user)
    found: list[QuerySet[Any]] = [approvals.exclude(assignees=[]).filter(assigned_to(user))]
    if names:
        found.append(approvals.filter(group__in=names))
        found.append(approvals.filter(escalated_to__in=names))
    if is_reviewer(user):
        found.append(approvals.filter(Q(group__isnull=True)))
    return found


def _together(queries: Iterable[QuerySet[Any]]) -> list[str] | None:
    found: set[str] = set()
    for keys in queries:
        found.update(keys.order_by()[: FEW + 1])
        if len(found) > FEW:
            return None
    return sorted(found)
