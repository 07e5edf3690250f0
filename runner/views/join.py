"""The page behind a link that works once: a newcomer's account, or a new password. Looking uses nothing up."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from editor.invitations import GONE, find_link, join, set_password
from editor.language.errors import LanguageError
from editor.models import Invitation
from editor.rate_limits import seconds_to_wait
from editor.sessions import note_browser
from runner.views.profile import password_help


class JoinForm(SetPasswordForm):  # type: ignore[type-arg]
    """A new account: its name, what the person is called, and a password twice."""

    username = forms.CharField(
        label="User name",
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        help_text="What you sign in with. Letters, digits and @ . + - _",
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
    )
    first_name = forms.CharField(max_length=150, required=False)
    last_name = forms.CharField(max_length=150, required=False)
    email = forms.EmailField(label="E-mail", required=False)
    field_order = ("username", "first_name", "last_name", "email", "new_password1", "new_password2")

    def clean(self) -> dict[str, Any] | None:
        """The passwords must be alike, and not like what the person is called."""
        for name in ("username", "first_name", "last_name", "email"):
            setattr(self.user, name, self.cleaned_data.get(name, ""))
        return super().clean()


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def join_page(request: HttpRequest, text: str) -> HttpResponse:
    """Join with the link's role, or set a new password; then one is signed in. A link that opens nothing gives 404."""
    response = _answer(request, text)
    add_never_cache_headers(response)
    return response


def _answer(request: HttpRequest, text: str) -> HttpResponse:
    if seconds_to_wait("link", request.META.get("REMOTE_ADDR", "")):
        return _show(request, {"gone": "Too many links were tried from here. Wait a minute, then try again."}, 429)
    link = find_link(text)
    if link is None:
        return _show(request, {"gone": GONE}, 404)
    if request.method != "POST":
        return _show(request, {"link": link, "form": _form(link)})
    form = _form(link, request.POST)
    if form.is_valid():
        try:
            return _enter(request, _use(link, text, form.cleaned_data))
        except LanguageError as error:
            if error.code == "not_found":
                return _show(request, {"gone": error.message}, 404)
            form.add_error(None if link.person else "username", error.message)
    return _show(request, {"link": link, "form": form}, 400)


def _form(link: Invitation, data: Any = None) -> Any:
    form: Any
    if link.person is not None:
        form = SetPasswordForm(link.person, data)
    else:
        form = JoinForm(User(), data, initial={"email": link.email})
    form.fields["new_password1"].help_text = password_help()
    return form


def _use(link: Invitation, text: str, given: dict[str, Any]) -> User:
    if link.person is not None:
        return set_password(text, given["new_password1"])
    about = {name: given[name] for name in ("username", "first_name", "last_name", "email")}
    return join(text, password=given["new_password1"], **about)


def _enter(request: HttpRequest, user: User) -> HttpResponse:
    login(request, user)
    note_browser(request)
    messages.success(request, f"Welcome. You are signed in as {user.get_username()}.")
    return redirect("home")


def _show(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    return render(request, "people/join.html", context, status=status)
