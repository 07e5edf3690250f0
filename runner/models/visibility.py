"""Who sees what: the one rule that every page, endpoint and socket asks through `visible_to(user)`.

Who may *do* something is decided by permissions and services.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from editor.visibility import ADMIN, ANALYST, REVIEWER, group_names, is_one_of

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


def approvals_rule(user: Any, prefix: str = "") -> Q:
    """The approvals that a user sees: an admin and an analyst all; others those open to a group of theirs."""
    if not user.is_active or user.pk is None:
        return NOTHING
    if is_admin(user) or is_analyst(user):
        return EVERYTHING
    groups = group_names(user)
    rule = Q(**{f"{prefix}group__in": groups}) if groups else NOTHING
    if REVIEWER in groups:
        rule |= Q(**{f"{prefix}group__isnull": True})
    return rule


def runs_rule(user: Any, prefix: str = "") -> Q:
    """The runs that a user sees: an admin and an analyst all; others what they started or decide about."""
    from runner.models.approvals import Approval

    if not user.is_active or user.pk is None:
        return NOTHING
    if is_admin(user) or is_analyst(user):
        return EVERYTHING
    decides = Approval.objects.filter(approvals_rule(user)).values("run_id")
    return Q(**{f"{prefix}started_by": user.pk}) | Q(**{f"{prefix}pk__in": decides})
