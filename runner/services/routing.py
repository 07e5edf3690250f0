"""Where an open approval goes before it is decided: handed to somebody, reminded of, escalated to another group.

None of it decides anything, and nobody gets a right by being handed something: it is kept beside the run's history,
in rows that never change, and in the audit. What is due is found in the database, and happens once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q

from editor import audit
from runner import streaming
from runner.deciding import has_approved, refusal
from runner.engine.errors import RunError
from runner.engine.statuses import RunStatus
from runner.models import Approval, Notice, Routing
from runner.services.approvals import find_approval
from runner.services.mail import note
from runner.services.runs import from_outside
from runner.store.clock import now_ms
from runner.store.routings import append_routing, hand_to, open_to_group

log = logging.getLogger(__name__)

LONGEST_REASON = 2_000
_ENGINE = {"kind": "engine"}
_WAITING = (RunStatus.ACTIVE, RunStatus.AWAITING_APPROVAL)
"""Runs that a person paused are not reminded of: their deadlines stand still."""


# Handing to somebody


def delegate_approval(approval_id: str, *, to: str, user: Any, reason: str = "") -> None:
    """Hand an open approval to somebody (a user name) who may decide it; it waits for them, and for nobody else, until
    they decide or somebody who may decide takes it back.

    Raises RunError: `approval_not_found`, `permission_denied` or `self_approval` (this person may not decide it),
    `validation_failed` (the other may not), `approval_already_decided`, `approval_expired`, `value_too_large`.
    """
    approval = _decidable(approval_id, user)
    other = _somebody_else(to, approval)
    why = _said(reason)
    with transaction.atomic():
        before = _set_delegate(approval, other)
        append_routing(approval, Routing.Kind.DELEGATED, audit.actor_of(user), person=other, reason=why)
        after = {"approval": approval.pk, "step": approval.path, "to": to}
        audit.record(user, "approval-delegate", ("run", approval.run_id), before=before, after=after, reason=why)
        if other.pk != user.pk:
            note(Notice.Kind.DELEGATED, approval, [other])


def take_back_approval(approval_id: str, *, user: Any, reason: str = "") -> None:
    """Let an approval wait again for everybody who may decide it. Whoever may decide it may do that.

    Raises RunError as `delegate_approval` does; `validation_failed` where nobody has handed it to anybody.
    """
    approval = _decidable(approval_id, user)
    if approval.delegate is None:
        raise RunError("validation_failed", "Nobody has handed this to anybody: there is nothing to take back.")
    _take_back(approval, approval.delegate, user, _said(reason))


def return_from_the_gone(batch: int) -> int:
    """Take back what was handed to somebody who may not decide it any more; gives how many were. All that was handed
    over is looked at, so many at a time."""
    taken = 0
    for approval in _handed(batch):
        assert approval.delegate is not None
        if refusal(approval.delegate, approval) is not None:
            name = approval.delegate.get_username()
            try:
                _take_back(approval, approval.delegate, None, f"{name} may not decide this any more.")
                taken += 1
            except RunError as error:
                log.info("Approval %s: %s", approval.pk, error.message)
    return taken


def _handed(batch: int) -> Iterator[Approval]:
    """Every open approval that was handed to somebody."""
    rows = Approval.objects.open().filter(delegate__isnull=False).select_related("run", "run__flow", "delegate")
    last = ""
    while found := list(rows.filter(pk__gt=last).order_by("pk")[:batch]):
        yield from found
        last = found[-1].pk


def _decidable(approval_id: str, user: Any) -> Approval:
    approval = find_approval(approval_id, user)
    refused = refusal(user, approval)
    if refused is not None:
        raise refused
    return approval


def _somebody_else(name: str, approval: Approval) -> User:
    """The person with this user name, who may decide and has not yet. Raises RunError `validation_failed`."""
    other = User.objects.filter(username=name, is_active=True).first()
    if other is None:
        raise RunError("validation_failed", f"There is no active person with the user name {name!r}.")
    refused = refusal(other, approval)
    if refused is not None:
        raise RunError("validation_failed", f"{name} may not decide this: {refused.message}")
    if has_approved(other, approval):
        raise RunError("validation_failed", f"{name} has approved this already. Hand it to somebody else.")
    return other


def _said(reason: str) -> str:
    why = str(from_outside(reason.strip(), "The reason"))
    if len(why) > LONGEST_REASON:
        raise RunError("value_too_large", f"The reason is longer than {LONGEST_REASON:,} characters.")
    return why


def _set_delegate(approval: Approval, to: User | None) -> dict[str, Any]:
    """Change whom an open approval waits for, and lock its row; gives whom it waited for."""
    if not hand_to(approval.pk, to.pk if to is not None else None):
        now = Approval.objects.get(pk=approval.pk).status
        code = "approval_expired" if now == "expired" else "approval_already_decided"
        raise RunError(code, f"It does not wait any more: it is {now}.")
    transaction.on_commit(streaming.publish_inbox, robust=True)
    before = approval.delegate.get_username() if approval.delegate is not None else None
    return {"approval": approval.pk, "to": before}


def _take_back(approval: Approval, held_by: User, user: User | None, why: str) -> None:
    with transaction.atomic():
        before = _set_delegate(approval, None)
        actor = _ENGINE if user is None else audit.actor_of(user)
        append_routing(approval, Routing.Kind.TAKEN_BACK, actor, person=held_by, reason=why)
        after = {"approval": approval.pk, "step": approval.path, "to": None}
        audit.record(user, "approval-take-back", ("run", approval.run_id), before=before, after=after, reason=why)


# What is due


def route_due(limit: int) -> None:
    """Remind and escalate where it is time, and take back what was handed to somebody who is gone."""
    now = now_ms()
    for approval in due_reminders(now, limit):
        _once(approval, _remind)
    for approval in due_escalations(now, limit):
        _once(approval, _escalate)
    return_from_the_gone(limit)


def due_reminders(now: int, limit: int) -> list[Approval]:
    """Open approvals that people are to be reminded of now, and were not yet, the soonest deadline first."""
    given = settings.APPROVALS
    before, after = given["REMIND_BEFORE_MS"], given["REMIND_AFTER_MS"]
    due = Q(pk__in=[])
    if before:
        half = Q(expires_at__lte=2 * now - F("created_at"))
        due |= Q(expires_at__lte=now + before) & half
    if after:
        due |= Q(created_at__lte=now - after)
    reminded = Routing.objects.filter(approval=OuterRef("pk"), key=Routing.Kind.REMINDED)
    rows: Any = Approval.objects.open().with_deadline().filter(due, ~Exists(reminded), run__status__in=_WAITING)
    if before and not after:
        rows = rows.filter(deadline__lte=now + before)
    return list(rows.select_related("run", "run__flow").order_by("deadline", "pk")[:limit])


def due_escalations(now: int, limit: int) -> list[Approval]:
    """Open approvals that another group is to be asked about now, and was not yet, the oldest first."""
    after, to = settings.APPROVALS["ESCALATE_AFTER_MS"], settings.APPROVALS["ESCALATE_TO"]
    if not (after and to):
        return []
    rows = Approval.objects.open().filter(created_at__lte=now - after, escalated_to__isnull=True)
    rows = rows.filter(Q(group__isnull=True) | ~Q(group=to), run__status__in=_WAITING)
    return list(rows.select_related("run", "run__flow").order_by("created_at", "pk")[:limit])


def _once(approval: Approval, act: Any) -> None:
    """Do what is due in a transaction of its own. Another sweeper may have been first: then nothing happens."""
    try:
        with transaction.atomic():
            act(approval)
    except IntegrityError:
        log.debug("Approval %s: another sweeper was first.", approval.pk)


def _remind(approval: Approval) -> None:
    append_routing(approval, Routing.Kind.REMINDED, _ENGINE, once=True)
    note(Notice.Kind.REMINDED, approval)
    transaction.on_commit(streaming.publish_inbox, robust=True)


def _escalate(approval: Approval) -> None:
    to = settings.APPROVALS["ESCALATE_TO"]
    if not open_to_group(approval.pk, to):
        return
    approval.escalated_to, approval.delegate = to, None
    append_routing(approval, Routing.Kind.ESCALATED, _ENGINE, once=True, group=to)
    after = {"approval": approval.pk, "step": approval.path, "group": to}
    audit.record(None, "approval-escalate", ("run", approval.run_id), after=after)
    note(Notice.Kind.ESCALATED, approval)
    transaction.on_commit(streaming.publish_inbox, robust=True)
