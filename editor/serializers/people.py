"""Accounts and invitations as programs of admins see them, and what may be sent about them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.fields import Flag, Given, Matching, Query, QueryBoolean, Text
from editor.serializers.flows import Username
from editor.visibility import GROUPS

ROLES = sorted(GROUPS)


class GroupNames(serializers.ListField):
    """Names of groups, roles among them."""

    child = serializers.CharField()


class PersonShape(serializers.Serializer[Any]):
    """Somebody with an account. `groups` holds roles and other groups; a superuser counts as an admin."""

    id = serializers.IntegerField()
    username = serializers.CharField()
    name = serializers.CharField(source="get_full_name", allow_blank=True)
    email = serializers.CharField(allow_blank=True)
    active = serializers.BooleanField(source="is_active")
    groups = GroupNames()
    joined_at = serializers.DateTimeField(source="date_joined")
    last_sign_in_at = serializers.DateTimeField(source="last_login", allow_null=True)


class PeopleFilter(Query):
    """Whom."""

    active = QueryBoolean(required=False, help_text="`false`: those that are disabled; left out: everybody.")


class PersonChange(Given):
    """What changes about somebody; what is left out stays."""

    groups = serializers.ListField(
        child=Text(allow_blank=False, max_length=150), required=False, max_length=200, help_text="All of them, anew."
    )
    active = Flag(required=False, help_text="`false` disables, `true` enables.")
    reason = Text(required=False, max_length=2_000)


class InvitationShape(serializers.Serializer[Any]):
    """An open invitation."""

    id = serializers.IntegerField()
    role = serializers.CharField()
    email = serializers.CharField(allow_blank=True)
    made_by = Username()
    expires_at = serializers.DateTimeField()


class NewInvitationShape(InvitationShape):
    """An invitation that was just made, with the path of its page, which is told this once."""

    path = serializers.CharField()


class Invitations(serializers.Serializer[Any]):
    """Open invitations, the newest first."""

    items = InvitationShape(many=True)


class InvitationGiven(Given):
    """Whom to invite, and as what."""

    role = serializers.ChoiceField(choices=ROLES)
    email = Matching(r"^([^@\s\0]{1,64}@[^@\s\0]{1,180})?\Z", required=False, max_length=254)
