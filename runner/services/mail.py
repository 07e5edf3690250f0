"""Telling people of approvals and reviews by e-mail: who is to be told is written down first, and sent by a worker.

Each person is told of each thing once for each reason; a mail may come twice only if the worker is lost between
sending and noting it. Mails name flow, step and tool, never a value; their links only open the card.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.db import transaction
from django.urls import reverse

from editor import audit
from runner.deciding import people_who_decide, waiting_for
from runner.models import Approval, MailBox, Notice, ReviewNotice, to_ms
from runner.models.approvals import NEVER
from runner.services import review_news
from runner.store.clock import now_ms
from runner.store.routings import add_notices, choose, close_notices, end_turn, mark_told, take_turn

log = logging.getLogger(__name__)

MOST_PEOPLE = 200
"""So many people are told of one approval at most."""
MOST_LISTED = 20
"""So many approvals one mail lists; more are counted."""
BATCH = 100
LONGEST_PAUSE_MS = 3_600_000
_WHY = {
    Notice.Kind.ASKED: "waits for a decision",
    Notice.Kind.DELEGATED: "was handed to you",
    Notice.Kind.REMINDED: "still waits for a decision",
    Notice.Kind.ESCALATED: "was escalated",
}
_KINDS = list(_WHY)


# Writing down who is to be told


def note(kind: str, approval: Approval, people: Iterable[User] | None = None) -> None:
    """Write down that people are to be told of an approval: left out, whoever it waits for. The same again does
    nothing. Call it in the transaction of what they are told of."""
    if not settings.APPROVALS["MAIL"]:
        return
    if people is None:
        people = [approval.delegate] if approval.delegate is not None else people_who_decide(approval)[:MOST_PEOPLE]
    add_notices(approval, kind, [person.pk for person in people if person.email])


def note_what_is_new(limit: int = BATCH) -> int:
    """Write down whom to tell of approvals that were opened; gives how many approvals those were."""
    rows = _untold().select_related("run", "run__flow", "delegate").order_by("created_at", "pk")[:limit]
    found = 0
    for approval in rows:
        with transaction.atomic():
            if mark_told(approval.pk):
                if approval.run.flow_test is None:
                    note(Notice.Kind.ASKED, approval)
                found += 1
    return found


def _untold() -> Any:
    return Approval.objects.open().filter(told_at__isnull=True)


# Sending


def mail_is_due() -> bool:
    """Whether there is anything to write down or to send now."""
    if not settings.APPROVALS["MAIL"]:
        return False
    return bool(_untold().exists() or _people_to_tell(1))


def _people_to_tell(limit: int) -> list[int]:
    """Ids of people who are to be told something, and may get a mail now."""
    rests = MailBox.objects.filter(next_at__gt=now_ms()).values("person")
    found: set[int] = set()
    for unsent in (Notice.objects.filter(sent_at__isnull=True, dropped=False), review_news.unsent()):
        people = unsent.exclude(person__in=rests).order_by("person").values_list("person", flat=True)
        found.update(people.distinct()[:limit])
    return sorted(found)[:limit]


def send_due_mail() -> int:
    """Tell everybody who is to be told something now; gives how many mails were sent."""
    if not settings.APPROVALS["MAIL"]:
        return 0
    while note_what_is_new() == BATCH:
        pass
    return sum(_tell(person_id) for person_id in _people_to_tell(BATCH))


def _tell(person_id: int) -> bool:
    """Send one person one mail about everything they are to be told; whether one was sent."""
    person = User.objects.get(pk=person_id)
    every = settings.APPROVALS["MAIL_EVERY_MS"]
    box = take_turn(person_id, every)
    if box is None:
        return False
    notices = list(
        Notice.objects.filter(person=person, sent_at__isnull=True, dropped=False)
        .select_related("approval__run__flow", "approval__run__version")
        .order_by("pk")[:BATCH]
    )
    reviews = review_news.unsent_of(person, BATCH)
    wanted = _still_of_use(person, box, notices, reviews)
    close_notices([one for one in (*notices, *reviews) if one not in wanted], sent=False)
    if not wanted:
        end_turn(person_id, rest_ms=0, failures=box.failures, error=box.error)
        return False
    try:
        _message(person, wanted).send()
    except OSError as error:  # what smtplib raises is one too
        pause = min(every * 2 ** min(box.failures + 1, 16), LONGEST_PAUSE_MS)
        told = f"{type(error).__name__}: {error}"[:500]
        end_turn(person_id, rest_ms=pause, failures=box.failures + 1, error=told)
        log.warning("Mail to %s could not be sent, it is tried again: %s", person.get_username(), told)
        return False
    close_notices(wanted, sent=True)
    end_turn(person_id)
    return True


def _still_of_use(
    person: User, box: MailBox, notices: Sequence[Notice], reviews: Sequence[ReviewNotice]
) -> list[Notice | ReviewNotice]:
    """Of these notices, those of what still waits for this person, if they want mail."""
    if not (box.wants_mail and person.is_active and person.email):
        return []
    asked = {notice.approval_id for notice in notices}
    waiting = set(waiting_for(person).filter(pk__in=asked).values_list("pk", flat=True))
    wanted = [notice for notice in notices if notice.approval_id in waiting]
    return [*wanted, *review_news.still_of_use(person, reviews)]


def _message(person: User, notices: Sequence[Notice | ReviewNotice]) -> EmailMessage:
    """One mail about all of these: of an approval with several reasons, the last one is told."""
    of_approvals = [one for one in notices if isinstance(one, Notice)]
    by_weight = sorted(of_approvals, key=lambda one: _KINDS.index(Notice.Kind(one.kind)))
    newest = {notice.approval_id: notice for notice in by_weight}
    listed = sorted(newest.values(), key=lambda one: to_ms(one.approval.expires_at or NEVER))
    reviews = [one for one in notices if isinstance(one, ReviewNotice)]
    lines = [*map(_line, listed[:MOST_LISTED]), *map(review_news.line_of, reviews[:MOST_LISTED])]
    more = len(listed) + len(reviews) - len(lines)
    if more:
        lines.append(f"and {more} more: {settings.SITE_URL}{reverse('inbox')}")
    body = "\n\n".join([*lines, _FOOT.format(profile=settings.SITE_URL + reverse("profile"))])
    marked = ",".join(f"{'' if isinstance(one, Notice) else 'review-'}{one.pk}" for one in notices)
    mark = hashlib.sha256(marked.encode()).hexdigest()[:32]
    host = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip(">") or "localhost"
    headers = {"Message-ID": f"<approvals-{person.pk}-{mark}@{host}>", "Auto-Submitted": "auto-generated"}
    return EmailMessage(_subject(listed, reviews), body + "\n", None, [person.email], headers=headers)


_FOOT = """Opening a link decides nothing: the page shows what is asked, and you decide there.
You get these mails because you may decide, or asked for a review. Your profile turns them off: {profile}"""


def _subject(listed: Sequence[Notice], reviews: Sequence[ReviewNotice]) -> str:
    if len(listed) + len(reviews) > 1:
        what = "approvals" if not reviews else "reviews" if not listed else "approvals and reviews"
        return (
            f"{len(listed) + len(reviews)} {what} in your inbox" if reviews else f"{len(listed)} approvals wait for you"
        )
    if reviews:
        return review_news.subject_of(reviews[0])
    return " ".join(f"Approval {_WHY[Notice.Kind(listed[0].kind)]}: {_what(listed[0].approval)}".split())


def _line(notice: Notice) -> str:
    approval = notice.approval
    until = f"\nIt expires on {approval.expires_at:%Y-%m-%d at %H:%M} UTC." if approval.expires_at else ""
    link = settings.SITE_URL + reverse("approval", args=[approval.pk])
    return f"{_what(approval)} {_WHY[Notice.Kind(notice.kind)]}.{until}\n{link}"


def _what(approval: Approval) -> str:
    """Flow, step and tool by name. Titles are left out: they may hold values of the run."""
    flow = approval.run.flow.name if approval.run.flow is not None else "a flow from a file"
    tool = f" ({approval.tool})" if approval.tool else ""
    return " ".join(f"{flow}, step {approval.node}{tool}".split())


# What a person wants


def wants_mail(person: User) -> bool:
    """Whether somebody wants to be told of approvals and reviews by e-mail."""
    return not MailBox.objects.filter(person=person, wants_mail=False).exists()


@transaction.atomic
def choose_mail(person: User, wants: bool) -> None:
    """Turn mails about approvals and reviews on or off for somebody. The same again does nothing."""
    if choose(person.pk, wants):
        audit.record(person, "person-mail", person, before={"mail": not wants}, after={"mail": wants})


def sent_before(approval: Approval) -> dict[str, tuple[int, list[str]]]:
    """Who was told of an approval by e-mail: for each kind of notice when the first was sent, and to whom."""
    rows = Notice.objects.filter(approval=approval, sent_at__isnull=False).order_by("sent_at", "pk")
    found: dict[str, tuple[int, list[str]]] = {}
    for kind, name, at in rows.values_list("kind", "person__username", "sent_at"):
        found.setdefault(kind, (to_ms(at), []))[1].append(name)
    return found
