"""Signing in and out. People and groups are made in the admin."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView


class SignIn(LoginView):
    """The sign-in page. `next` is followed only to a page of this host (LoginView asks Django's own check)."""

    template_name = "people/sign_in.html"
    redirect_authenticated_user = True


class SignOut(LogoutView):
    """Signing out: by POST only."""

    http_method_names = ["post", "options"]
