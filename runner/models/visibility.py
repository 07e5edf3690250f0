"""Who sees what: the one rule that every page, endpoint and socket asks through `visible_to(user)`.

Who may *do* something is decided by permissions and services.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Q

ADMIN, ANALYST, REVIEWER = "admin", "analyst", "reviewer"

EVERYTHING = Q()
NOTHING = Q(pk__in=[])


def group_names(user: Any) -> frozenset[str]:
    """The names of a user's groups; asked of the database once for each user object."""
    names = getattr(user, "_flowsite_groups", None)
    if names is None:
        names = frozenset(user.groups.values_list("name", flat=True)) if user.pk else frozenset()
        user._flowsite_groups = names
    return names


def is_admin(user: Any) -> bool:
    """Whether this user sees and may do everything."""
    return bool(user.is_active and (user.is_superuser or ADMIN in group_names(user)))


def is_analyst(user: Any) -> bool:
    """Whether this user makes and runs flows."""
    return bool(user.is_active and ANALYST in group_names(user))


def is_reviewer(user: Any) -> bool:
    """Whether this user decides approvals that name no group."""
    return bool(user.is_active and REVIEWER in group_names(user))


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
