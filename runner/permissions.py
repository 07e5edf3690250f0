"""Who may do what to runs on pages and endpoints. Who sees what is `visible_to`; who decides, the approvals service."""

from __future__ import annotations

from typing import Any

from editor.permissions import demand_right
from editor.visibility import ADMIN, RUN, is_one_of, may


def may_control_run(user: Any, run: Any) -> bool:
    """Whether this person cancels, pauses, resumes and retries this run, as its flow is shared."""
    return may(user, RUN, run.flow)


def demand_control(user: Any, run: Any) -> None:
    """Raise PermissionDenied, which says why, unless this person may control the run."""
    demand_right(user, RUN, run.flow)


def may_operate(user: Any) -> bool:
    """Whether this person looks after the site: stops and releases, and sees what stands still."""
    return is_one_of(user, ADMIN)
