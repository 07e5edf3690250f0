"""Signing in and out. People and groups are made in the admin."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse

from editor.rate_limits import seconds_to_wait


class SignIn(LoginView):
    """The sign-in page. `next` is followed only to a page of this host (LoginView asks Django's own check)."""

    template_name = "people/sign_in.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Try to sign in; 429, without a look at the password, after too many tries by name or by address."""
        name, address = request.POST.get("username", "").strip().lower(), request.META.get("REMOTE_ADDR", "")
        wait_s = max(seconds_to_wait("login", name), seconds_to_wait("login_address", address))
        if not wait_s:
            return super().post(request, *args, **kwargs)
        context = self.get_context_data(form=AuthenticationForm(request), wait_s=wait_s)
        return self.render_to_response(context, status=429, headers={"Retry-After": str(wait_s)})


class SignOut(LogoutView):
    """Signing out: by POST only."""

    http_method_names = ["post", "options"]
