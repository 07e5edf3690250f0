"""Where Django keeps who is signed in: as its own store does, with the person and the browser in columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db.models.functions import Now
from django.http import HttpRequest

from editor.models import BrowserSession

BROWSER, ADDRESS = "signed_in_with", "signed_in_from"


class SessionStore(DatabaseStore):
    """Writes `BrowserSession` rows: settings.SESSION_ENGINE."""

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def create_model_instance(self, data: Mapping[str, Any]) -> BrowserSession:
        """The row of a session: whose it is, its data says."""
        row: Any = super().create_model_instance(dict(data))
        person = data.get(SESSION_KEY)
        row.person_id = int(person) if person is not None else None
        row.browser, row.address = data.get(BROWSER, ""), data.get(ADDRESS, "")
        found: BrowserSession = row
        return found


def note_browser(request: HttpRequest) -> None:
    """Keep what somebody can tell their own sessions apart by; call it right after signing in."""
    request.session[BROWSER] = request.headers.get("User-Agent", "")[:200]
    request.session[ADDRESS] = request.META.get("REMOTE_ADDR", "")[:64]


def sessions_of(person: Any) -> list[BrowserSession]:
    """Somebody's open sessions, the newest first, without their data."""
    rows = BrowserSession.objects.filter(person=person, expire_date__gt=Now())
    return list(rows.defer("session_data").order_by("-created_at")[:100])


def close_sessions(person: Any, *, but: str | None = None) -> int:
    """Sign somebody out of every browser, but for the session with this key; gives how many were closed."""
    return int(BrowserSession.objects.filter(person=person).exclude(session_key=but or "").delete()[0])
