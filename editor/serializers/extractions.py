"""Cutting nodes out into a flow of their own, as programs ask for it and are answered."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.fields import Flag, Given, JsonObject, Matching, Text
from editor.serializers.flows import SLUG, FlowSummary

MOST_NODES = 1_000


class ExtractionGiven(Given):
    """The document as it is edited, the nodes to cut out of it, and what the new flow is called."""

    document = JsonObject()
    nodes = serializers.ListField(child=Text(max_length=63), min_length=1, max_length=MOST_NODES)
    id = Matching(SLUG)
    name = Text(required=False, max_length=200)
    publish = Flag(required=False, help_text="Make it version 1 at once, so that it can be run. Left out: yes.")


class ExtractionShape(serializers.Serializer[Any]):
    """The new flow, and the document with one node (`node`) in place of those that became it."""

    flow = FlowSummary()
    version = serializers.IntegerField(allow_null=True, help_text="null: it has to be published before it can be run.")
    document = JsonObject()
    node = serializers.CharField()
