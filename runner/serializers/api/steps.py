"""Step runs as programs see them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.language.document import NODE_ID_PATTERN
from editor.serializers.errors import Error
from editor.serializers.fields import END, AnyJson, JsonObject, Matching, Query
from runner.engine.statuses import StepStatus
from runner.serializers.api.runs import UsageShape

STATUSES = [status.value for status in StepStatus]
NODE = NODE_ID_PATTERN.removesuffix("$") + END


class StepFilter(Query):
    """Which step runs."""

    status = serializers.ChoiceField(choices=STATUSES, required=False)
    node = Matching(NODE, required=False, help_text="Of the node with this id.")


class StepSummary(serializers.Serializer[Any]):
    """One attempt at one visit of a node, in a list. Sizes are bytes of the values as JSON; 0: there is none."""

    id = serializers.CharField()
    node = serializers.CharField()
    type = serializers.CharField()
    path = serializers.CharField(help_text="The containers that hold it, and its node: `loop[2].fetch`.")
    visit = serializers.IntegerField()
    attempt = serializers.IntegerField()
    status = serializers.ChoiceField(choices=STATUSES)
    waits_for = serializers.CharField(allow_blank=True, help_text="`person`, `timer`, `signal`, or empty.")
    backend = serializers.CharField()
    worker = serializers.CharField(allow_blank=True)
    lost = serializers.IntegerField(help_text="How often its worker was lost.")
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    input_size = serializers.IntegerField()
    output_size = serializers.IntegerField()
    usage = UsageShape(source="*")


class StepValues(serializers.Serializer[Any]):
    """What an attempt was given, what it gave, and what it wrote to the state."""

    input = AnyJson()
    output = AnyJson()
    delta = AnyJson()


class LogLine(serializers.Serializer[Any]):
    """One line of a tool or handler. `fence`: which claim wrote it, as an attempt can be taken over."""

    fence = serializers.IntegerField()
    at_ms = serializers.IntegerField(help_text="Milliseconds after its call began.")
    message = serializers.CharField(allow_blank=True)
    fields = JsonObject()  # type: ignore[assignment]  # the attribute of serializers is set by their metaclass


class LogShape(serializers.Serializer[Any]):
    """What an attempt logged so far. `dropped`: lines beyond the bound; `covered`: there are lines, not told."""

    lines = LogLine(many=True)
    dropped = serializers.IntegerField()
    covered = serializers.BooleanField()


class StepShape(StepSummary):
    """One attempt. `values` is there if it was asked for, and if it touches nothing sensitive."""

    run = serializers.CharField(source="run_id")
    input_digest = serializers.CharField(allow_blank=True)
    approval = serializers.CharField(source="approval_id", allow_null=True)
    error = Error(allow_null=True)
    notes = JsonObject(allow_null=True)
    may_retry = serializers.BooleanField(help_text="Its failure ended the run, and it can be tried again.")
    sensitive = serializers.BooleanField(
        help_text="It touches what the flow marks as sensitive, so its values are not told."
    )
    log = LogShape()
    values = StepValues(required=False)
