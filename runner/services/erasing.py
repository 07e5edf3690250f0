"""Erasing a person's data: the account becomes a pseudonym, what only they needed goes, and the ticket says what stays.

Hashed events name people by account and by the user name of that time. They stay as they were hashed, so that chains
and signatures hold; pages and live events show the pseudonym (docs/decisions/0019).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Q, TextField
from django.db.models.functions import Cast

from editor import audit, pseudonyms
from editor.models import ApiToken, AuditEntry, BrowserSession, Erasure, FlowGrant, Invitation, SignInCount
from editor.people import demand_other_admin, refused
from editor.sign_in import digest_of
from editor.signals import tell_rights_changed
from runner.models import Decision, Event, MailBox, Notice, PurgeTicket, ReviewNotice, Run, SavedView, Stop
from runner.services.naming import places_naming

#: Keys under which somebody's data stands in audit entries about them and their tokens.
_OF_PEOPLE = ("first_name", "last_name", "email", "name")


@dataclass(frozen=True, slots=True)
class Erased:
    """What was done: the pseudonym, how much was removed, how much was kept because the audit needs it, and where
    their name stands in what people wrote, which nobody but people can change."""

    pseudonym: str
    removed: dict[str, int]
    kept: dict[str, int]
    named_in: list[str]


@transaction.atomic
def erase_person(person: User, *, by: Any, reason: str) -> Erased:
    """Erase what is known of somebody, for good; the account stays as a pseudonym that nobody can sign in with.

    Raises LanguageError `validation_failed`: without a reason, for the only active admin, for somebody who was erased.
    """
    if not reason.strip():
        raise refused("Say why the person's data is erased: the audit keeps it.")
    if Erasure.objects.filter(person=str(person.pk)).exists():
        raise refused(f"The data of {person.get_username()} has been erased before.")
    if isinstance(by, User) and by.pk == person.pk:
        raise refused("Somebody else has to erase your data: ask another admin.")
    demand_other_admin(person)
    known = _Known.of(person)
    named_in = places_naming(known.names())
    pseudonym = _free_pseudonym(person)
    ticket = Erasure.objects.create(person=str(person.pk), pseudonym=pseudonym, actor=_actor(by), reason=reason.strip())
    removed = _remove(person, known)
    removed["names_in_audit_entries"] = _redact_audit(person, known, pseudonym)
    removed["names_at_stops"] = _redact_stops(person, pseudonym)
    _make_nobody(person, pseudonym)
    kept = _kept(person)
    Erasure.objects.filter(pk=ticket.pk).update(
        removed=removed, kept={**kept, "named_in": named_in}, tokens=[pk for pk, _ in known.tokens], is_open=False
    )
    told = {"person": pseudonym, "removed": removed, "kept": kept, "named_in": named_in}
    audit.record(by, "person-erase", ("user", str(person.pk)), after=told, reason=reason.strip())
    transaction.on_commit(pseudonyms.forget)
    tell_rights_changed()
    return Erased(pseudonym, removed, kept, named_in)


@dataclass(frozen=True, slots=True)
class _Known:
    """By what somebody can be told from their texts in the audit."""

    username: str
    email: str
    tokens: tuple[tuple[str, str], ...]
    full_name: str

    @classmethod
    def of(cls, person: User) -> _Known:
        tokens = ApiToken.objects.filter(owner=person).values_list("pk", "name")
        found = tuple((str(pk), name) for pk, name in tokens)
        return cls(person.get_username(), person.email, found, person.get_full_name())

    def texts(self) -> list[str]:
        """Whole texts that mean this person."""
        of_tokens = [f"{name} of {self.username}" for _, name in self.tokens]
        return [text for text in (self.username, self.email, *of_tokens) if text]

    def names(self) -> list[str]:
        """What they may be called where people write."""
        return [text for text in (self.username, self.email, self.full_name) if text]


def _actor(by: Any) -> dict[str, str]:
    if by is None:
        return {"kind": "engine"}
    return dict(by) if isinstance(by, dict) else audit.actor_of(by)


def _free_pseudonym(person: User) -> str:
    name = f"erased-{person.pk}"
    while User.objects.filter(username__iexact=name).exclude(pk=person.pk).exists():
        name += "-"
    return name


def _remove(person: User, known: _Known) -> dict[str, int]:
    """Delete what only this person needed."""
    invited = Q(person=person) | (Q(email__iexact=known.email) if known.email else Q(pk__in=[]))
    gone = {
        "sessions": BrowserSession.objects.filter(person=person),
        "tokens": ApiToken.objects.filter(owner=person),
        "links": Invitation.objects.filter(invited),
        "shares": FlowGrant.objects.filter(person=person),
        "saved_views": SavedView.objects.filter(person=person),
        "notices": Notice.objects.filter(person=person),
        "review_notices": ReviewNotice.objects.filter(person=person),
        "mail_settings": MailBox.objects.filter(person=person),
        "wrong_passwords": SignInCount.objects.filter(kind="name", who=digest_of(known.username)),
    }
    return {name: int(rows.delete()[0]) for name, rows in gone.items()}


def _redact_audit(person: User, known: _Known, pseudonym: str) -> int:
    """Put the pseudonym into audit entries by and about the person; the database lets nothing but names change."""
    by = Q(actor_kind="user", actor_id=str(person.pk))
    by |= Q(actor_kind="token", actor_id__in=[pk for pk, _ in known.tokens])
    theirs = {("user", str(person.pk)), *(("apitoken", pk) for pk, _ in known.tokens)}
    about = Q(object_type="user", object_id=str(person.pk))
    about |= Q(object_type="apitoken", object_id__in=[pk for pk, _ in known.tokens])
    mentions = Q(pk__in=[])
    for text in known.texts():
        written = json.dumps(text)  # as the database has it: ASCII on both kinds
        mentions |= Q(before_text__contains=written) | Q(after_text__contains=written)
    rows = AuditEntry.objects.annotate(
        before_text=Cast("before", TextField()), after_text=Cast("after", TextField())
    ).filter(by | about | mentions)
    actors = {("user", str(person.pk)), *(("token", pk) for pk, _ in known.tokens)}
    texts, changed = dict.fromkeys(known.texts(), pseudonym), 0
    for entry in rows.order_by("pk").iterator(chunk_size=500):
        is_theirs = (entry.object_type, entry.object_id) in theirs
        is_by = (entry.actor_kind, entry.actor_id) in actors
        after = {
            "actor_name": pseudonym if is_by else entry.actor_name,
            "before": _redacted(entry.before, texts, is_theirs),
            "after": _redacted(entry.after, texts, is_theirs),
        }
        if any(getattr(entry, name) != value for name, value in after.items()):
            changed += 1
            _update_entry(entry.pk, after)
    return changed


def _update_entry(pk: int, names: dict[str, Any]) -> None:
    """Past the model, which refuses every change; the trigger lets names change while an erasure is open."""
    fields = {one.name: one for one in AuditEntry._meta.concrete_fields}
    values = [fields[name].get_db_prep_save(value, connection) for name, value in names.items()]
    with connection.cursor() as cursor:
        assigned = ", ".join(f"{name} = %s" for name in names)
        cursor.execute(f"UPDATE editor_auditentry SET {assigned} WHERE id = %s", [*values, pk])


def _redacted(value: Any, texts: dict[str, str], is_theirs: bool) -> Any:
    if isinstance(value, dict):
        return {
            texts.get(key, key): "" if is_theirs and key in _OF_PEOPLE else _redacted(item, texts, is_theirs)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_redacted(item, texts, is_theirs) for item in value]
    return texts.get(value, value) if isinstance(value, str) else value


def _redact_stops(person: User, pseudonym: str) -> int:
    changed = 0
    for stop in Stop.objects.filter(Q(actor__contains=f'"{person.pk}"') | Q(release_actor__contains=f'"{person.pk}"')):
        for name in ("actor", "release_actor"):
            held = getattr(stop, name) or {}
            if held.get("kind") == "user" and held.get("id") == str(person.pk):
                Stop.objects.filter(pk=stop.pk).update(**{name: {**held, "name": pseudonym}})
                changed += 1
    return changed


def _make_nobody(person: User, pseudonym: str) -> None:
    person.groups.clear()
    person.user_permissions.clear()
    person.username = pseudonym
    person.first_name = person.last_name = person.email = ""
    person.is_active = person.is_staff = person.is_superuser = False
    person.last_login = None
    person.set_unusable_password()
    person.save()


def _kept(person: User) -> dict[str, int]:
    """What the audit needs: rows that name the account, whose name is shown as the pseudonym."""
    named = Q(actor__contains=f'"id":"{person.pk}"') & Q(actor__contains='"kind":"user"')
    return {
        "runs_started": Run.objects.filter(started_by=person).count(),
        "events": Event.objects.acts().filter(named).count(),
        "decisions": Decision.objects.filter(named).count(),
        "audit_entries": AuditEntry.objects.filter(actor_kind="user", actor_id=str(person.pk)).count(),
        "purge_tickets": PurgeTicket.objects.filter(named).count(),
    }
