"""The one shape of every error, for the documentation of the API. Errors themselves are written elsewhere."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.fields import JsonObject


class Error(serializers.Serializer[Any]):
    """What went wrong: `code` for programs, `message` for people, and where, if it belongs to a place."""

    code = serializers.CharField()
    message = serializers.CharField()
    step = serializers.CharField(required=False)
    path = serializers.CharField(required=False)
    details = JsonObject(required=False)
