"""A run at one of its events as programs see it; what may be sent to fork it, move it, or run it again."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.fields import AnyJson, Flag, Given, JsonObject, Query, QueryWhole, Text, Whole
from runner.engine.rows import ROOT_SCOPE
from runner.serializers.api.runs import LARGEST_NUMBER, STATUSES


class StateQuery(Query):
    """Which event, and of which key the whole value."""

    seq = QueryWhole(required=False, min_value=1, help_text="Number of the event; the newest, if left out.")
    key = Text(required=False, min_length=1, max_length=255, allow_blank=False, help_text="Only this key, whole.")
    scope = QueryWhole(default=ROOT_SCOPE, min_value=1, help_text="With `key`: where; 1 is the run as a whole.")


class ValueShape(serializers.Serializer[Any]):
    """A value. `value` is there if it is short, or was asked for, and is not covered as sensitive."""

    kind = serializers.CharField(help_text="`v`: a state key; `s`: the result of a node; `a`: an artifact.")
    key = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes of its JSON.")
    digest = serializers.CharField(allow_blank=True, help_text="Empty where it is covered.")
    is_covered = serializers.BooleanField()
    value = AnyJson(required=False)

    def to_representation(self, instance: Any) -> Any:
        shown = super().to_representation(instance)
        if not instance.is_told:
            del shown["value"]
        return shown


class PlaceShape(serializers.Serializer[Any]):
    """What the run as a whole, or a parallel path that had not joined, held."""

    scope = serializers.IntegerField()
    label = serializers.CharField()  # type: ignore[assignment]  # the base has an attribute of that name
    values = ValueShape(many=True)


class AttemptShape(serializers.Serializer[Any]):
    """An attempt that had not ended."""

    path = serializers.CharField()
    visit = serializers.IntegerField()
    attempt = serializers.IntegerField()
    status = serializers.CharField()


class StateShape(serializers.Serializer[Any]):
    """A run after one of its events. `live`: 500 attempts at most; `ended`: how many had ended how."""

    run = serializers.CharField(source="run_id")
    seq = serializers.IntegerField()
    last_seq = serializers.IntegerField(help_text="Number of the run's newest event.")
    event_type = serializers.CharField(source="event.type")
    ts = serializers.IntegerField(source="event.ts", help_text="Of the event, in milliseconds since 1970.")
    status = serializers.ChoiceField(choices=STATUSES)
    places = PlaceShape(many=True)
    live = AttemptShape(many=True)
    ended = JsonObject()
    usage = JsonObject()


class ForkQuery(Query):
    """From which event."""

    seq = QueryWhole(min_value=1, help_text="Number of the event.")


class RepeatedShape(serializers.Serializer[Any]):
    """A step that had begun and starts anew. `effect`: what its tool says of repeated calls; empty for no tool."""

    path = serializers.CharField()
    node = serializers.CharField()
    type = serializers.CharField()
    effect = serializers.CharField(allow_blank=True)


class ForkPlanShape(serializers.Serializer[Any]):
    """What a fork would do. `seq`: the checkpoint, where all that happened together with the event had happened."""

    seq = serializers.IntegerField()
    starts = serializers.ListField(child=serializers.CharField(), help_text="Paths of the steps that start.")
    repeats = RepeatedShape(many=True)


class ForkGiven(Given):
    """From where, and with what. `state`: top-level keys that are set anew, inputs among them."""

    seq = Whole(min_value=1)
    state = JsonObject(required=False)
    version = Whole(required=False, min_value=1, max_value=LARGEST_NUMBER)


class MoveGiven(Given):
    """To which version."""

    version = Whole(min_value=1, max_value=LARGEST_NUMBER)


class AgainGiven(Given):
    """Of which version: the run's own, or the newest that is published."""

    newest = Flag(default=False)
