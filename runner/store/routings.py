"""Writing what happens to open approvals beside the decision, and who is to be told of it. Rules are the services'."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from editor.models import VersionReview
from runner.models import Approval, MailBox, Notice, ReviewNotice, Routing
from runner.store.clock import now_ms


def hand_to(approval_id: str, person_id: int | None) -> bool:
    """Let an approval wait for one person, or for everybody (None), and lock its row; False: it is not open."""
    return bool(Approval.objects.open().filter(pk=approval_id).update(delegate=person_id))


def open_to_group(approval_id: str, group: str) -> bool:
    """Let another group decide an approval, too; False: it is not open, or another group was asked before."""
    still = Approval.objects.open().filter(pk=approval_id, escalated_to__isnull=True)
    return bool(still.update(escalated_to=group, delegate=None))


def append_routing(approval: Approval, kind: str, actor: Any, *, once: bool = False, **about: Any) -> None:
    """Note what happened to an approval. `once`: django.db.IntegrityError where it has happened before; everything
    else is numbered, and the approval's row must be locked meanwhile."""
    number = "" if once else f"-{Routing.objects.filter(approval=approval).count() + 1}"
    Routing.objects.create(
        run_id=approval.run_id, approval=approval, key=f"{kind}{number}", kind=kind, actor=actor, at=now_ms(), **about
    )


def mark_told(approval_id: str) -> bool:
    """Note that it was written down whom to tell of a new approval; False: somebody has noted it before."""
    return bool(Approval.objects.filter(pk=approval_id, told_at__isnull=True).update(told_at=now_ms()))


def add_notices(approval: Approval, kind: str, person_ids: Iterable[int]) -> None:
    """Write down that people are to be told; of one that is there nothing changes."""
    now = now_ms()
    Notice.objects.bulk_create(
        [
            Notice(run_id=approval.run_id, approval=approval, person_id=person_id, kind=kind, at=now)
            for person_id in person_ids
        ],
        ignore_conflicts=True,
    )


def add_review_notices(review: VersionReview, kind: str, person_ids: Iterable[int]) -> None:
    """Write down that people are to be told of a review: once, but anew where there was no need to tell them then."""
    now, people = now_ms(), list(person_ids)
    rows = [ReviewNotice(review=review, person_id=person_id, kind=kind, at=now) for person_id in people]
    ReviewNotice.objects.bulk_create(rows, ignore_conflicts=True)
    needless = ReviewNotice.objects.filter(review=review, kind=kind, person__in=people, dropped=True)
    needless.update(dropped=False, at=now)


def close_notices(notices: Collection[Notice | ReviewNotice], *, sent: bool) -> None:
    """Note that these were sent, or that there is no need any more."""
    for table in (Notice, ReviewNotice):
        rows = table._default_manager.filter(pk__in=[one.pk for one in notices if isinstance(one, table)])
        rows.update(sent_at=now_ms()) if sent else rows.update(dropped=True)


def take_turn(person_id: int, every_ms: int) -> MailBox | None:
    """The person's box, for whoever may send them a mail now: nobody else may for a while. None: it is not time yet."""
    box, _ = MailBox.objects.get_or_create(person_id=person_id)
    now = now_ms()
    # Whoever moves the time on sends; all others find that it is not time yet.
    taken = MailBox.objects.filter(person=person_id, next_at__lte=now).update(next_at=now + every_ms)
    return box if taken else None


def end_turn(person_id: int, *, rest_ms: int | None = None, failures: int = 0, error: str = "") -> None:
    """Note how sending ended; `rest_ms`: when the next mail may come, None: as the turn said."""
    rests = {} if rest_ms is None else {"next_at": now_ms() + rest_ms}
    MailBox.objects.filter(person=person_id).update(failures=failures, error=error, **rests)


def choose(person_id: int, wants: bool) -> bool:
    """Note whether somebody wants mail; False: they had said so before."""
    MailBox.objects.get_or_create(person_id=person_id)
    return bool(MailBox.objects.filter(person=person_id).exclude(wants_mail=wants).update(wants_mail=wants))
