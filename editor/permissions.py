"""Who may do what to flows. The rule itself is visibility.py's; pages and endpoints ask here, with words to refuse."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied

from editor.visibility import ADMIN, ANALYST, DECIDE, EDIT, PUBLISH, RUN, SHARE, VIEW, is_one_of, may

_TOLD = {
    VIEW: "This flow is not for you to see.",
    RUN: "You see this flow, but starting and controlling its runs is not yours to do.",
    EDIT: "You see this flow, but changing its draft is not yours to do.",
    PUBLISH: "You see this flow, but publishing it is not yours to do.",
    DECIDE: "You see this flow, but deciding its approvals is not yours to do.",
    SHARE: "A flow is shared by its owner, who must be an analyst, and by admins.",
}
ASK = "Ask its owner or an admin to share it with you for that."


def may_write_flows(user: Any) -> bool:
    """Whether a user makes and imports flows of their own. One that is there, `may` says."""
    return is_one_of(user, ANALYST, ADMIN)


def may_archive(user: Any) -> bool:
    """Whether a user puts flows away and brings them back."""
    return is_one_of(user, ADMIN)


def demand_right(user: Any, right: str, flow: Any) -> None:
    """Raise PermissionDenied, which says why, unless this user has the right on the flow (None: a file)."""
    if not may(user, right, flow):
        raise PermissionDenied(_TOLD[right] if right == SHARE else f"{_TOLD[right]} {ASK}")
