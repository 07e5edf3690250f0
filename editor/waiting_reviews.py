"""Which reviews wait for whom: those that somebody is to decide, and the decisions that who asked has not noted yet.

Reads only. A review whose draft has changed since stays in the list, says so, and is counted no more.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from editor import services
from editor.installed import installed_catalog
from editor.language.errors import LanguageError
from editor.models import Draft, Flow, VersionReview
from editor.reviews import OPEN
from editor.visibility import VIEW, of_visible_flow, people_with

MOST = 200
"""So many reviews are looked at for one person: the newest."""


def asked_of(user: Any) -> list[VersionReview]:
    """The reviews that a person may decide now, the newest first; each says whether it is `current`."""
    if not user.is_active or user.pk is None:
        return []
    named = Q(flow__review_person=user.pk) | Q(flow__review_group__in=user.groups.values("pk"))
    rows = _unclosed(user).filter(named, status=OPEN, flow__needs_review=True, flow__archived_at__isnull=True)
    rows = rows.exclude(asked_by=user.pk).exclude(flow__draft__updated_by=user.pk)
    return _with_current(rows)


def asked_by(user: Any) -> list[VersionReview]:
    """What a person has asked for: what nobody has decided yet, and decisions that they have not noted."""
    if not user.is_active or user.pk is None:
        return []
    return _with_current(_unclosed(user).filter(asked_by=user.pk))


def waiting_reviews(user: Any) -> int:
    """How many reviews wait for a person: those to decide that are about the draft as it is, and decisions to note."""
    if not user.is_active or user.pk is None:
        return 0
    decided = _unclosed(user).filter(asked_by=user.pk).exclude(status=OPEN).values_list("pk", flat=True)[:MOST]
    return sum(one.current for one in asked_of(user)) + len(decided)  # type: ignore[attr-defined]


def reviewers(review: VersionReview) -> QuerySet[User]:
    """Everybody who may decide a review now, by name. Its flow must be loaded with it."""
    flow = review.flow
    named = Q(pk=flow.review_person_id or 0) | Q(groups=flow.review_group_id or 0)
    last = Draft.objects.filter(flow=flow, updated_by__isnull=False).values("updated_by")
    found = User.objects.filter(named, is_active=True, pk__in=User.objects.filter(people_with(VIEW, flow)).values("pk"))
    found = found.exclude(pk=review.asked_by_id or 0).exclude(pk__in=last)
    return User.objects.filter(pk__in=found.values("pk")).order_by("username")


def is_current(review: VersionReview) -> bool:
    """Whether the draft has still the content that the review is about. Its flow and draft are best loaded with it."""
    draft = review.flow.draft
    try:
        return _content_of(draft.flow_id, draft.revision, draft.updated_at) == review.content_hash
    except LanguageError:
        return False


def _unclosed(user: Any) -> QuerySet[VersionReview]:
    rows = VersionReview.objects.filter(of_visible_flow(user), closed_at__isnull=True)
    rows = rows.select_related("flow__draft", "flow__review_person", "flow__review_group", "asked_by", "decided_by")
    return rows.defer("flow__draft__document").order_by("-pk")


def _with_current(rows: QuerySet[VersionReview]) -> list[VersionReview]:
    found = list(rows[:MOST])
    for row in found:
        row.current = is_current(row)  # type: ignore[attr-defined]
    return found


@lru_cache(maxsize=1_024)
def _content_of(flow_id: str, revision: int, saved_at: object) -> str:
    """The hash of one saved draft, worked out once in a process. Raises LanguageError where nothing could be published
    now: that is asked again, as it may be so because of what the draft refers to."""
    return services.hashes_of_draft(Flow.objects.get(pk=flow_id), installed_catalog(), revision)["content_hash"]
