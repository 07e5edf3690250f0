"""The base of what comes in: only known fields, only the type that is asked for. Nothing is guessed or trimmed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.core.validators import RegexValidator
from django.http import QueryDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

LARGEST = 2**63 - 1
END = r"\Z"


class Given(serializers.Serializer[Any]):
    """A body: an object of the declared fields and no others."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = [str(name) for name in data if name not in self.fields]
            if unknown:
                known = ", ".join(self.fields) or "none"
                told = f"There is no such field here. Known fields: {known}."
                raise serializers.ValidationError({name: [told] for name in unknown})
        return super().to_internal_value(data)


class Query(Given):
    """The parameters of an address, each at most once."""

    @classmethod
    def read(cls, query: QueryDict) -> dict[str, Any]:
        """The parameters as declared. Raises ValidationError for unknown, repeated and wrong ones."""
        repeated = [name for name, values in query.lists() if len(values) > 1]
        if repeated:
            raise serializers.ValidationError({name: ["Give it once."] for name in repeated})
        asked = cls(data=query.dict())
        asked.is_valid(raise_exception=True)
        found: dict[str, Any] = asked.validated_data
        return found


class Text(serializers.CharField):
    """A text, kept as it is; a number is none."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("allow_blank", True)
        super().__init__(trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


class Matching(Text):
    """A text of which all fits a pattern, written with `\\Z` at its end."""

    def __init__(self, pattern: str, **kwargs: Any) -> None:
        super().__init__(allow_blank=False, **kwargs)
        self.validators.append(RegexValidator(pattern, f"It must match {pattern.removesuffix(END)}$."))


@extend_schema_field(OpenApiTypes.INT64)
class Whole(serializers.IntegerField):
    """A whole number; a text of digits is none."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("min_value", 0)
        kwargs.setdefault("max_value", LARGEST)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        return int(data)


class QueryWhole(Whole):
    """A whole number in an address: plain digits."""

    def to_internal_value(self, data: Any) -> int:
        if not isinstance(data, str) or not re.fullmatch(r"[0-9]{1,19}", data):
            self.fail("invalid")
        return int(data)


class Flag(serializers.BooleanField):
    """`true` or `false`; no text, and no number."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class QueryBoolean(serializers.BooleanField):
    """`true` or `false` in an address."""

    def to_internal_value(self, data: Any) -> bool:
        if data not in ("true", "false"):
            self.fail("invalid", input=data)
        return bool(data == "true")


@extend_schema_field({})
class AnyJson(serializers.Field):  # type: ignore[type-arg]
    """Any JSON value, null too. It has passed the gate with the body that it came in."""

    def validate_empty_values(self, data: Any) -> tuple[bool, Any]:
        # `allow_null` would do the same, but have the documentation say that null fits twice.
        return (True, None) if data is None else super().validate_empty_values(data)

    def to_internal_value(self, data: Any) -> Any:
        return data

    def to_representation(self, value: Any) -> Any:
        return value


@extend_schema_field({"type": "object", "additionalProperties": True})
class JsonObject(serializers.Field):  # type: ignore[type-arg]
    """Any JSON object."""

    default_error_messages = {"invalid": "Give a JSON object."}

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict):
            self.fail("invalid")
        return data

    def to_representation(self, value: Any) -> Any:
        return value
