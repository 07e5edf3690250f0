"""Who may do what on pages and endpoints. Who sees what is `visible_to`; who decides, the approvals service."""

from __future__ import annotations

from typing import Any

from runner.models.visibility import is_admin, is_analyst


def may_start_runs(user: Any) -> bool:
    """Whether this person starts runs: analysts and admins."""
    return is_analyst(user) or is_admin(user)


def may_control_runs(user: Any) -> bool:
    """Whether this person cancels, pauses, resumes and retries: analysts and admins."""
    return is_analyst(user) or is_admin(user)
