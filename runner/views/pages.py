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

from editor.permissions import may_write_flows
from editor.visibility import ADMIN, is_one_of
from runner.deciding import waiting_counts
from runner.permissions import may_operate

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
        "page": template,
        "may_manage": is_one_of(user, ADMIN),
        "waiting": waiting_counts(user),
        "may_operate": may_operate(user),
        "may_make_flows": may_write_flows(user),
    }
    return render(request, template, {"nav": nav, **(context or {})}, status=status)
