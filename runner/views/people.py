"""Signing in and out. Accounts are team.py's, one's own is profile.py's, links for newcomers are join.py's."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from editor.sessions import note_browser
from editor.signals import tell_rights_changed
from runner.models import to_ms
from runner.store.clock import now_ms


class SignIn(LoginView):
    """The sign-in page. `next` is followed only to a page of this host (LoginView asks Django's own check)."""

    template_name = "people/sign_in.html"
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Sign in, and note with which browser."""
        response = super().form_valid(form)
        note_browser(self.request)
        return response

    def form_invalid(self, form: forms.BaseForm) -> HttpResponse:
        """Say that it did not fit, or, with 429, until when nothing is looked at."""
        until: datetime | None = getattr(self.request, "sign_in_locked_until", None)
        if until is None:
            return super().form_invalid(form)  # type: ignore[arg-type]
        wait_s = max(1, (to_ms(until) - now_ms()) // 1000)
        context = self.get_context_data(form=AuthenticationForm(self.request), locked_until=until)
        return self.render_to_response(context, status=429, headers={"Retry-After": str(wait_s)})


class SignOut(LogoutView):
    """Signing out: by POST only."""

    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Sign out, and have this browser's open sockets closed soon."""
        response: HttpResponse = super().post(request, *args, **kwargs)
        tell_rights_changed()
        return response


def admin_sign_in(request: HttpRequest, **_: Any) -> HttpResponse:
    """In place of the door of Django's admin: this site has one place for passwords."""
    if request.user.is_authenticated:
        raise PermissionDenied("The admin is for admins of this site. Ask one of them.")
    return redirect(f"{reverse('sign-in')}?{urlencode({'next': request.GET.get('next') or reverse('admin:index')})}")
