"""Who sees which flow, and who may do what to it: the one rule that querysets, pages, endpoints and sockets ask.

A flow that is open is the whole team's, as each one's role says. A restricted one is for its owner, for admins and
for those it is shared with. Sharing also extends: it gives rights that somebody's role does not.
"""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db.models import Q, QuerySet

ADMIN, ANALYST, REVIEWER = "admin", "analyst", "reviewer"
GROUPS = frozenset({ADMIN, ANALYST, REVIEWER})
"""Groups whose members work on this site: roles."""

VIEW, RUN, EDIT, PUBLISH, DECIDE, SHARE = "view", "run", "edit", "publish", "decide", "share"
RIGHTS = {
    VIEW: "see the flow with its draft, versions, runs and artifacts",
    RUN: "start runs, and cancel, pause, resume and retry them",
    EDIT: "change the draft",
    PUBLISH: "publish versions",
    DECIDE: "decide approvals that name nobody",
}
"""What a flow can be shared for. All others bring `view` along."""
ALL_RIGHTS = frozenset({*RIGHTS, SHARE})
_NONE: frozenset[str] = frozenset()
_OWNERS = frozenset({VIEW, RUN, EDIT, PUBLISH, SHARE})
_OF_ROLES = {ANALYST: frozenset({VIEW, RUN, EDIT, PUBLISH}), REVIEWER: frozenset({VIEW, DECIDE})}


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


# --- rights on one flow ---------------------------------------------------------------------------------


def rights_on(user: Any, flow: Any) -> frozenset[str]:
    """What a user may do to a flow (`ALL_RIGHTS`). `flow` None: a file that ran without one; the role alone says.

    Asks the database once for each user object, however many flows are asked about.
    """
    if is_one_of(user, ADMIN):
        return ALL_RIGHTS
    if not user.is_active or user.pk is None:
        return _NONE
    if flow is None:
        return team_rights(user)
    rights = _NONE if flow.is_restricted else team_rights(user)
    # Ownership is an analyst's: who lost the role keeps what the flow is shared for.
    if flow.owner_id == user.pk and is_one_of(user, ANALYST):
        rights |= _OWNERS
    return rights | _shared(user).get(flow.pk, _NONE)


def usable_rights(user: Any, flow: Any) -> frozenset[str]:
    """The rights that a page offers now: an archived flow is looked at, its runs are controlled, and no more."""
    rights = rights_on(user, flow)
    return rights if flow.archived_at is None else rights & {VIEW, DECIDE, SHARE}


def may(user: Any, right: str, flow: Any) -> bool:
    """Whether a user has a right on a flow."""
    return right in rights_on(user, flow)


def team_rights(user: Any) -> frozenset[str]:
    """What a user's roles give on a flow that is not restricted."""
    if is_one_of(user, ADMIN):
        return ALL_RIGHTS
    return _NONE.union(*(rights for role, rights in _OF_ROLES.items() if is_one_of(user, role)))


def _shared(user: Any) -> dict[str, frozenset[str]]:
    """Flow id -> what is shared with this user or a group of theirs."""
    found: dict[str, frozenset[str]] | None = getattr(user, "_flowsite_shared", None)
    if found is None:
        found = {}
        for flow_id, rights in _grants(user, "flow_id", "rights").values_list("flow_id", "rights"):
            found[flow_id] = found.get(flow_id, _NONE).union(rights, {VIEW})
        user._flowsite_shared = found
    return found


def flows_shared_for(user: Any, right: str) -> list[str]:
    """Ids of the flows that are shared with a user for this very right."""
    return [flow_id for flow_id, rights in _shared(user).items() if right in rights]


def people_with(right: str, flow: Any) -> Q:
    """The active people for whom `may(person, right, flow)` holds, as a rule over accounts."""
    rule = Q(is_superuser=True) | Q(groups__name=ADMIN)
    if flow is None or not flow.is_restricted:
        rule |= Q(groups__name__in=[role for role, rights in _OF_ROLES.items() if right in rights])
    if flow is not None:
        if right in _OWNERS:
            rule |= Q(pk=flow.owner_id, groups__name=ANALYST)
        for person, group, rights in flow.grants.values_list("person", "group", "rights"):
            if right in {*rights, VIEW}:
                rule |= Q(pk=person) if person is not None else Q(groups=group)
    return Q(is_active=True) & rule


# --- querysets ------------------------------------------------------------------------------------------


def _grants(user: Any, *columns: str) -> QuerySet[Any]:
    """What a user was given, and what a group of theirs was: two questions with an index each, put together."""
    rows: QuerySet[Any] = apps.get_model("editor", "FlowGrant").objects.all()
    of_groups = rows.filter(group__in=user.groups.values("pk")).values(*columns)
    return rows.filter(person=user.pk).values(*columns).union(of_groups, all=True)


def shared_flows(user: Any) -> QuerySet[Any]:
    """Ids of the flows that are shared with a user, for a subquery."""
    return _grants(user, "flow_id")


def flows_rule(user: Any) -> Q:
    """The flows that a user sees, as `rights_on` says of each: those with the right to view."""
    if is_one_of(user, ADMIN):
        return Q()
    if not user.is_active or user.pk is None:
        return Q(pk__in=[])
    rule = Q(pk__in=shared_flows(user))
    if is_one_of(user, *GROUPS):
        rule |= Q(is_restricted=False)
    if is_one_of(user, ANALYST):
        rule |= Q(owner=user.pk)
    return rule


def hidden_flows(user: Any) -> QuerySet[Any]:
    """Ids of the flows that a member of the team does not see, for a subquery: those are few, and have an index."""
    rows: QuerySet[Any] = apps.get_model("editor", "Flow").objects.filter(is_restricted=True)
    if is_one_of(user, ANALYST):
        rows = rows.exclude(owner=user.pk)
    return rows.exclude(pk__in=shared_flows(user)).values("pk")


def of_visible_flow(user: Any, field: str = "flow") -> Q:
    """Rows of flows that a user sees, as `flows_rule` says, by the column that names the flow; not those of none."""
    if is_one_of(user, ADMIN):
        return Q(**{f"{field}__isnull": False})
    if is_one_of(user, *GROUPS):
        return Q(**{f"{field}__isnull": False}) & ~Q(**{f"{field}__in": hidden_flows(user)})
    return Q(**{f"{field}__in": shared_flows(user)}) if user.is_active and user.pk else Q(pk__in=[])


def versions_rule(user: Any) -> Q:
    """The versions that a user sees: those of flows that they see; of files, what they froze, and analysts all."""
    if is_one_of(user, ADMIN):
        return Q()
    if not user.is_active or user.pk is None:
        return Q(pk__in=[])
    of_files = Q(flow__isnull=True)
    if not is_one_of(user, ANALYST):
        of_files &= Q(created_by=user.pk)
    return of_visible_flow(user) | of_files
