"""A person's own tokens: making, looking, revoking. What a token opens is the API's doors' to say."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from editor.language.errors import LanguageError
from editor.models import ApiToken
from editor.tokens import LONGEST_NAME, SCOPES, NewToken, make_token, revoke_token, tokens_of
from runner.models import to_ms
from runner.store.clock import now_ms
from runner.views.pages import page, person, signed_in

LASTS = (("30", "30 days"), ("90", "90 days"), ("365", "a year"), ("", "until I revoke it"))


class TokenForm(forms.Form):
    """What a new token is called, what it is for, and how long it lasts."""

    name = forms.CharField(max_length=LONGEST_NAME, help_text="Such as the program that will use it.")
    scopes = forms.MultipleChoiceField(
        label="What it is for",
        choices=[(scope, f"{scope}: {about}") for scope, about in SCOPES.items()],
        widget=forms.CheckboxSelectMultiple,
        initial=["read"],
    )
    days = forms.TypedChoiceField(
        label="It lasts", choices=LASTS, coerce=int, empty_value=None, required=False, initial="90"
    )


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """The tokens of the person who asks, and a form for another. The text of a new one is in this answer only."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    made = _make(request, form) if request.method == "POST" and form.is_valid() else None
    refused = request.method == "POST" and made is None
    context = {
        "tokens": _rows(request),
        "made": made,
        "form": TokenForm() if made is not None else form,
    }
    return page(request, "people/tokens.html", context, status=400 if refused else 200)


def _make(request: HttpRequest, form: TokenForm) -> NewToken | None:
    given = form.cleaned_data
    try:
        return make_token(person(request), name=given["name"], scopes=given["scopes"], days=given["days"])
    except LanguageError as error:
        form.add_error(None, error.message)
        return None


def _rows(request: HttpRequest) -> list[dict[str, Any]]:
    now = now_ms()
    return [
        {"row": token, "expired": token.expires_at is not None and to_ms(token.expires_at) <= now}
        for token in tokens_of(person(request))
    ]


@signed_in
@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Let one of one's own tokens open nothing any more."""
    token = ApiToken.objects.filter(owner=person(request), pk=token_id).first()
    if token is None:
        raise Http404("There is no such token.")
    revoke_token(token, by=person(request))
    messages.success(request, f"The token “{token.name}” is revoked.")
    return redirect("tokens")
