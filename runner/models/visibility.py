"""Who sees what: the one rule that every page, endpoint and socket asks through `visible_to(user)`.

It follows the flow (editor/visibility.py). Whom a document names to decide sees what they are asked, and its run,
whether the flow is shared with them or not. Who may *do* something is decided by permissions and services.
"""

from __future__ import annotations

import json
from typing import Any

from django.db.models import F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan, IsNull

from editor.visibility import ADMIN, ANALYST, REVIEWER, group_names, is_one_of, of_visible_flow, shared_flows

EVERYTHING = Q()
NOTHING = Q(pk__in=[])


def is_admin(user: Any) -> bool:
    """Whether this user sees and may do everything."""
    return is_one_of(user, ADMIN)


def is_analyst(user: Any) -> bool:
    """Whether this user makes and runs flows."""
    return is_one_of(user, ANALYST)


def is_reviewer(user: Any) -> bool:
    """Whether this user decides approvals that name no group."""
    return is_one_of(user, REVIEWER)


def assigned_to(user: Any) -> Q:
    """The approvals whose assignees are this user or a group of theirs, among others."""
    rule = NOTHING
    for name in (user.get_username(), *sorted(group_names(user))):
        written = json.dumps(name, ensure_ascii=False)
        for before in "[,":  # with what stands before it: a longer name may end like this one, behind an escaped quote
            # A place in the text: LIKE would take Anna for anna on SQLite.
            rule |= Q(GreaterThan(StrIndex(F("assignees"), Value(f"{before}{written}")), 0))
    return rule


def _named(user: Any) -> Q:
    """The approvals that name this user or a group of theirs."""
    groups = group_names(user)
    return assigned_to(user) | (Q(group__in=groups) | Q(escalated_to__in=groups) if groups else NOTHING)


def approvals_rule(user: Any) -> Q:
    """The approvals that a user sees: those of the flows whose runs they see, and those that ask them."""
    if not user.is_active or user.pk is None:
        return NOTHING
    if is_admin(user):
        return EVERYTHING
    rule = _named(user)
    if is_analyst(user):
        return rule | Q(run__flow__isnull=True) | of_visible_flow(user, "run__flow")
    rule |= Q(run__flow__in=shared_flows(user))
    if is_reviewer(user):
        is_open = Q(run__flow__isnull=True) | Q(run__flow__is_restricted=False)
        rule |= Q(group__isnull=True) & is_open
    return rule


def runs_rule(user: Any) -> Q:
    """The runs that a user sees: analysts those of flows they see, others of flows shared with them, what they started
    or decide about."""
    from runner.models.approvals import Approval

    if not user.is_active or user.pk is None:
        return NOTHING
    if is_admin(user):
        return EVERYTHING
    if is_analyst(user):
        asked = _of_this_run(Approval.objects.filter(_named(user), run__flow__is_restricted=True))
        return Q(flow__isnull=True) | of_visible_flow(user) | asked
    decides = _of_this_run(Approval.objects.filter(approvals_rule(user)))
    started = Q(started_by=user.pk) & (Q(flow__isnull=True) | Q(flow__is_restricted=False))
    return started | Q(flow__in=shared_flows(user)) | decides


def _of_this_run(rows: QuerySet[Any]) -> Q:
    """Whether there is such an approval of the run at hand. Asked run by run: as a set, Postgres would read all of it
    even where one run is asked about."""
    return Q(IsNull(Subquery(rows.filter(run=OuterRef("pk")).order_by().values("pk")[:1]), False))
