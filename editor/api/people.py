"""Endpoints of accounts and invitations, for admins. Who asks oneself is sharing.py's."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.db import transaction
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.access import demand
from editor.api.base import ApiView, body_of
from editor.api.documenting import describe
from editor.api.paging import PageQuery, PageShape, page_of
from editor.invitations import invite, open_invitations, take_back
from editor.models import Invitation
from editor.people import change_groups, disable, enable
from editor.serializers.people import (
    InvitationGiven,
    Invitations,
    NewInvitationShape,
    PeopleFilter,
    PersonChange,
    PersonShape,
)
from editor.visibility import ADMIN, GROUPS, is_one_of


class AdminView(ApiView):
    """An endpoint of admins: others who work here get 403, and for the rest there is no such address."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises NotFound and PermissionDenied."""
        super().initial(request, *args, **kwargs)
        if not is_one_of(request.user, *GROUPS):
            raise NotFound("There is no such address, or it is not for you to see.")
        demand(is_one_of(request.user, ADMIN), "Admins look after people. Ask one of them.")


class PeopleQuery(PeopleFilter, PageQuery):
    """Which page of whom."""


class PeoplePage(PageShape):
    """People, by user name."""

    items = PersonShape(many=True)


class People(AdminView):
    """Everybody with an account."""

    @describe("people_list", "List people", query=PeopleQuery, answers=PeoplePage)
    def get(self, request: Request) -> Response:
        """By user name."""
        rows = User.objects.defer("password").prefetch_related("groups")
        if "active" in self.asked:
            rows = rows.filter(is_active=self.asked["active"])
        page = page_of(rows, self.asked, order=("username", "id"))
        return Response(PeoplePage({"items": [_told(one) for one in page.items], "next": page.next}).data)


class OnePerson(AdminView):
    """One account."""

    scopes: ClassVar = {"PATCH": "admin"}

    @describe("people_read", "Read an account", answers=PersonShape)
    def get(self, request: Request, person_id: int) -> Response:
        """Whose it is, and their groups."""
        return Response(PersonShape(_told(_find(person_id))).data)

    @describe("people_change", "Change groups, disable or enable", body=PersonChange, answers=PersonShape)
    def patch(self, request: Request, person_id: int) -> Response:
        """All at once or nothing. Disabling closes sessions and tokens at once. Refused for the last active admin."""
        person = _find(person_id)
        given = body_of(request, PersonChange)
        reason = given.get("reason", "")
        with transaction.atomic():
            if "groups" in given:
                change_groups(person, given["groups"], by=request.user, reason=reason)
            if "active" in given:
                (enable if given["active"] else disable)(person, by=request.user, reason=reason)
        return Response(PersonShape(_told(_find(person_id))).data)


class OpenInvitations(AdminView):
    """Links with which people join."""

    scopes: ClassVar = {"POST": "admin"}

    @describe("invitations_list", "List open invitations", answers=Invitations)
    def get(self, request: Request) -> Response:
        """The newest hundred that nobody has used, without what opens them."""
        return Response(Invitations({"items": open_invitations()}).data)

    @describe("invitations_make", "Invite somebody", body=InvitationGiven, status=201, answers=NewInvitationShape)
    def post(self, request: Request) -> Response:
        """The answer has the path of the page on which one person joins, once, within seven days. Nothing is mailed."""
        given = body_of(request, InvitationGiven)
        made = invite(role=given["role"], email=given.get("email", ""), by=request.user)
        made.row.path = f"/join/{made.text}/"  # type: ignore[attr-defined]
        return Response(NewInvitationShape(made.row).data, status=201)


class OneInvitation(AdminView):
    """One open invitation."""

    scopes: ClassVar = {"DELETE": "admin"}

    @describe("invitations_end", "Take an invitation back", answers=None, more={204: None})
    def delete(self, request: Request, link_id: int) -> Response:
        """It opens nothing any more. Doing it twice does nothing; who has joined with it stays."""
        link = Invitation.objects.filter(pk=link_id, person__isnull=True).first()
        if link is None:
            raise NotFound("There is no such invitation.")
        take_back(link, by=request.user)
        return Response(status=204)


def _find(person_id: int) -> User:
    person = User.objects.defer("password").prefetch_related("groups").filter(pk=person_id).first()
    if person is None:
        raise NotFound("There is no such person.")
    return person


def _told(person: Any) -> dict[str, Any]:
    """A person with the names of their groups, for PersonShape."""
    names = {group.name for group in person.groups.all()} | ({ADMIN} if person.is_superuser else set())
    return {
        **{name: getattr(person, name) for name in ("id", "username", "get_full_name", "email", "is_active")},
        **{name: getattr(person, name) for name in ("date_joined", "last_login")},
        "groups": sorted(names),
    }
