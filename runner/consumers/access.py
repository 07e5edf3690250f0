"""Who may read over a socket: asked on connect and again while it is open. The rule itself is `visible_to`."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any, cast

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth import get_user, get_user_model
from django.http import HttpRequest

from editor.models import Draft, Flow
from runner.deciding import Waiting, waiting_counts
from runner.models import Run

SIGNED_OUT = 4401
NOT_FOUND = 4404


def _signed_in(session_key: str | None) -> Any:
    """The person of a session, or None."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    # get_user reads the session and nothing else; it also refuses a session from before a change of password.
    user = get_user(cast(HttpRequest, SimpleNamespace(session=store(session_key))))
    return user if user.is_authenticated and user.is_active else None


def _refusal(session_key: str | None, run_id: str) -> int | None:
    user = _signed_in(session_key)
    if user is None:
        return SIGNED_OUT
    return None if Run.objects.visible_to(user).filter(pk=run_id).exists() else NOT_FOUND


def _person(session_key: str | None) -> tuple[int | None, int | None]:
    user = _signed_in(session_key)
    return (None, SIGNED_OUT) if user is None else (user.pk, None)


def _draft_reader(session_key: str | None, flow_id: str) -> tuple[str, int | None]:
    user = _signed_in(session_key)
    if user is None:
        return "", SIGNED_OUT
    sees = Flow.objects.visible_to(user).filter(pk=flow_id).exists()
    return user.get_username(), None if sees else NOT_FOUND


def _session_key(scope: dict[str, Any]) -> str | None:
    session = scope.get("session")
    return session.session_key if session is not None else None


async def refusal(scope: dict[str, Any], run_id: str) -> int | None:
    """The code to close a run's socket with, or None: the session is read from the database, not from the scope."""
    return cast("int | None", await database_sync_to_async(_refusal)(_session_key(scope), run_id))


async def draft_reader(scope: dict[str, Any], flow_id: str) -> tuple[str, int | None]:
    """What somebody who opens a draft is called, and the code to close their socket with if they may not see it."""
    found: tuple[str, int | None] = await database_sync_to_async(_draft_reader)(_session_key(scope), flow_id)
    return found


def _saved(flow_id: str) -> tuple[int, str | None]:
    rows = Draft.objects.filter(flow=flow_id).values_list("revision", "updated_by__username")
    return rows.first() or (0, None)


async def draft_saved(flow_id: str) -> tuple[int, str | None]:
    """The revision of a draft, and the user name of who saved it."""
    found: tuple[int, str | None] = await database_sync_to_async(_saved)(flow_id)
    return found


def _waiting(user_id: int) -> Waiting:
    user = get_user_model().objects.filter(pk=user_id, is_active=True).first()
    return waiting_counts(user) if user is not None else Waiting("", "", "")


async def waiting_of(user_id: int) -> Waiting:
    """How much waits for a person, as badges write it."""
    found: Waiting = await database_sync_to_async(_waiting)(user_id)
    return found


async def person_of(scope: dict[str, Any]) -> tuple[int | None, int | None]:
    """The id of who is signed in, and the code to close a socket with if nobody is."""
    found: tuple[int | None, int | None] = await database_sync_to_async(_person)(_session_key(scope))
    return found
