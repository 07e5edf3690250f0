"""Who may do what to flows. Who sees them is visibility.py's; pages and endpoints ask both."""

from __future__ import annotations

from typing import Any

from editor.visibility import ADMIN, ANALYST, is_one_of


def may_write_flows(user: Any) -> bool:
    """Whether a user makes, changes and imports flows."""
    return is_one_of(user, ANALYST, ADMIN)


def may_publish(user: Any) -> bool:
    """Whether a user makes versions out of drafts."""
    return is_one_of(user, ANALYST, ADMIN)


def may_archive(user: Any) -> bool:
    """Whether a user puts flows away and brings them back."""
    return is_one_of(user, ADMIN)
