"""Who a flow is shared with: reading it, and saying it anew. What a grant gives is visibility.py's."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Group, User
from django.db import transaction

from editor.audit import record
from editor.language.errors import LanguageError
from editor.models import Flow, FlowGrant
from editor.signals import tell_rights_changed
from editor.visibility import RIGHTS, VIEW

MOST_GRANTS = 200


@dataclass(frozen=True)
class Grant:
    """What a flow is shared for with one person (by user name) or one group; seeing it is always among it."""

    name: str
    is_group: bool
    rights: Collection[str]

    def as_json(self) -> dict[str, Any]:
        """As the audit keeps it."""
        return {"group" if self.is_group else "person": self.name, "rights": ordered(self.rights)}


def ordered(rights: Collection[str]) -> list[str]:
    """Rights in their usual order, with `view`, which all bring along."""
    return [right for right in RIGHTS if right == VIEW or right in rights]


def grants_of(flow: Flow) -> list[Grant]:
    """Who a flow is shared with: groups first, by name."""
    rows = FlowGrant.objects.filter(flow=flow).select_related("person", "group")
    found = [Grant(str(row.group or row.person), row.group is not None, ordered(row.rights)) for row in rows]
    return sorted(found, key=lambda grant: (not grant.is_group, grant.name))


@transaction.atomic
def share_flow(flow: Flow, *, restricted: bool, grants: Sequence[Grant], by: Any) -> None:
    """Say anew who a flow is for; what is said no more ends. Saying the same again does nothing.

    Raises LanguageError `validation_failed` for unknown people, groups and rights, for somebody named twice, and
    for more than `MOST_GRANTS`.
    """
    Flow.objects.select_for_update().get(pk=flow.pk)
    rows = _rows(flow, grants)
    before = {"restricted": flow.is_restricted, "grants": [grant.as_json() for grant in grants_of(flow)]}
    FlowGrant.objects.filter(flow=flow).delete()
    FlowGrant.objects.bulk_create(rows)
    Flow.objects.filter(pk=flow.pk).update(is_restricted=restricted)
    flow.refresh_from_db(fields=["is_restricted"])
    after = {"restricted": restricted, "grants": [grant.as_json() for grant in grants_of(flow)]}
    if before != after:
        record(by, "flow-share", flow, before=before, after=after)
        tell_rights_changed()


def _rows(flow: Flow, grants: Sequence[Grant]) -> list[FlowGrant]:
    if len(grants) > MOST_GRANTS:
        raise _refused(f"A flow is shared with at most {MOST_GRANTS} people and groups. Make a group of them.")
    if len({(grant.is_group, grant.name) for grant in grants}) < len(grants):
        raise _refused("Somebody is named twice. Name each person and each group once, with all their rights.")
    unknown = sorted({right for grant in grants for right in grant.rights} - set(RIGHTS))
    if unknown:
        raise _refused(f"There is no right {unknown[0]!r}. Rights are: {', '.join(RIGHTS)}.")
    people = {one.get_username(): one for one in User.objects.filter(username__in=_names(grants, of_groups=False))}
    groups = {one.name: one for one in Group.objects.filter(name__in=_names(grants, of_groups=True))}
    rows = []
    for grant in grants:
        if grant.name not in (groups if grant.is_group else people):
            raise _refused(f"There is no {'group' if grant.is_group else 'person'} {grant.name!r} on this site.")
        person, group = (None, groups[grant.name]) if grant.is_group else (people[grant.name], None)
        rights = [right for right in ordered(grant.rights) if right != VIEW]
        rows.append(FlowGrant(flow=flow, person=person, group=group, rights=rights))
    return rows


def _names(grants: Sequence[Grant], *, of_groups: bool) -> list[str]:
    return [grant.name for grant in grants if grant.is_group is of_groups]


def _refused(message: str) -> LanguageError:
    return LanguageError("validation_failed", message)
