"""The lock on signing in: too many wrong passwords for one user name, or from one address, close it for a while.

A try is counted before the password is looked at, so that many at once are no way around. Names that nobody has
are counted like others: an answer never says which exist.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import DateTimeField, ExpressionWrapper
from django.db.models.functions import Now
from django.http import HttpRequest

from editor.audit import record
from editor.models import SignInCount

NAME, ADDRESS = "name", "address"
_KEPT = timedelta(days=1)


class SignInLocked(PermissionDenied):
    """No password is looked at before `until`."""

    def __init__(self, until: datetime) -> None:
        self.until = until
        super().__init__(f"Signing in is locked until {until:%Y-%m-%d %H:%M} UTC, after too many wrong passwords.")


@dataclass(frozen=True)
class Attempt:
    """One look at a password: who it is for and where it comes from, as they are counted."""

    keys: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, name: str, address: str) -> Attempt:
        """A try for a user name, however it is typed, from an address (empty: unknown)."""
        named = ((NAME, digest_of(name)),)
        return cls((*named, (ADDRESS, address[:64])) if address else named)

    def begin(self) -> None:
        """Count the try. Raises SignInLocked; then the password must not be looked at."""
        with transaction.atomic():
            ends = [until for until in (_count(kind, who) for kind, who in self.keys) if until is not None]
        if ends:
            raise SignInLocked(max(ends))

    @transaction.atomic
    def failed(self) -> None:
        """The password was wrong: if that was the last try, the audit says that signing in is locked."""
        for row in _rows(self.keys):
            if row.locked_until is not None and row.failures == settings.SIGN_IN_LOCK[row.kind]:
                shown = {"until": row.locked_until.isoformat(), "failures": row.failures}
                record(None, "sign-in-lock", (f"sign-in-{row.kind}", _shown(row)), after=shown)

    @transaction.atomic
    def succeeded(self) -> None:
        """The password was right: its name begins anew, and its address has one failure less."""
        for row in _rows(self.keys):
            if row.kind == NAME:
                row.delete()
            else:
                row.failures, row.locked_until = max(0, row.failures - 1), None
                row.save(update_fields=["failures", "locked_until"])


def digest_of(name: str) -> str:
    """How a user name is counted: people type anything into that field, even their password."""
    typed = unicodedata.normalize("NFKC", name).strip().lower()
    return sha256(typed.encode("utf-8", "replace")).hexdigest()


def _rows(keys: Iterable[tuple[str, str]]) -> list[SignInCount]:
    locked = SignInCount.objects.select_for_update()
    return [row for kind, who in keys for row in locked.filter(kind=kind, who=who)]


def _count(kind: str, who: str) -> datetime | None:
    """Count one try; gives until when it is locked, if it is."""
    period = timedelta(seconds=settings.SIGN_IN_LOCK["seconds"])
    if SignInCount.objects.get_or_create(kind=kind, who=who)[1]:
        SignInCount.objects.filter(since__lt=Now() - _KEPT).delete()  # else every name ever typed would stay
    timed = SignInCount.objects.select_for_update().annotate(now=ExpressionWrapper(Now(), DateTimeField()))
    row: Any = timed.get(kind=kind, who=who)
    if row.locked_until is not None and row.locked_until > row.now:
        end: datetime = row.locked_until
        return end
    if row.locked_until is not None or row.now - row.since > period:
        row.failures, row.since, row.locked_until = 0, row.now, None
    row.failures += 1
    if row.failures >= settings.SIGN_IN_LOCK[kind]:
        row.locked_until = row.now + period  # unless this very try succeeds
    row.save(update_fields=["failures", "since", "locked_until"])
    return None


def _shown(row: SignInCount) -> str:
    """The address; of a name, the person if there is one: else nothing that was typed is kept."""
    if row.kind == ADDRESS:
        return row.who
    for name in User.objects.values_list("username", flat=True).iterator():
        if digest_of(name) == row.who:
            return name[:100]
    return "(nobody's name)"


# --- lifting it -----------------------------------------------------------------------------------------


def locked_until(name: str) -> datetime | None:
    """Until when nobody can sign in with this name; None: it is not locked."""
    rows = SignInCount.objects.filter(kind=NAME, who=digest_of(name), locked_until__gt=Now())
    return rows.values_list("locked_until", flat=True).first()


def locked_addresses() -> list[SignInCount]:
    """Addresses from which nobody can sign in now."""
    return list(SignInCount.objects.filter(kind=ADDRESS, locked_until__gt=Now()).order_by("who")[:100])


@transaction.atomic
def lift_lock(*, by: Any, name: str | None = None, address: str | None = None) -> bool:
    """Let a name or an address try again at once; False if there was nothing to lift."""
    kind, who = (NAME, digest_of(name)) if name is not None else (ADDRESS, address or "")
    if not SignInCount.objects.filter(kind=kind, who=who).delete()[0]:
        return False
    record(by, "sign-in-unlock", (f"sign-in-{kind}", (who if name is None else name)[:100]))
    return True


class LockedBackend(ModelBackend):
    """Django's own look at a password, behind the lock: settings.AUTHENTICATION_BACKENDS.

    Whoever asks with a request finds out why nobody was let in: `request.sign_in_locked_until`.
    """

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **more: Any
    ) -> User | None:
        """The active person with this name and password, or None. Raises SignInLocked."""
        if username is None or password is None:
            return None
        attempt = Attempt.of(username, request.META.get("REMOTE_ADDR", "") if request is not None else "")
        try:
            attempt.begin()
        except SignInLocked as locked:
            if request is not None:
                request.sign_in_locked_until = locked.until  # type: ignore[attr-defined]
            raise
        found: Any = super().authenticate(request, username=username, password=password, **more)
        if found is None:
            attempt.failed()
        else:
            attempt.succeeded()
        person: User | None = found
        return person
