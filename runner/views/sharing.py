"""The page of who a flow is for. What a grant gives is the editor's visibility.py's."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import Group, User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from editor.language.errors import LanguageError
from editor.permissions import demand_right
from editor.sharing import MOST_GRANTS, Grant, grants_of, share_flow
from editor.visibility import RIGHTS, SHARE, VIEW, rights_on
from runner.views.flows import find_flow
from runner.views.pages import page, person, signed_in

CHOICES = 500
PERSON, GROUP = "person:", "group:"


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def sharing(request: HttpRequest, flow_id: str) -> HttpResponse:
    """Who a flow is for: whoever sees the flow may look, its owner and admins change it."""
    user = person(request)
    flow = find_flow(user, flow_id)
    grants, restricted, refused = grants_of(flow), flow.is_restricted, ""
    if request.method == "POST":
        demand_right(user, SHARE, flow)
        grants, restricted = _given(request.POST), request.POST.get("restricted") == "yes"
        try:
            share_flow(flow, restricted=restricted, grants=grants, by=user)
        except LanguageError as error:
            refused = error.message
        else:
            messages.success(request, "Who this flow is for is saved.")
            return redirect("flow-sharing", flow.pk)
    context = {
        "flow": flow,
        "restricted": restricted,
        "rows": [_row(grant) for grant in grants],
        "rights": [(right, words) for right, words in RIGHTS.items() if right != VIEW],
        "may_share": SHARE in rights_on(user, flow),
        "refused": refused,
        **_choices({(grant.is_group, grant.name) for grant in grants}),
    }
    return page(request, "flows/sharing.html", context, status=400 if refused else 200)


def _given(sent: QueryDict) -> list[Grant]:
    """The grants of the form: a line for each `who`, with its rights under its number, and one to add."""
    found = []
    for number, who in enumerate(sent.getlist("who")[: MOST_GRANTS + 1]):
        kind, name = _parts(who)
        if name and f"remove-{number}" not in sent:
            found.append(Grant(name, kind == GROUP, frozenset(sent.getlist(f"rights-{number}"))))
    return found


def _parts(who: str) -> tuple[str, str]:
    kind = GROUP if who.startswith(GROUP) else PERSON
    return kind, who.removeprefix(kind)


def _row(grant: Grant) -> dict[str, Any]:
    return {
        "who": f"{GROUP if grant.is_group else PERSON}{grant.name}",
        "name": grant.name,
        "is_group": grant.is_group,
        "rights": [(right, words, right in grant.rights) for right, words in RIGHTS.items() if right != VIEW],
    }


def _choices(named: set[tuple[bool, str]]) -> dict[str, list[str]]:
    """Whom the flow can be shared with besides."""
    groups = Group.objects.order_by("name").values_list("name", flat=True)[:CHOICES]
    people = User.objects.filter(is_active=True).order_by("username").values_list("username", flat=True)[:CHOICES]
    return {
        "other_groups": [name for name in groups if (True, name) not in named],
        "other_people": [name for name in people if (False, name) not in named],
    }
