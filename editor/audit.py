"""The one way to write an audit entry. Reading them is the admin's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Model

from editor.models import AuditEntry

ACTIONS = (
    "approval-delegate", "approval-escalate", "approval-take-back", "comment-add", "comment-reopen",
    "comment-resolve", "flow-archive", "flow-create", "flow-duplicate", "flow-extract", "flow-import",
    "flow-pin", "flow-publish", "flow-rename", "flow-restore", "flow-review-setting", "flow-share", "flow-test-delete",
    "flow-test-make", "flow-test-save", "flow-unpin", "group-make", "group-remove", "incident-release",
    "incident-stop", "person-disable", "person-enable", "person-erase", "person-groups", "person-invite",
    "person-invite-end", "person-join", "person-mail", "person-password", "person-password-link",
    "person-profile", "person-sign-out", "review-approve", "review-ask", "review-decline", "review-note",
    "run-dossier", "run-fork", "run-move", "run-purge", "run-verify", "secret-see", "sign-in-lock", "sign-in-unlock",
    "token-make", "token-revoke", "view-remove", "view-save",
)  # fmt: skip
"""Every action that an entry can be about."""


def record(
    actor: Any,
    action: str,
    target: Model | tuple[str, str],
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str = "",
) -> AuditEntry:
    """Write down that somebody did something; call it in the transaction of the deed.

    `actor`: a user (who may act by a token), an event's actor `{kind, id?, name?}`, or None for the site itself.
    `action`: one of ACTIONS. `target`: a saved row, or a type and an id. `before` and `after`: JSON of what changed,
    without secrets.
    """
    kind, actor_id, name = _named(actor)
    target_type, target_id = target if isinstance(target, tuple) else (target._meta.model_name or "", str(target.pk))
    return AuditEntry.objects.create(
        actor_kind=kind,
        actor_id=actor_id,
        actor_name=name,
        action=action,
        object_type=target_type,
        object_id=target_id,
        before=dict(before) if before is not None else None,
        after=dict(after) if after is not None else None,
        reason=reason,
    )


def _named(actor: Any) -> tuple[str, str, str]:
    if actor is None:
        return "engine", "", ""
    if isinstance(actor, Mapping):
        return str(actor.get("kind", "")), str(actor.get("id", "")), str(actor.get("name", ""))
    named = actor_of(actor)
    return named["kind"], named["id"], named["name"]


def actor_of(user: Any) -> dict[str, str]:
    """How the audit and events name a person, or the token by which a program acts for a person.

    A user that was found by a token carries it as `acting_token`.
    """
    token = getattr(user, "acting_token", None)
    if token is not None:
        return {"kind": "token", "id": str(token.pk), "name": f"{token.name} of {user.get_username()}"}
    return {"kind": "user", "id": str(user.pk), "name": str(user.get_username())}
