"""Deciding several approvals at once: calls of one tool by one version of a flow, each bound to what was shown.

Each is decided by itself, in a transaction and an event of its own: one that is refused hurts no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runner.deciding import waiting_for
from runner.engine.errors import RunError
from runner.models import Approval, ApprovalQuerySet
from runner.services.approvals import decide_approval, find_approval
from runner.services.runs import actor_of

MOST = 20
"""So many are shown and decided at once."""
WITH_RUN = ("run", "run__flow", "run__version", "run__started_by")
UNREAD = ("run__inputs", "run__result", "run__snapshot", "run__given_ends")
"""Columns of runs that nobody reads here: they may be long."""


@dataclass(frozen=True, slots=True)
class Decided:
    """How one of several went; `refused`: why it was not taken."""

    approval: Approval
    refused: RunError | None = None


def alike(approval: Approval, user: Any) -> list[Approval]:
    """The open approvals that wait for this person and can be decided with this one: calls of the same tool by the same
    version, the oldest first, this one included if it waits for them."""
    return list(_alike(approval, user).select_related(*WITH_RUN).defer(*UNREAD).order_by("created_at", "pk")[:MOST])


def how_many_alike(approval: Approval, user: Any) -> int:
    """How many there are, of which `alike` lists `MOST`."""
    return _alike(approval, user).values("pk")[:MOST].count()


def _alike(approval: Approval, user: Any) -> ApprovalQuerySet:
    if approval.kind != "tool":
        return Approval.objects.none()
    return waiting_for(user).filter(kind="tool", tool=approval.tool, run__version=approval.run.version_id)


def decide_several(
    first: Approval, shown: Sequence[tuple[str, str]], *, verdict: str, user: Any, comment: str = ""
) -> list[Decided]:
    """Approve or reject each of `shown` (an id with the digest that the person saw); how each went, in that order.

    Raises RunError `validation_failed`, and decides none, where nothing or too much was chosen, where a rejection has
    no words, or where one is no call of the tool and version of `first`; `approval_not_found`.
    """
    if not 0 < len(shown) <= MOST:
        raise RunError("validation_failed", f"Choose what you decide about: at least one, and at most {MOST}.")
    if verdict not in ("approved", "rejected"):
        raise RunError("validation_failed", "Choose one of the decisions.")
    if verdict == "rejected" and not comment.strip():
        raise RunError("validation_failed", "Say why you reject: the analyst and the flow get these words.")
    rows = [find_approval(approval_id, user) for approval_id, _ in shown]
    kind = ("tool", first.tool, first.run.version_id)
    if any((row.kind, row.tool, row.run.version_id) != kind for row in rows):
        raise RunError("validation_failed", "Only calls of one tool by one version are decided together.")
    found = []
    for row, (_, digest) in zip(rows, shown, strict=True):
        try:
            decide_approval(
                row.pk, verdict=verdict, digest=digest, actor=actor_of(user), user=user, comment=comment.strip()
            )
            found.append(Decided(row))
        except RunError as error:
            found.append(Decided(row, error))
    return found
