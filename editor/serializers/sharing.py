"""Who a flow is shared with, and who somebody is, as programs see it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.fields import Flag, Given, Text
from editor.serializers.flows import Username
from editor.visibility import RIGHTS, SHARE

RIGHT = serializers.ChoiceField(choices=list(RIGHTS))
ANY_RIGHT = serializers.ChoiceField(choices=[*RIGHTS, SHARE])


class GrantShape(serializers.Serializer[Any]):
    """What a flow is shared for with one person or one group; the other of the two is null."""

    person = serializers.CharField(allow_null=True)
    group = serializers.CharField(allow_null=True)
    rights = serializers.ListField(child=RIGHT)


class SharingShape(serializers.Serializer[Any]):
    """Who a flow is for. `restricted`: only its owner, admins and those in `grants`; else the team, as roles say."""

    restricted = serializers.BooleanField()
    owner = Username()
    grants = GrantShape(many=True)


class GrantGiven(Given):
    """One person by user name, or one group; `view` comes with every other right."""

    person = Text(required=False, allow_blank=False, max_length=150)
    group = Text(required=False, allow_blank=False, max_length=150)
    rights = serializers.ListField(child=serializers.ChoiceField(choices=list(RIGHTS)), max_length=len(RIGHTS))

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raises ValidationError unless it names one."""
        if ("person" in attrs) == ("group" in attrs):
            raise serializers.ValidationError("Name a person or a group, one of the two.")
        return attrs


class SharingGiven(Given):
    """Who the flow is for from now on: the whole list."""

    restricted = Flag()
    grants = GrantGiven(many=True, max_length=200)  # type: ignore[call-arg]


class SiteRights(serializers.Serializer[Any]):
    """What somebody may do on the site, flows that are there apart."""

    make_flows = serializers.BooleanField()
    archive_flows = serializers.BooleanField()
    manage_people = serializers.BooleanField()


class MeToken(serializers.Serializer[Any]):
    """The token that asks."""

    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField())


class MeShape(serializers.Serializer[Any]):
    """Who asks. `token` is null for a session."""

    username = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    email = serializers.CharField(allow_blank=True)
    roles = serializers.ListField(child=serializers.CharField())
    groups = serializers.ListField(child=serializers.CharField())
    team_rights = serializers.ListField(
        child=ANY_RIGHT, help_text="What the roles give on each flow that is not restricted."
    )
    rights = SiteRights()
    token = MeToken(allow_null=True)
