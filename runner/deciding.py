"""Who decides which approval: the rule for one that is at hand, and the same rule for the database. Reads only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan

from editor.language.catalog import Catalog
from editor.visibility import ADMIN, DECIDE, flows_shared_for, group_names, may, people_with, team_rights
from editor.waiting_reviews import waiting_reviews
from runner.catalog import CATALOG
from runner.engine.errors import RunError
from runner.models import Approval, ApprovalQuerySet
from runner.models.visibility import assigned_to, is_admin

COUNT_LIMIT = 99
"""The navigation counts no further: beyond it, it says `99+`."""


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
    if approval.escalated_to and approval.escalated_to in names:
        return True
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


# The same, for the database


def decided_by(user: Any, catalog: Catalog = CATALOG) -> Q:
    """The approvals for which `refusal` gives None."""
    if not user.is_active or user.pk is None:
        return Q(pk__in=[])
    own = Q(run__started_by=user.pk)
    if catalog.site.self_approval is None:
        own &= Q(tool__in=[tool.name for tool in catalog.tools() if tool.effect == "at_most_once"])
    refused = Q(pk__in=[]) if catalog.site.self_approval is True else own
    return (Q() if is_admin(user) else _asked(user)) & ~refused


def _asked(user: Any) -> Q:
    names = group_names(user)
    of_group = Q(group__in=names) if names else Q(pk__in=[])
    of_flow = Q(run__flow__in=flows_shared_for(user, DECIDE))
    if DECIDE in team_rights(user):
        of_flow |= Q(run__flow__isnull=True) | Q(run__flow__is_restricted=False)
    of_flow &= Q(group__isnull=True) | Q(group="")
    escalated = Q(escalated_to__in=names) if names else Q(pk__in=[])
    return (~Q(assignees=[]) & assigned_to(user)) | (Q(assignees=[]) & (of_group | of_flow)) | escalated


def people_who_decide(approval: Approval, catalog: Catalog = CATALOG) -> QuerySet[User]:
    """Everybody for whom `refusal` gives None, by name. The approval's run and its flow must be loaded with it."""
    rule = Q(is_superuser=True) | Q(groups__name=ADMIN)
    if approval.assignees:
        rule |= Q(username__in=approval.assignees) | Q(groups__name__in=approval.assignees)
    elif approval.group:
        rule |= Q(groups__name=approval.group)
    else:
        rule |= people_with(DECIDE, approval.run.flow)
    if approval.escalated_to:
        rule |= Q(groups__name=approval.escalated_to)
    found = User.objects.filter(rule, is_active=True)
    if not _may_approve_own(approval, catalog):
        found = found.exclude(pk=approval.run.started_by_id or 0)
    return User.objects.filter(pk__in=found.values("pk")).order_by("username")


# Whose turn it is


def has_approved(user: Any, approval: Approval) -> bool:
    """Whether this user is one of several who have approved what is asked now."""
    return any(one["person"] == str(user.pk) for one in approval.approved_by)


def waiting_for(user: Any) -> ApprovalQuerySet:
    """The open approvals that wait for this user: they see and may decide them, did not yet approve what is asked
    now, and nobody has handed them to somebody else."""
    mine = Q(delegate__isnull=True) | Q(delegate=user.pk)
    approved = GreaterThan(StrIndex(F("approved_by"), Value(f'"person":"{user.pk}"')), 0)
    rows = Approval.objects.visible_to(user).open().filter(decided_by(user), mine)
    return rows.exclude(approved)


@dataclass(frozen=True, slots=True)
class Waiting:
    """How much waits for somebody in the inbox, as badges write it: empty for none, `99+` for more than that."""

    open: str
    """Everything."""
    approvals: str
    reviews: str


def waiting_counts(user: Any) -> Waiting:
    """How many approvals and reviews wait for this user."""
    approvals = len(waiting_for(user).values_list("pk", flat=True)[: COUNT_LIMIT + 1])
    reviews = waiting_reviews(user)
    return Waiting(_written(approvals + reviews), _written(approvals), _written(reviews))


def _written(count: int) -> str:
    return f"{COUNT_LIMIT}+" if count > COUNT_LIMIT else str(count or "")
