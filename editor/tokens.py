"""Keys for programs: made, found again, revoked. What a program may do with one, the API's doors ask.

The text of a token is shown once, when it is made. Kept is a digest of it: 256 random bits need no slow hash.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, F, Q
from django.db.models.functions import Now

from editor.audit import record
from editor.language.errors import LanguageError
from editor.models import ApiToken

SCOPES = {
    "read": "read flows, runs, approvals and the catalog",
    "run": "start runs, cancel, pause and resume them, retry steps, send signals",
    "edit": "make and change flows, and publish them",
    "decide": "decide approvals",
    "admin": "put flows away and bring them back, share them, stop and release, look after people",
}
"""What a token may be for, and what that means. A token never gives more than its owner's own rights."""

MOST_TOKENS = 50
LONGEST_NAME = 100
LONGEST_DAYS = 3_650
_MARK = "fst"
_PREFIX_BYTES, _SECRET_BYTES = 5, 32
_USE_IS_NOTED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class NewToken:
    """A token that was just made, with the text that nobody can read again."""

    row: ApiToken
    text: str


@transaction.atomic
def make_token(owner: Any, *, name: str, scopes: Collection[str], days: int | None = None) -> NewToken:
    """Make a token for somebody; it expires after `days`, or never.

    Raises LanguageError `validation_failed` for a missing or long name, unknown or no scopes, a number of days
    out of range, or too many tokens in use.
    """
    name = name.strip()
    _check(owner, name, scopes, days)
    prefix = secrets.token_hex(_PREFIX_BYTES)
    text = f"{_MARK}_{prefix}_{secrets.token_urlsafe(_SECRET_BYTES)}"
    row = ApiToken.objects.create(
        owner=owner,
        name=name,
        prefix=prefix,
        digest=_digest(text),
        scopes=[scope for scope in SCOPES if scope in scopes],
        expires_at=None if days is None else Now() + timedelta(days=days),
    )
    row.refresh_from_db()
    shown = {"name": name, "prefix": prefix, "scopes": row.scopes, "days": days}
    record(owner, "token-make", row, after=shown)
    return NewToken(row, text)


def _check(owner: Any, name: str, scopes: Collection[str], days: int | None) -> None:
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise _refused(f"Give the token a name of 1 to {LONGEST_NAME} characters, such as the program that uses it.")
    unknown = set(scopes) - set(SCOPES)
    if unknown or not scopes:
        raise _refused(f"Choose what the token is for, one or more of: {', '.join(SCOPES)}.")
    if days is not None and not 1 <= days <= LONGEST_DAYS:
        raise _refused(f"A token lasts from 1 to {LONGEST_DAYS:,} days.")
    if ApiToken.objects.usable().filter(owner=owner).count() >= MOST_TOKENS:
        raise _refused(f"You have {MOST_TOKENS} tokens in use. Revoke one that is not needed any more.")


def _refused(message: str) -> LanguageError:
    return LanguageError("validation_failed", message)


@transaction.atomic
def revoke_token(token: ApiToken, *, by: Any) -> None:
    """Let a token open nothing any more. Doing it twice does nothing."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=Now()):
        record(by, "token-revoke", token, after={"name": token.name, "prefix": token.prefix})
    token.refresh_from_db()


def find_token(text: str) -> ApiToken | None:
    """The usable token with this text, with its owner; None for every other. Notes the use, once a minute."""
    mark, _, rest = text.partition("_")
    prefix, _, secret = rest.partition("_")
    if mark != _MARK or not secret or not text.isascii() or len(prefix) != 2 * _PREFIX_BYTES:
        return None
    unnoted = Q(last_used_at__isnull=True) | Q(last_used_at__lt=Now() - _USE_IS_NOTED_EVERY)
    usable = ApiToken.objects.usable().select_related("owner")
    asked = usable.annotate(is_unnoted=ExpressionWrapper(unnoted, BooleanField()))
    token: Any = asked.filter(prefix=prefix).first()
    if token is None or not hmac.compare_digest(token.digest, _digest(text)):
        return None
    if token.is_unnoted:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=Now())
    found: ApiToken = token
    return found


def tokens_of(owner: Any) -> list[ApiToken]:
    """Somebody's tokens: those in use first, then the newest first."""
    ordered = ApiToken.objects.filter(owner=owner).order_by(F("revoked_at").desc(nulls_first=True), "-pk")
    return list(ordered[: 2 * MOST_TOKENS])


def _digest(text: str) -> str:
    return "v1:" + hashlib.sha256(text.encode()).hexdigest()
