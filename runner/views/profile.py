"""One's own page: name and e-mail, rights in words, password, where one is signed in. Tokens are tokens.py's."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_texts
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from editor.models import ApiToken
from editor.people import change_password, change_profile, sign_out_everywhere
from editor.sessions import note_browser, sessions_of
from editor.sign_in import Attempt, SignInLocked
from runner.services.mail import choose_mail, wants_mail
from runner.views.browser_words import browser_words
from runner.views.pages import page, person, signed_in
from runner.views.role_words import other_groups, rights_in_words


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    """What somebody is called, where mail reaches them, and whether it does."""

    wants_mail = forms.BooleanField(
        required=False,
        label="Tell me by e-mail of approvals that wait for me",
        help_text="The mail names flow, step and tool, and links to the page where you decide.",
    )

    class Meta:
        model = User
        fields = ("first_name", "last_name", "email")
        labels = {"email": "E-mail"}
        widgets = {
            "first_name": forms.TextInput(attrs={"autocomplete": "given-name"}),
            "last_name": forms.TextInput(attrs={"autocomplete": "family-name"}),
            "email": forms.EmailInput(attrs={"autocomplete": "email"}),
        }


def session_rows(user: User, this: str | None = None) -> list[dict[str, Any]]:
    """Somebody's open sessions for a table; `this` is the key of the one that asks."""
    return [
        {"row": row, "words": browser_words(row.browser), "is_this": row.session_key == this}
        for row in sessions_of(user)
    ]


def password_help() -> str:
    """What a password must be like, in one line."""
    return " ".join(password_validators_help_texts())


class OwnPasswordForm(PasswordChangeForm):
    """A new password, for whoever knows the old one; wrong old ones count like wrong ones at the sign-in page."""

    address = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["old_password"].widget.attrs.pop("autofocus", None)  # it is not what the page is about
        self.fields["new_password1"].help_text = password_help()

    def clean_old_password(self) -> str:
        """Raises ValidationError for a wrong password, and without a look at it while signing in is locked."""
        attempt = Attempt.of(self.user.get_username(), self.address)
        try:
            attempt.begin()
        except SignInLocked as locked:
            raise forms.ValidationError(str(locked)) from None
        try:
            known = str(super().clean_old_password())
        except forms.ValidationError:
            attempt.failed()
            raise
        attempt.succeeded()
        return known


@signed_in
@require_safe
def profile(request: HttpRequest) -> HttpResponse:
    """Everything about oneself."""
    return _page(request)


def _page(request: HttpRequest, *, status: int = 200, **forms_given: Any) -> HttpResponse:
    user = person(request)
    context = {
        "roles": rights_in_words(user),
        "groups": other_groups(user),
        "profile_form": ProfileForm(instance=User.objects.get(pk=user.pk), initial={"wants_mail": wants_mail(user)}),
        "password_form": OwnPasswordForm(user),
        "sessions": session_rows(user, request.session.session_key),
        "tokens": ApiToken.objects.usable().filter(owner=user).count(),
        **forms_given,
    }
    return page(request, "people/profile.html", context, status=status)


@signed_in
@require_http_methods(["POST"])
def save_profile(request: HttpRequest) -> HttpResponse:
    """Change one's own name and e-mail."""
    form = ProfileForm(request.POST, instance=User.objects.get(pk=person(request).pk))
    if not form.is_valid():
        return _page(request, status=400, profile_form=form)
    wants = form.cleaned_data.pop("wants_mail")
    change_profile(person(request), **form.cleaned_data)
    choose_mail(person(request), wants)
    messages.success(request, "Your profile is saved.")
    return redirect("profile")


@signed_in
@require_POST
def save_password(request: HttpRequest) -> HttpResponse:
    """Change one's own password: all other browsers are signed out, tokens go on."""
    user = person(request)
    form = OwnPasswordForm(user, request.POST)
    form.address = request.META.get("REMOTE_ADDR", "")
    if not form.is_valid():
        return _page(request, status=400, password_form=form)
    change_password(user, form.cleaned_data["new_password1"], by=user, keep=request.session.session_key)
    update_session_auth_hash(request, user)
    note_browser(request)
    messages.success(request, "Your password is changed. Other browsers are signed out; your tokens go on.")
    return redirect("profile")


@signed_in
@require_POST
def leave_everywhere(request: HttpRequest) -> HttpResponse:
    """Sign out of every other browser."""
    closed = sign_out_everywhere(person(request), by=person(request), keep=request.session.session_key)
    told = f"You are signed out of {closed} other browser(s)." if closed else "You were signed in nowhere else."
    messages.success(request, told)
    return redirect("profile")
