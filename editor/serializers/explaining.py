"""Why checks are made, and a flow in plain words, as programs see them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.fields import Given, JsonObject


class ExplanationShape(serializers.Serializer[Any]):
    """Why a check is made, with a flow that has just this problem and the same flow mended."""

    code = serializers.CharField()
    reason = serializers.CharField()
    wrong = JsonObject()
    right = JsonObject()


class ExplanationList(serializers.Serializer[Any]):
    """One for each code that a problem can have."""

    items = ExplanationShape(many=True)


class DescriptionOfFlow(Given):
    """A document to describe as this flow's; left out: its draft."""

    document = JsonObject(required=False)


class ParagraphShape(serializers.Serializer[Any]):
    """What is said of one node; `level`: how deep it stands in containers, from 0."""

    node = serializers.CharField()
    name = serializers.CharField()
    level = serializers.IntegerField()
    text = serializers.CharField()


class DescriptionShape(serializers.Serializer[Any]):
    """A flow in plain words: sentences about the whole, then its nodes in reading order."""

    summary = serializers.ListField(child=serializers.CharField())
    steps = ParagraphShape(many=True)
