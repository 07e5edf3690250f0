"""Pages of lists by the keys of their last row: the hundredth costs what the first does, and nothing is counted."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Field, Model, Q, QuerySet
from rest_framework import serializers

from editor.language.canonical import canonical_text
from editor.language.errors import LanguageError
from editor.language.json_gate import JsonLimits, load_json
from editor.serializers.fields import LARGEST, Query, QueryWhole, Text

Row = TypeVar("Row", bound=Model)
Keys = list[str | int]

DEFAULT_ROWS, MOST_ROWS = 50, 200
_CURSOR = JsonLimits(max_bytes=4_096, max_depth=1)


class PageQuery(Query):
    """Which page of a list."""

    limit = QueryWhole(default=DEFAULT_ROWS, min_value=1, max_value=MOST_ROWS, help_text="Rows of a page, at most.")
    after = Text(required=False, max_length=4_096, help_text="The `next` of the page before.")


class PageShape(serializers.Serializer[Any]):
    """The frame of a page: subclasses list the kind of `items`."""

    next = serializers.CharField(
        allow_null=True, help_text="What to send as `after` for the next page; null: this is the last."
    )


@dataclass(frozen=True)
class Page(Generic[Row]):
    """The rows of one page, and the cursor of the next."""

    items: list[Row]
    next: str | None


def page_of(
    rows: QuerySet[Row], asked: Mapping[str, Any], *, order: tuple[str, ...], seek: Mapping[str, str] | None = None
) -> Page[Row]:
    """The page of `rows` that was asked for (PageQuery). `order`: columns of a total order, falling ones with `-`.
    `seek`: columns of `rows` that hold the same as columns of the order, and have an index.

    Raises LanguageError `validation_failed` for a cursor that is none of this list's.
    """
    sought = tuple(sought_by(column, seek or {}) for column in order)
    ordered = rows.order_by(*sought)
    fields = [rows.model._meta.get_field(column.lstrip("-")) for column in order]
    cursor, size = asked.get("after"), asked["limit"]
    if cursor:
        ordered = ordered.filter(_behind(sought, _read(cursor, fields)))
    found = list(ordered[: size + 1])
    if len(found) <= size:
        return Page(found, None)
    return Page(found[:size], _write(found[size - 1], fields))


def sought_by(column: str, seek: Mapping[str, str]) -> str:
    """A column of an order, falling ones with `-`, under the name by which it is sought."""
    name = column.lstrip("-")
    return f"{'-' if column.startswith('-') else ''}{seek.get(name, name)}"


def _write(row: Model, fields: list[Any]) -> str:
    keys = [field.get_prep_value(getattr(row, field.attname)) for field in fields]
    return base64.urlsafe_b64encode(canonical_text(keys).encode()).decode().rstrip("=")


def _read(cursor: str, fields: list[Any]) -> Keys:
    try:
        text = base64.b64decode(cursor.encode() + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        keys = load_json(text, _CURSOR)
    except (binascii.Error, UnicodeEncodeError, LanguageError):
        keys = None
    if isinstance(keys, list) and len(keys) == len(fields) and all(map(_fits, fields, keys)):
        return keys
    told = "That is no cursor of this list. Send the “next” of a page of it, or leave “after” out to begin anew."
    raise LanguageError("validation_failed", told, {"problems": [{"path": "/after", "message": told}]})


def _fits(field: Field[Any, Any], key: object) -> bool:
    if "Integer" in field.get_internal_type():
        return isinstance(key, int) and not isinstance(key, bool) and abs(key) <= LARGEST
    return isinstance(key, str)


def _behind(order: tuple[str, ...], last: Keys) -> Q:
    """Rows that come after `last` in the order of the columns: (a, b) > (x, y) written out."""
    behind, same = Q(), Q()
    for column, key in zip(order, last, strict=True):
        name = column.lstrip("-")
        behind |= same & Q(**{f"{name}__{'lt' if column.startswith('-') else 'gt'}": key})
        same &= Q(**{name: key})
    # The first column alone, said once more: it lets an index find the place.
    column = order[0]
    return Q(**{f"{column.lstrip('-')}__{'lte' if column.startswith('-') else 'gte'}": last[0]}) & behind
