"""Previews of expressions as programs see them, and what may be sent about them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.fields import AnyJson, Given, JsonObject, Matching, Text
from runner.serializers.api.runs import RUN_ID


class PreviewGiven(Given):
    """A text or value to work out, for a place of the document (left out: of the draft).

    `kind`: `condition` and `expression` have no functions, `value` is the text of an `$expr`, `template` any value of a
    config. Values come from `run`, else from `sample`: an object of names, over what the document itself says.
    """

    document = JsonObject(required=False)
    node = Text(required=False, max_length=63)
    edge = Text(required=False, max_length=200)
    kind = serializers.ChoiceField(choices=["condition", "expression", "value", "template"])
    value = AnyJson()
    run = Matching(RUN_ID, required=False)
    sample = JsonObject(required=False)


class PreviewError(serializers.Serializer[Any]):
    """Why there is no value. `at` leads to the text within the value, `position` to the character in it, from 0."""

    code = serializers.CharField()
    message = serializers.CharField()
    forms = serializers.CharField(allow_blank=True, help_text="What may be written.")
    position = serializers.IntegerField(allow_null=True)
    at = serializers.ListField(child=serializers.CharField())


class PreviewRead(serializers.Serializer[Any]):
    """A place that is read, and the beginning of its value as JSON."""

    place = serializers.CharField()
    result = serializers.ChoiceField(choices=["value", "missing", "covered"])
    shown = serializers.CharField(allow_blank=True)


class PreviewShape(serializers.Serializer[Any]):
    """What came out. `shown` is the beginning of its JSON text; `cut`: there is more of it.

    `missing`: nothing has that name, which is not null. `covered`: it may hold sensitive values. `holds`: whether a
    condition is met; null where it cannot be evaluated, or is none.
    """

    result = serializers.ChoiceField(choices=["value", "missing", "covered", "error"])
    type = serializers.CharField(allow_blank=True, help_text="In words: `list of 3`.")
    shown = serializers.CharField(allow_blank=True)
    cut = serializers.BooleanField()
    holds = serializers.BooleanField(allow_null=True)
    consequence = serializers.CharField(allow_blank=True)
    error = PreviewError(allow_null=True)
    told = serializers.CharField(allow_blank=True, help_text="Where the values come from.")
    reads = PreviewRead(many=True)
