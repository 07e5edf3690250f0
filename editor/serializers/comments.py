"""Comments on nodes as programs see them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.fields import Flag, Given, Text
from editor.serializers.flows import Username


class CommentShape(serializers.Serializer[Any]):
    """What somebody said about a node, which may be gone: then `node_name` says what it was called."""

    id = serializers.IntegerField()
    node = serializers.CharField()
    node_name = serializers.CharField()
    text = serializers.CharField()
    author = Username()
    created_at = serializers.DateTimeField()
    resolved_by = Username()
    resolved_at = serializers.DateTimeField(allow_null=True)


class CommentGiven(Given):
    """A comment on a node of the draft as it is saved."""

    node = Text(allow_blank=False, max_length=63)
    text = Text(allow_blank=False, max_length=5_000)


class CommentChange(Given):
    """Whether it is done."""

    resolved = Flag()
