"""Columns of the run tables: instants as milliseconds, JSON as its own text. Models give them meaning."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from django.apps import apps
from django.db import models

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def to_instant(ms: int) -> datetime:
    """Milliseconds since the epoch as an aware datetime in UTC."""
    return EPOCH + timedelta(milliseconds=ms)


def to_ms(value: datetime | int) -> int:
    """An aware datetime as milliseconds since the epoch; a number stays as it is.

    Raises ValueError for a datetime without a zone: nobody could say which instant it means.
    """
    if isinstance(value, int):
        return value
    if value.tzinfo is None:
        raise ValueError(f"The time {value} has no zone. Give an aware datetime.")
    return (value - EPOCH) // _MILLISECOND


class HoldsValues(models.Model):
    """A row with values that lie in columns `X`, or in the run's blobs under the digest `X_ref`."""

    class Meta:
        abstract = True

    def value_of(self, name: str) -> Any:
        """The value of the columns `name`, read from the run's blobs if it lies there; None if absent."""
        ref = getattr(self, f"{name}_ref")
        if ref is None:
            return getattr(self, name)
        blobs = apps.get_model("runner", "Blob").objects
        run_id = self.pk if self._meta.model_name == "run" else getattr(self, "run_id")  # noqa: B009
        return json.loads(blobs.values_list("text", flat=True).get(run_id=run_id, digest=ref))


class InstantField(models.BigIntegerField):  # type: ignore[type-arg]
    """A point in time: milliseconds since the epoch in the database, an aware datetime in Python.

    Assignments and lookups take either. Events are hashed with whole milliseconds, on every database.
    """

    description = "Instant (milliseconds since the epoch)"

    def from_db_value(self, value: int | None, expression: object, connection: object) -> datetime | None:
        return None if value is None else to_instant(value)

    def to_python(self, value: Any) -> Any:
        return to_instant(value) if isinstance(value, int) else value

    def get_prep_value(self, value: Any) -> Any:
        return to_ms(value) if isinstance(value, datetime) else super().get_prep_value(value)

    def value_to_string(self, obj: models.Model) -> str:
        value = self.value_from_object(obj)
        return "" if value is None else str(to_ms(value))


class RowNumberField(models.BigAutoField):  # type: ignore[type-arg]
    """The key of rows that a step appends, where nobody needs the number itself.

    On SQLite it is the bare number of the row: Django's own field keeps the highest number ever given in a table of
    its own, which each step would write anew. There the number of a deleted last row may be given again.
    """

    def db_type_suffix(self, connection: Any) -> str | None:
        return None if connection.vendor == "sqlite" else super().db_type_suffix(connection)


class JsonTextField(models.TextField):  # type: ignore[type-arg]
    """JSON kept as the text that was written: databases with a JSON type change numbers and order."""

    description = "JSON, as text"

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:
        return None if value is None else json.loads(value)

    def get_prep_value(self, value: Any) -> Any:
        if value is None:
            return None
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)

    def to_python(self, value: Any) -> Any:
        return value

    def value_to_string(self, obj: models.Model) -> str:
        return json.dumps(self.value_from_object(obj), ensure_ascii=False)
