"""Links that work once: for somebody new to join with a role, and for somebody known to set a new password.

The text of a link is shown once, when it is made. Kept is a digest of it: 256 random bits need no slow hash.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from editor.audit import record
from editor.language.errors import LanguageError
from editor.models import Invitation
from editor.people import change_password, refused
from editor.visibility import ADMIN, GROUPS

LASTS_DAYS = 7
GONE = "This link was used, is too old, or was taken back. Ask an admin for a new one."


@dataclass(frozen=True)
class NewLink:
    """A link that was just made, with the text that nobody can read again."""

    row: Invitation
    text: str


@transaction.atomic
def invite(*, role: str, email: str = "", by: Any, days: int = LASTS_DAYS) -> NewLink:
    """Make a link with which one new person joins with a role. Raises LanguageError for a role that is none."""
    if role not in GROUPS:
        raise refused(f"Choose a role: {', '.join(sorted(GROUPS))}.")
    made = _make(by, days, role=role, email=email)
    record(by, "person-invite", made.row, after={"role": role, "email": email, "days": days})
    return made


@transaction.atomic
def offer_password(person: User, *, by: Any, days: int = 1) -> NewLink:
    """Make a link with which somebody who cannot sign in any more sets a new password. Older such links end.

    Raises LanguageError for somebody who is disabled.
    """
    if not person.is_active:
        raise refused(f"{person.get_username()} is disabled. Enable the account first.")
    Invitation.objects.usable().filter(person=person).update(revoked_at=Now())
    made = _make(by, days, person=person)
    record(by, "person-password-link", person, after={"days": days})
    return made


def _make(by: Any, days: int, **about: Any) -> NewLink:
    text = secrets.token_urlsafe(32)
    expires = Now() + timedelta(days=days)
    row = Invitation.objects.create(digest=_digest(text), made_by=by, expires_at=expires, **about)
    row.refresh_from_db()
    return NewLink(row, text)


def open_invitations() -> list[Invitation]:
    """Links for newcomers that nobody has used yet, the newest first."""
    rows = Invitation.objects.usable().filter(person__isnull=True).select_related("made_by")
    return list(rows.order_by("-pk")[:100])


@transaction.atomic
def take_back(link: Invitation, *, by: Any) -> None:
    """Let a link open nothing any more. Doing it twice does nothing."""
    if Invitation.objects.usable().filter(pk=link.pk).update(revoked_at=Now()):
        record(by, "person-invite-end", link, after={"role": link.role, "email": link.email})


def find_link(text: str) -> Invitation | None:
    """The usable link with this text; None for every other."""
    return Invitation.objects.usable().select_related("person", "made_by").filter(digest=_digest(text)).first()


@transaction.atomic
def join(text: str, *, username: str, password: str, **about: str) -> User:
    """Make the account of whoever holds a link; `about`: first_name, last_name, email. The password was checked.

    Raises LanguageError: `not_found` for a link that opens nothing, `validation_failed` for a name that is taken.
    """
    link = find_link(text)
    if link is None or link.person is not None or not _use(link):
        raise LanguageError("not_found", GONE)
    if User.objects.filter(username__iexact=username).exists():
        raise refused(f"There is somebody with the name {username!r} already. Choose another one.")
    try:
        with transaction.atomic():
            person = User.objects.create_user(username, password=password, is_staff=link.role == ADMIN, **about)
    except IntegrityError:
        raise refused(f"There is somebody with the name {username!r} already. Choose another one.") from None
    person.groups.set(Group.objects.filter(name=link.role))
    inviter = link.made_by.get_username() if link.made_by is not None else ""
    record(person, "person-join", person, after={"role": link.role, "invited_by": inviter, "link": link.pk})
    return person


@transaction.atomic
def set_password(text: str, password: str) -> User:
    """Set the password of whom a link is for. Raises LanguageError `not_found` for a link that opens nothing."""
    link = find_link(text)
    if link is None or link.person is None or not link.person.is_active or not _use(link):
        raise LanguageError("not_found", GONE)
    change_password(link.person, password, by=link.person)
    return link.person


def _use(link: Invitation) -> bool:
    return bool(Invitation.objects.usable().filter(pk=link.pk).update(used_at=Now()))


def _digest(text: str) -> str:
    return "v1:" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
