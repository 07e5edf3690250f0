"""What a run did at each node, as programs see it, and what may be asked about it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.fields import Given, JsonObject, Whole
from runner.serializers.api.steps import STATUSES

MOST = 1_000_000_000


class ObservingGiven(Given):
    """Which passages to look at, where a node ran several times. `document`: it is told how that differs.

    `items`: an item, from 0, by the id of its `for_each`; left out, it is the first with a failed step, else the last.
    `visit`: from 1; left out, the last. A node that has fewer is told with its last.
    """

    document = JsonObject(required=False)
    items = serializers.DictField(child=Whole(max_value=MOST), required=False)
    visit = Whole(min_value=1, max_value=MOST, required=False)


class BeginningShape(serializers.Serializer[Any]):
    """The beginning of a value's JSON text; `size`: bytes of all. `covered`: it may be sensitive, so it is not told."""

    shown = serializers.CharField(allow_blank=True)
    cut = serializers.BooleanField(source="is_cut", help_text="There is more of it.")
    size = serializers.IntegerField()
    covered = serializers.BooleanField(source="is_covered")


class NodeSeenShape(serializers.Serializer[Any]):
    """The newest attempt of the passage that is looked at. `visits`: the highest number of a visit at its path."""

    node = serializers.CharField()
    step = serializers.CharField(source="step_id", help_text="Id of the step run.")
    path = serializers.CharField()
    visit = serializers.IntegerField()
    visits = serializers.IntegerField()
    attempt = serializers.IntegerField()
    status = serializers.ChoiceField(choices=STATUSES)
    waits_for = serializers.CharField(allow_blank=True)
    error = serializers.CharField(allow_blank=True, help_text="The beginning of why it failed.")
    output = BeginningShape(allow_null=True)


class EdgeSeenShape(serializers.Serializer[Any]):
    """An edge that was taken, and how often. `now`: in the visit of its source that is looked at."""

    edge = serializers.CharField()
    count = serializers.IntegerField()
    now = serializers.BooleanField(source="is_now")


class LoopSeenShape(serializers.Serializer[Any]):
    """A `for_each`: how many items it began, which one is looked at, in which the first few steps failed."""

    node = serializers.CharField()
    items = serializers.IntegerField()
    item = serializers.IntegerField()
    failed = serializers.ListField(child=serializers.IntegerField())


class EarlierShape(serializers.Serializer[Any]):
    """How the document that ran differs from the one given, in what a run can notice: names and places do not count."""

    differs = serializers.BooleanField()
    changed = serializers.ListField(child=serializers.CharField(), help_text="Nodes that are otherwise.")
    absent = serializers.ListField(child=serializers.CharField(), help_text="Nodes that it does not have.")


class ObservedShape(serializers.Serializer[Any]):
    """What the run did at each node that it came to. `whole`: nothing was left out for being too much."""

    nodes = NodeSeenShape(many=True)
    edges = EdgeSeenShape(many=True)
    loops = LoopSeenShape(many=True)
    whole = serializers.BooleanField(source="is_whole")
    earlier = EarlierShape(allow_null=True)
