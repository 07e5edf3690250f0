"""Views of the run list that people save under a name. Each has their own; an address shows anybody the same."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from editor import audit
from runner.engine.errors import RunError
from runner.models.saved_views import LONGEST_NAME, LONGEST_QUERY, SavedView

MOST_VIEWS = 30


def save_view(user: Any, name: str, query: str) -> SavedView:
    """Keep what a list shows under a name; a view of this person that has the name already shows this from now on.

    `query`: a query string. Raises RunError `validation_failed`, `limit_exceeded`.
    """
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise RunError("validation_failed", f"Give the view a name of 1 to {LONGEST_NAME} characters.")
    if len(query) > LONGEST_QUERY:
        raise RunError("value_too_large", "These filters are too long to be saved. Keep the address instead.")
    with transaction.atomic():
        known = SavedView.objects.of(user).select_for_update().filter(name=name).first()
        if known is None and SavedView.objects.of(user).count() >= MOST_VIEWS:
            told = f"You have {MOST_VIEWS} saved views already. Remove one that you do not need."
            raise RunError("limit_exceeded", told)
        before = None if known is None else _told(known)
        view, _ = SavedView.objects.update_or_create(person=user, name=name, defaults={"query": query})
        audit.record(user, "view-save", ("view", str(view.pk)), before=before, after=_told(view))
    return view


def remove_view(user: Any, view_id: int) -> str:
    """Forget a view of this person; gives its name. Raises RunError `not_found`, for those of others too."""
    with transaction.atomic():
        view = SavedView.objects.of(user).filter(pk=view_id).first()
        if view is None:
            raise RunError("not_found", "You have no such view. It may have been removed already.")
        audit.record(user, "view-remove", ("view", str(view.pk)), before=_told(view))
        view.delete()
    return view.name


def _told(view: SavedView) -> dict[str, str]:
    return {"name": view.name, "query": view.query}
