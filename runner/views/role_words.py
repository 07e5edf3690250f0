"""What roles and rights mean, in words for people."""

from __future__ import annotations

from typing import Any

from editor.visibility import ADMIN, ANALYST, GROUPS, REVIEWER, RIGHTS, group_names, is_one_of

ROLES = {
    ANALYST: "makes, publishes and runs flows; sees all runs but those of restricted flows",
    REVIEWER: "decides approvals that name nobody else; sees the runs they are asked about",
    ADMIN: "does all that, looks after people, puts flows away, stops things",
}
"""Roles in the order of pages."""

RIGHT_WORDS = dict(RIGHTS)
ROLE_CHOICES = [(role, f"{role}: {words}") for role, words in ROLES.items()]


def rights_in_words(user: Any) -> list[str]:
    """A line for each role that somebody has; one that says so for nobody's."""
    held = [f"As {role} you are somebody who {words}." for role, words in ROLES.items() if is_one_of(user, role)]
    return held or ["You have no role: you see the flows that are shared with you, and what you are asked to decide."]


def other_groups(user: Any) -> list[str]:
    """Groups that are no roles: approvals name them, flows are shared with them."""
    return sorted(group_names(user) - GROUPS)
