"""People of this site, for admins: list, invite, groups, lifting a lock. One account is account.py's."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.core.mail import send_mail
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from editor.invitations import LASTS_DAYS, NewLink, invite, open_invitations, take_back
from editor.language.errors import LanguageError
from editor.models import Invitation
from editor.people import make_group, remove_group
from editor.sign_in import lift_lock, locked_addresses
from editor.visibility import ADMIN, GROUPS, is_one_of
from runner.views.pages import View, page, person, signed_in
from runner.views.paging import cut
from runner.views.role_words import ROLE_CHOICES

PAGE = 50
P = ParamSpec("P")


def for_admins(view: View[P]) -> View[P]:
    """Only for admins who are signed in: others who work here get 403, and for the rest there is no such page."""

    def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not is_one_of(person(request), *GROUPS):
            raise Http404("There is no such page.")
        if not is_one_of(person(request), ADMIN):
            raise PermissionDenied("Admins look after people. Ask one of them.")
        return view(request, *args, **kwargs)

    return signed_in(cast("View[P]", wraps(view)(guarded)))


class InviteForm(forms.Form):
    """Whom to invite, and as what."""

    role = forms.ChoiceField(choices=ROLE_CHOICES, widget=forms.RadioSelect, initial="analyst")
    email = forms.EmailField(label="E-mail", required=False)


@for_admins
@require_safe
def team(request: HttpRequest) -> HttpResponse:
    """Everybody with an account, who is invited, and the groups."""
    return _page(request)


def _page(request: HttpRequest, *, status: int = 200, **more: object) -> HttpResponse:
    rows = User.objects.prefetch_related("groups").defer("password")
    wanted = request.GET.get("q", "").strip().replace("\0", "")
    if wanted:
        rows = rows.filter(Q(username__icontains=wanted) | Q(last_name__icontains=wanted) | Q(email__icontains=wanted))
    asked = request.GET.copy()
    if not (asked.get("after", "").isascii() and asked.get("after", "").isdigit()):
        asked.pop("after", None)
    found = cut(rows, asked, order=("username", "pk"), size=PAGE)
    members = Count("user", filter=Q(user__is_active=True))
    context = {
        "people": found.rows,
        "slice": found,
        "wanted": wanted,
        "roles": GROUPS,
        "invitations": open_invitations(),
        "groups": Group.objects.annotate(members=members).order_by("name")[:200],
        "locked": locked_addresses(),
        "form": InviteForm(),
        "sends_mail": settings.SENDS_MAIL,
        **more,
    }
    return page(request, "people/team.html", context, status=status)


@for_admins
@require_POST
def send_invitation(request: HttpRequest) -> HttpResponse:
    """Make a link for one newcomer. It is in this answer only, and in the mail."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, status=400, form=form)
    email = form.cleaned_data["email"]
    made = invite(role=form.cleaned_data["role"], email=email, by=person(request))
    link = link_of(request, made)
    told = f"You are invited to Flowsite. Open this link within {LASTS_DAYS} days to make your account:\n\n{link}\n"
    return _page(request, link=link, link_for=email or f"a new {made.row.role}", mailed=mail(email, "Flowsite", told))


def link_of(request: HttpRequest, made: NewLink) -> str:
    """The whole address of a link that was just made."""
    return request.build_absolute_uri(reverse("join", args=[made.text]))


def mail(to: str, subject: str, text: str) -> str:
    """Send a mail where this site can and the address is known; says how it went: `sent`, `failed`, or nothing."""
    if not (to and settings.SENDS_MAIL):
        return ""
    try:
        send_mail(subject, text, None, [to])
    except OSError:  # what smtplib raises is one too
        return "failed"
    return "sent"


@for_admins
@require_POST
def end_invitation(request: HttpRequest, link_id: int) -> HttpResponse:
    """Take a link back."""
    link = Invitation.objects.filter(pk=link_id, person__isnull=True).first()
    if link is None:
        raise Http404("There is no such link.")
    take_back(link, by=person(request))
    messages.success(request, "The link opens nothing any more.")
    return redirect("team")


@for_admins
@require_POST
def add_group(request: HttpRequest) -> HttpResponse:
    """Make a group."""
    return acted(request, lambda: make_group(request.POST.get("name", ""), by=person(request)), "The group is made.")


@for_admins
@require_POST
def drop_group(request: HttpRequest, group_id: int) -> HttpResponse:
    """Remove a group that is not needed any more."""
    group = Group.objects.filter(pk=group_id).first()
    if group is None:
        raise Http404("There is no such group.")
    return acted(request, lambda: remove_group(group, by=person(request)), f"The group {group.name} is removed.")


@for_admins
@require_POST
def unlock_address(request: HttpRequest) -> HttpResponse:
    """Let people sign in from an address again."""
    address = request.POST.get("address", "")
    done = f"People can sign in from {address} again."
    return acted(request, lambda: lift_lock(by=person(request), address=address), done)


def acted(
    request: HttpRequest, action: Callable[[], object], done: str, *, back: str = "team", about: tuple[int, ...] = ()
) -> HttpResponse:
    """Do something, say how it went, and go back to a page."""
    try:
        action()
    except LanguageError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, done)
    return redirect(back, *about)
