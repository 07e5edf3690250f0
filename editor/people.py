"""What is done to people's accounts: groups, being disabled, passwords, sessions. Links for newcomers: invitations.py.

Each deed writes its audit entry in its transaction, and tells open pages to ask again what their person may see.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Now

from editor.audit import record
from editor.language.errors import LanguageError
from editor.models import ApiToken, FlowGrant, Invitation
from editor.sessions import close_sessions
from editor.signals import tell_rights_changed
from editor.tokens import revoke_token
from editor.visibility import ADMIN, GROUPS

LONGEST_GROUP = 100


def refused(message: str) -> LanguageError:
    """The error of something that cannot be done as asked."""
    return LanguageError("validation_failed", message)


def active_admins() -> Any:
    """Everybody who can let others in and help them."""
    return User.objects.filter(Q(is_superuser=True) | Q(groups__name=ADMIN), is_active=True).distinct()


def is_admin_account(person: User) -> bool:
    """Whether this account is an admin's, active or not."""
    return person.is_superuser or person.groups.filter(name=ADMIN).exists()


def demand_other_admin(person: User) -> None:
    """Raise LanguageError if nobody but this person is an active admin. Two who ask at once wait for each other."""
    list(Group.objects.select_for_update().filter(name=ADMIN))
    if person.is_active and is_admin_account(person) and not active_admins().exclude(pk=person.pk).exists():
        told = f"{person.get_username()} is the only active admin. Make somebody else an admin first."
        raise refused(told)


# --- groups ---------------------------------------------------------------------------------------------


@transaction.atomic
def change_groups(person: User, names: Collection[str], *, by: Any, reason: str = "") -> None:
    """Put somebody into exactly these groups; those of `GROUPS` are roles. The same again does nothing.

    Raises LanguageError `validation_failed` for an unknown group, and if no active admin would be left.
    """
    found = list(Group.objects.filter(name__in=names))
    unknown = set(names) - {group.name for group in found}
    if unknown:
        raise refused(f"There is no group {sorted(unknown)[0]!r}. Make it first.")
    if ADMIN not in names:
        demand_other_admin(person)
    before = account(person)
    person.groups.set(found)
    # The admin of Django asks for this mark; the right to look comes from the group.
    person.is_staff = ADMIN in names
    person.is_superuser = person.is_superuser and ADMIN in names
    person.save(update_fields=["is_staff", "is_superuser"])
    after = account(person)
    if before != after:
        record(by, "person-groups", person, before=before, after=after, reason=reason)
        tell_rights_changed()


def account(person: User) -> dict[str, Any]:
    """What the audit says of somebody's rights."""
    names = set(person.groups.values_list("name", flat=True)) | ({ADMIN} if person.is_superuser else set())
    return {"person": person.get_username(), "groups": sorted(names), "active": person.is_active}


@transaction.atomic
def make_group(name: str, *, by: Any) -> Group:
    """Make a group. Raises LanguageError `validation_failed` for a name that is none or is taken."""
    name = name.strip()
    if not name or len(name) > LONGEST_GROUP or not name.isprintable():
        raise refused(f"Give the group a name of 1 to {LONGEST_GROUP} characters, such as accounting.")
    try:
        with transaction.atomic():
            group = Group.objects.create(name=name)
    except IntegrityError:
        raise refused(f"There is a group {name!r} already.") from None
    record(by, "group-make", ("group", str(group.pk)), after={"name": name})
    return group


@transaction.atomic
def remove_group(group: Group, *, by: Any) -> None:
    """Remove a group that nobody is in and nothing is shared with. Raises LanguageError `validation_failed`."""
    if group.name in GROUPS:
        raise refused(f"{group.name} is a role of this site and stays.")
    if group.user_set.exists() or FlowGrant.objects.filter(group=group).exists():
        raise refused(f"{group.name} still has members, or flows are shared with it.")
    record(by, "group-remove", ("group", str(group.pk)), before={"name": group.name})
    group.delete()


# --- coming and going -----------------------------------------------------------------------------------


@transaction.atomic
def disable(person: User, *, by: Any, reason: str = "") -> None:
    """Let somebody in no more: sessions, tokens and links of theirs end now. What they did stays. Twice does nothing.

    Raises LanguageError `validation_failed` for the only active admin.
    """
    demand_other_admin(person)
    if not User.objects.filter(pk=person.pk, is_active=True).update(is_active=False):
        return
    person.refresh_from_db(fields=["is_active"])
    for token in ApiToken.objects.filter(owner=person, revoked_at__isnull=True):
        revoke_token(token, by=by)
    closed = close_sessions(person)
    Invitation.objects.usable().filter(Q(made_by=person) | Q(person=person)).update(revoked_at=Now())
    record(by, "person-disable", person, after={**account(person), "sessions_closed": closed}, reason=reason)
    tell_rights_changed()


@transaction.atomic
def enable(person: User, *, by: Any, reason: str = "") -> None:
    """Let somebody in again, with the groups they had; tokens stay revoked. Twice does nothing."""
    if User.objects.filter(pk=person.pk, is_active=False).update(is_active=True):
        person.refresh_from_db(fields=["is_active"])
        record(by, "person-enable", person, after=account(person), reason=reason)


# --- what people do to their own accounts ---------------------------------------------------------------


@transaction.atomic
def change_profile(person: User, *, first_name: str, last_name: str, email: str) -> None:
    """Say what somebody is called and where mail reaches them. The same again does nothing."""
    before = {"first_name": person.first_name, "last_name": person.last_name, "email": person.email}
    after = {"first_name": first_name, "last_name": last_name, "email": email}
    if before != after:
        User.objects.filter(pk=person.pk).update(**after)
        person.refresh_from_db(fields=list(after))
        record(person, "person-profile", person, before=before, after=after)


@transaction.atomic
def change_password(person: User, password: str, *, by: Any, keep: str | None = None) -> None:
    """Set a password that was checked, and close all sessions but the one with the key `keep`."""
    person.set_password(password)
    person.save(update_fields=["password"])
    closed = close_sessions(person, but=keep)
    record(by, "person-password", person, after={"sessions_closed": closed})
    tell_rights_changed()


@transaction.atomic
def sign_out_everywhere(person: User, *, by: Any, keep: str | None = None) -> int:
    """Close all of somebody's sessions, but the one with the key `keep`; gives how many. Tokens go on."""
    closed = close_sessions(person, but=keep)
    if closed:
        record(by, "person-sign-out", person, after={"person": person.get_username(), "sessions_closed": closed})
        tell_rights_changed()
    return closed
