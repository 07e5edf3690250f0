"""Who sees which flow: the one rule that querysets ask. Who may change one is permissions.py's."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

ADMIN, ANALYST, REVIEWER = "admin", "analyst", "reviewer"
GROUPS = frozenset({ADMIN, ANALYST, REVIEWER})
"""Groups whose members work on this site."""


def group_names(user: Any) -> frozenset[str]:
    """Names of a user's groups; asked of the database once for each user object."""
    names: frozenset[str] | None = getattr(user, "_flowsite_groups", None)
    if names is None:
        names = frozenset(user.groups.values_list("name", flat=True)) if user.pk else frozenset()
        user._flowsite_groups = names
    return names


def is_one_of(user: Any, *groups: str) -> bool:
    """Whether a user is active and in one of the groups; superusers are in all."""
    return bool(user.is_active and (user.is_superuser or group_names(user) & set(groups)))


def flows_rule(user: Any) -> Q:
    """The flows that a user sees: members of the site's groups all, others none."""
    return Q() if is_one_of(user, *GROUPS) else Q(pk__in=[])


def versions_rule(user: Any) -> Q:
    """The versions that a user sees: those of flows that they see; of files and other trials, what they froze."""
    if is_one_of(user, ADMIN, ANALYST):
        return Q()
    if is_one_of(user, *GROUPS):
        return Q(flow__isnull=False) | Q(created_by=user.pk)
    return Q(pk__in=[])
