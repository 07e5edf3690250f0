"""Pages of long lists by the keys of their last row: the hundredth page costs what the first does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, Q, QuerySet
from django.http import QueryDict

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Slice(Generic[Row]):
    """The rows of one page, and the query strings of the next and of the first page (empty: there is none)."""

    rows: list[Row]
    next: str = ""
    first: str = ""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page begins: behind the row with this number (an instant in ms) and key."""

    number: int
    key: str

    @classmethod
    def read(cls, text: str) -> Cursor | None:
        """Read `number-key`; None if it is no cursor, and the list begins at its start."""
        number, _, key = text.partition("-")
        if not (number.isascii() and number.isdigit() and len(number) < 19 and key and len(key) <= 64):
            return None
        return cls(int(number), key)


def cut(
    rows: QuerySet[Row],
    query: QueryDict,
    *,
    column: str,
    cursor_of: Callable[[Row], str],
    size: int,
    newest_first: bool = True,
    name: str = "after",
) -> Slice[Row]:
    """The page of `rows` that a request asks for; `rows` are ordered by (`column`, pk) in that direction."""
    cursor = Cursor.read(query.get(name, ""))
    way = "lt" if newest_first else "gt"
    if cursor is not None:
        beyond = Q(**{column: cursor.number}, **{f"pk__{way}": cursor.key})
        # The first condition lets the index find the place; the second settles rows of the same instant.
        rows = rows.filter(**{f"{column}__{way}e": cursor.number}).filter(
            Q(**{f"{column}__{way}": cursor.number}) | beyond
        )
    sign = "-" if newest_first else ""
    found = list(rows.order_by(f"{sign}{column}", f"{sign}pk")[: size + 1])
    others = query.copy()
    others.pop(name, None)
    first = f"?{others.urlencode()}" if cursor is not None else ""
    if len(found) <= size:
        return Slice(found, first=first)
    others[name] = cursor_of(found[size - 1])
    return Slice(found[:size], f"?{others.urlencode()}", first)
