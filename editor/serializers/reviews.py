"""Reviews before publish as programs see them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.fields import Flag, Given, Text, Whole
from editor.serializers.flows import Username


class ReviewSettingShape(serializers.Serializer[Any]):
    """Who has to approve a version before it is published: a person or a group; both null where nobody has to."""

    needed = serializers.BooleanField()
    person = serializers.CharField(allow_null=True)
    group = serializers.CharField(allow_null=True)


class ReviewSettingGiven(Given):
    """A person by user name, or a group; neither: versions need no review."""

    person = Text(required=False, allow_blank=False, max_length=150)
    group = Text(required=False, allow_blank=False, max_length=150)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raises ValidationError if it names both."""
        if len(attrs) > 1:
            raise serializers.ValidationError("Name a person or a group, one of the two, or nobody.")
        return attrs


class ReviewGiven(Given):
    """What to say to the reviewer; `revision` is the draft that was looked at, if that matters."""

    note = Text(required=False, max_length=5_000)
    revision = Whole(required=False, max_value=2**31 - 1)


class ReviewDecision(Given):
    """Approve or decline what was looked at; declining wants words."""

    approve = Flag()
    content_hash = Text(allow_blank=False, max_length=80)
    note = Text(required=False, max_length=5_000)


class ReviewShape(serializers.Serializer[Any]):
    """A review of the draft as it was. `current`: the draft has this content still; else the review is void."""

    id = serializers.IntegerField()
    status = serializers.ChoiceField(choices=["open", "approved", "declined"])
    content_hash = serializers.CharField()
    current = serializers.BooleanField()
    yours = serializers.BooleanField(help_text="You are one of those who may decide it now.")
    asked_by = Username()
    asked_at = serializers.DateTimeField()
    note = serializers.CharField()
    decided_by = Username()
    decided_at = serializers.DateTimeField(allow_null=True)
    answer = serializers.CharField()
