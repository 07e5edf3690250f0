"""What the check of a run found, as programs see it."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class FaultShape(serializers.Serializer[Any]):
    """The first row that is not as it was written. Sensitive values are not told."""

    row = serializers.CharField()
    why = serializers.CharField()
    table = serializers.CharField(allow_blank=True)
    key = serializers.CharField(allow_blank=True)
    column = serializers.CharField(allow_blank=True)
    expected = serializers.CharField(allow_blank=True)
    found = serializers.CharField(allow_blank=True)


class VerdictShape(serializers.Serializer[Any]):
    """What was found. `unproven`: no fault, but not all could be checked; `notes` say what."""

    run = serializers.CharField()
    result = serializers.ChoiceField(choices=["whole", "unproven", "altered"])
    events = serializers.IntegerField()
    signatures = serializers.IntegerField()
    signed_to = serializers.IntegerField(help_text="The newest event under a signature.")
    rows = serializers.IntegerField(help_text="So many rows were compared with the history.")
    fault = FaultShape(allow_null=True)
    notes = serializers.ListField(child=serializers.CharField())
