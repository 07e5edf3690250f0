"""One account, for admins: groups, disabling and enabling, lifting its lock, a link for a new password."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import Group, User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from editor.invitations import offer_password
from editor.language.errors import LanguageError
from editor.models import ApiToken, AuditEntry, Erasure
from editor.people import change_groups, disable, enable, is_admin_account, sign_out_everywhere
from editor.sign_in import lift_lock, locked_until
from editor.visibility import ADMIN
from runner.services.erasing import erase_person
from runner.views.pages import page, person
from runner.views.profile import session_rows
from runner.views.role_words import ROLES
from runner.views.team import acted, for_admins, link_of, mail

ENTRIES = 20
LONGEST_REASON = 2_000


def find_person(person_id: int) -> User:
    """Somebody with an account. Raises Http404."""
    found = User.objects.filter(pk=person_id).first()
    if found is None:
        raise Http404("There is no such person.")
    return found


@for_admins
@require_safe
def account_page(request: HttpRequest, person_id: int) -> HttpResponse:
    """Who somebody is here, and what was done to the account."""
    return _page(request, find_person(person_id))


def _page(request: HttpRequest, one: User, *, status: int = 200, **more: object) -> HttpResponse:
    held = set(one.groups.values_list("name", flat=True)) | ({ADMIN} if is_admin_account(one) else set())
    others = Group.objects.exclude(name__in=ROLES).order_by("name").values_list("name", flat=True)[:200]
    context = {
        "one": one,
        "roles": [(role, words, role in held) for role, words in ROLES.items()],
        "groups": [(name, name in held) for name in others],
        "sessions": session_rows(one),
        "tokens": ApiToken.objects.usable().filter(owner=one).count(),
        "locked_until": locked_until(one.get_username()),
        "erasure": Erasure.objects.filter(person=str(one.pk)).first(),
        "entries": AuditEntry.objects.filter(object_type="user", object_id=str(one.pk)).order_by("-id")[:ENTRIES],
        **more,
    }
    return page(request, "people/account.html", context, status=status)


def _reason(request: HttpRequest) -> str:
    return request.POST.get("reason", "").strip()[:LONGEST_REASON]


@for_admins
@require_POST
def save_groups(request: HttpRequest, person_id: int) -> HttpResponse:
    """Change somebody's roles and groups."""
    one, names = find_person(person_id), request.POST.getlist("groups")
    done = f"The groups of {one.get_username()} are saved."

    def act() -> None:
        change_groups(one, names, by=person(request), reason=_reason(request))

    return acted(request, act, done, back="account", about=(one.pk,))


@for_admins
@require_POST
def disable_person(request: HttpRequest, person_id: int) -> HttpResponse:
    """Let somebody in no more."""
    one = find_person(person_id)
    done = f"{one.get_username()} is disabled: sessions and tokens are closed, the history stays."

    def act() -> None:
        disable(one, by=person(request), reason=_reason(request))

    return acted(request, act, done, back="account", about=(one.pk,))


@for_admins
@require_POST
def enable_person(request: HttpRequest, person_id: int) -> HttpResponse:
    """Let somebody in again."""
    one = find_person(person_id)
    done = f"{one.get_username()} can sign in again. Tokens stay revoked."
    return acted(request, lambda: enable(one, by=person(request)), done, back="account", about=(one.pk,))


@for_admins
@require_POST
def sign_out_person(request: HttpRequest, person_id: int) -> HttpResponse:
    """Close somebody's sessions."""
    one = find_person(person_id)
    done = f"{one.get_username()} is signed out everywhere."
    return acted(request, lambda: sign_out_everywhere(one, by=person(request)), done, back="account", about=(one.pk,))


@for_admins
@require_POST
def erase(request: HttpRequest, person_id: int) -> HttpResponse:
    """Erase somebody's data for good; their user name is typed again, so that nobody does it by mistake."""
    one = find_person(person_id)
    if request.POST.get("name", "").strip() != one.get_username():
        messages.error(request, "Type the user name of the person whose data is to be erased.")
        return redirect("account", one.pk)
    done = "The data is erased. What was removed and what was kept stands below, in the audit of this account."
    return acted(
        request,
        lambda: erase_person(one, by=person(request), reason=_reason(request)),
        done,
        back="account",
        about=(one.pk,),
    )


@for_admins
@require_POST
def unlock_person(request: HttpRequest, person_id: int) -> HttpResponse:
    """Let somebody try passwords again."""
    one = find_person(person_id)
    done = f"{one.get_username()} can try to sign in again."
    name = one.get_username()
    return acted(request, lambda: lift_lock(by=person(request), name=name), done, back="account", about=(one.pk,))


@for_admins
@require_POST
def send_password_link(request: HttpRequest, person_id: int) -> HttpResponse:
    """Make a link for a new password. It is in this answer only, and in the mail."""
    one = find_person(person_id)
    try:
        made = offer_password(one, by=person(request))
    except LanguageError as error:
        return _page(request, one, status=400, refused=error.message)
    link = link_of(request, made)
    told = f"Open this link within a day to set a new password for {one.get_username()} on Flowsite:\n\n{link}\n"
    return _page(request, one, link=link, mailed=mail(one.email, "A new password for Flowsite", told))
