"""What every page shares: who is signed in, the navigation, one way to render, one way to answer "not there"."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers, patch_cache_control

from runner.models import Approval

COUNT_LIMIT = 99
"""The navigation counts no further: beyond it, it says `99+`."""

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def signed_in(view: View[P]) -> View[P]:
    """Only for people who are signed in; what they get is kept in no cache."""

    def private(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        add_never_cache_headers(response)
        patch_cache_control(response, private=True, no_store=True)
        return response

    return cast("View[P]", login_required(wraps(view)(private)))


def person(request: HttpRequest) -> User:
    """The person who asks. Only in views behind `signed_in`."""
    assert isinstance(request.user, User)
    return request.user


def page(
    request: HttpRequest, template: str, context: dict[str, Any] | None = None, *, status: int = 200
) -> HttpResponse:
    """Render a whole page, with the navigation of the person who asks."""
    user = person(request)
    nav = {
        "section": template.split("/", maxsplit=1)[0],
        "open_approvals": open_count(user),
    }
    return render(request, template, {"nav": nav, **(context or {})}, status=status)


def open_count(user: User) -> str:
    """How many approvals wait for this person, for the navigation; empty for none."""
    found = len(Approval.objects.visible_to(user).open().values_list("pk", flat=True)[: COUNT_LIMIT + 1])
    return f"{COUNT_LIMIT}+" if found > COUNT_LIMIT else str(found or "")
