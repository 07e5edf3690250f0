"""Review before publish: who has to approve a version, asking them, and what they decide.

A review is bound to the content of the draft: any change of it makes another hash, which nobody has approved.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from editor.audit import record
from editor.language.errors import LanguageError
from editor.models import Draft, Flow, VersionReview
from editor.signals import review_moved, tell_draft_changed
from editor.visibility import VIEW, group_names, may

OPEN, APPROVED, DECLINED = VersionReview.Status.OPEN, VersionReview.Status.APPROVED, VersionReview.Status.DECLINED


def reviewer_of(flow: Flow) -> dict[str, str | None]:
    """Who has to approve a version: a person by user name, or a group; both None where nobody has to."""
    person, group = flow.review_person, flow.review_group
    return {
        "person": person.get_username() if person is not None else None,
        "group": group.name if group is not None else None,
    }


@transaction.atomic
def set_reviewer(flow: Flow, *, person: str | None = None, group: str | None = None, by: Any) -> None:
    """Say who has to approve versions from now on; neither: nobody. Raises LanguageError `validation_failed` for
    unknown people and groups."""
    Flow.objects.select_for_update().get(pk=flow.pk)
    before = {**reviewer_of(flow), "needs_review": flow.needs_review}
    flow.review_person = _found(User.objects.filter(username=person, is_active=True), person, "person")
    flow.review_group = _found(Group.objects.filter(name=group), group, "group")
    flow.needs_review = flow.review_person is not None or flow.review_group is not None
    flow.save(update_fields=["review_person", "review_group", "needs_review"])
    after = {**reviewer_of(flow), "needs_review": flow.needs_review}
    if after != before:
        record(by, "flow-review-setting", flow, before=before, after=after)
        tell_draft_changed(flow.pk)
        for review in reviews_of(flow).filter(status=OPEN, closed_at__isnull=True):
            review_moved.send(sender=None, review=review, kind="asked")  # now it waits for others


def _found(rows: QuerySet[Any], name: str | None, what: str) -> Any:
    if name is None:
        return None
    row = rows.first()
    if row is None:
        raise LanguageError("validation_failed", f"There is no {what} {name!r} on this site.")
    return row


def is_reviewer(user: Any, flow: Flow) -> bool:
    """Whether a person is one of those who may approve versions of this flow now."""
    if not user.is_active or not may(user, VIEW, flow):
        return False
    named = flow.review_person_id is not None and flow.review_person_id == user.pk
    return named or (flow.review_group is not None and flow.review_group.name in group_names(user))


def reviews_of(flow: Flow) -> QuerySet[VersionReview]:
    """All reviews of a flow, the newest first."""
    return flow.reviews.select_related("asked_by", "decided_by").order_by("-pk")


@transaction.atomic
def ask_review(flow: Flow, *, content_hash: str, skills_hash: str, note: str = "", by: Any) -> VersionReview:
    """Ask for a review of this content. One that waits already for the same content is that review.

    Raises LanguageError `validation_failed` where the flow needs none.
    """
    Flow.objects.select_for_update().get(pk=flow.pk)
    if not flow.needs_review:
        raise LanguageError("validation_failed", "Versions of this flow need no review. Publish it.")
    same = reviews_of(flow).filter(content_hash=content_hash, skills_hash=skills_hash)
    known = same.filter(status=OPEN).first()
    if known is not None and known.closed_at is None:
        return known
    close_reviews(flow)  # about another content, or decided: this one is what counts now
    if known is not None and known.asked_by_id == by.pk:
        VersionReview.objects.filter(pk=known.pk).update(closed_at=None, note=note.strip() or known.note)
        row = known
    else:
        row = VersionReview.objects.create(
            flow=flow, content_hash=content_hash, skills_hash=skills_hash, note=note.strip(), asked_by=by
        )
    record(by, "review-ask", flow, after={"review": row.pk, "content_hash": content_hash}, reason=note)
    tell_draft_changed(flow.pk)
    asked = reviews_of(flow).select_related("flow").get(pk=row.pk)
    review_moved.send(sender=None, review=asked, kind="asked")
    return asked


def close_reviews(flow: Flow) -> None:
    """All reviews of a flow so far wait for nobody any more. Call it in the transaction of what takes their place."""
    if VersionReview.objects.filter(flow=flow, closed_at__isnull=True).update(closed_at=Now()):
        review_moved.send(sender=None, review=None, kind="closed")


@transaction.atomic
def note_decision(review: VersionReview, *, by: Any) -> None:
    """Who asked has noted how the review was decided. Raises LanguageError: `permission_denied` for somebody else,
    `validation_failed` for one that is open. Noting it again does nothing."""
    row = VersionReview.objects.select_for_update(of=("self",)).select_related("flow").get(pk=review.pk)
    if row.asked_by_id != by.pk:
        raise LanguageError("permission_denied", "Somebody else has asked for this review.")
    if row.status == OPEN:
        raise LanguageError("validation_failed", "Nobody has decided this review yet.")
    if row.closed_at is None:
        VersionReview.objects.filter(pk=row.pk).update(closed_at=Now())
        record(by, "review-note", row.flow, after={"review": row.pk})
        review_moved.send(sender=None, review=row, kind="closed")


@transaction.atomic
def decide_review(
    review: VersionReview, *, approve: bool, content_hash: str, content_now: str, note: str = "", by: Any
) -> VersionReview:
    """Approve or decline, once. `content_hash`: what the reviewer looked at; `content_now`: what the draft has.

    Raises LanguageError: `permission_denied` for somebody who is no reviewer, who asked for the review or who changed
    the draft last; `review_decided` for a second decision; `review_void` where it is about something else,
    or is to be approved though the draft has changed; `validation_failed` for declining without a word.
    """
    row = VersionReview.objects.select_for_update(of=("self",)).select_related("flow").get(pk=review.pk)
    _demand_reviewer(row, by)
    if row.status != OPEN:
        raise LanguageError("review_decided", "This review has been decided. Ask for another one if it is needed.")
    if row.content_hash != content_hash:
        raise LanguageError("review_void", "The review is about another content than you looked at. Load it again.")
    if approve and row.content_hash != content_now:
        told = "The draft has changed since this review was asked for, so approving it would approve nothing. Look at"
        raise LanguageError("review_void", f"{told} the draft as it is, and have whoever publishes it ask for another.")
    if not approve and not note.strip():
        raise LanguageError("validation_failed", "Say why you decline.")
    status = APPROVED if approve else DECLINED
    # Whoever asked is to hear of it, though somebody may have asked for another one since.
    VersionReview.objects.filter(pk=row.pk).update(
        status=status, decided_by=by, decided_at=Now(), answer=note.strip(), closed_at=None
    )
    about = {"review": row.pk, "content_hash": row.content_hash}
    record(by, "review-approve" if approve else "review-decline", row.flow, after=about, reason=note)
    tell_draft_changed(row.flow_id)
    decided = reviews_of(row.flow).select_related("flow").get(pk=row.pk)
    review_moved.send(sender=None, review=decided, kind="decided")
    return decided


def may_decide(review: VersionReview, user: Any) -> bool:
    """Whether a person may decide this review now."""
    try:
        _demand_reviewer(review, user)
    except LanguageError:
        return False
    return True


def _demand_reviewer(review: VersionReview, user: Any) -> None:
    if not is_reviewer(user, review.flow):
        raise LanguageError("permission_denied", "This review is asked of somebody else.")
    own = Draft.objects.filter(flow=review.flow_id, updated_by=user.pk).exists()
    if review.asked_by_id == user.pk or own:
        told = "Nobody approves their own work: somebody else has to, who has not changed this draft or asked for it."
        raise LanguageError("permission_denied", told)


def demand_review(flow: Flow, content_hash: str, skills_hash: str) -> None:
    """Raise LanguageError `review_required` unless the flow needs no review, or this content has been approved last."""
    needs = Flow.objects.filter(pk=flow.pk, needs_review=True).exists()
    if not needs:
        return
    decided = reviews_of(flow).filter(content_hash=content_hash, skills_hash=skills_hash).exclude(status=OPEN)
    newest = decided.first()
    if newest is None or newest.status != APPROVED:
        who = reviewer_of(Flow.objects.select_related("review_person", "review_group").get(pk=flow.pk))
        named = who["person"] or (f"the group {who['group']}" if who["group"] else "a reviewer, whom nobody has named")
        raise LanguageError(
            "review_required",
            f"A version of this flow is published once {named} has approved it, and nobody has approved the draft as "
            "it is now. Ask for a review; any change afterwards needs another one.",
            {"flow": flow.pk, "content_hash": content_hash},
        )
