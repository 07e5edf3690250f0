"""Who may watch a run: asked on connect and again while a socket is open. The rule itself is `visible_to`."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any, cast

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest

from runner.models import Run

SIGNED_OUT = 4401
NOT_FOUND = 4404


def _refusal(session_key: str | None, run_id: str) -> int | None:
    store = import_module(settings.SESSION_ENGINE).SessionStore
    # get_user reads the session and nothing else; it also refuses a session from before a change of password.
    user = get_user(cast(HttpRequest, SimpleNamespace(session=store(session_key))))
    if not user.is_authenticated or not user.is_active:
        return SIGNED_OUT
    return None if Run.objects.visible_to(user).filter(pk=run_id).exists() else NOT_FOUND


async def refusal(scope: dict[str, Any], run_id: str) -> int | None:
    """The code to close a socket with, or None: the session is read from the database, not from the scope."""
    session = scope.get("session")
    session_key = session.session_key if session is not None else None
    return cast("int | None", await database_sync_to_async(_refusal)(session_key, run_id))
