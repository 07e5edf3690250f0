"""Pages of long lists by the keys of their last row: the hundredth page costs what the first does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Model, Q, QuerySet
from django.http import QueryDict

from editor.api.paging import sought_by

NO_OTHERS: Mapping[str, str] = {}

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Slice(Generic[Row]):
    """The rows of one page, and the query strings of the next and of the first page (empty: there is none)."""

    rows: list[Row]
    next: str = ""
    first: str = ""


def cut(
    rows: QuerySet[Row],
    query: QueryDict,
    *,
    order: tuple[str, ...],
    size: int,
    name: str = "after",
    places: QuerySet[Row] | None = None,
    seek: Mapping[str, str] = NO_OTHERS,
) -> Slice[Row]:
    """The page of `rows` that a request asks for: what comes behind the row whose key stands in `?after=`.

    `order` is a total order, so it ends with the key (`("-started_at", "-pk")`). The row of the key may have left
    `rows` meanwhile (an approval that was decided): its place still counts. `places`: where to look for it,
    if `order` names what a query works out. `seek`: columns of `rows` that hold the same as columns of the order, and
    have an index.
    """
    sought = tuple(sought_by(column, seek) for column in order)
    ordered = rows.order_by(*sought)
    last = _row_at(rows.model._default_manager.all() if places is None else places, query.get(name, ""), order)
    if last is not None:
        ordered = _behind(ordered, sought, last)
    found = list(ordered[: size + 1])
    others = query.copy()
    others.pop(name, None)
    first = f"?{others.urlencode()}" if last is not None else ""
    if len(found) <= size:
        return Slice(found, first=first)
    others[name] = str(found[size - 1].pk)
    return Slice(found[:size], f"?{others.urlencode()}", first)


def before(
    rows: QuerySet[Row], key: str, *, order: tuple[str, ...], seek: Mapping[str, str] = NO_OTHERS
) -> QuerySet[Row]:
    """The rows that come before the row of a key (of which `cut` says more); all, if there is no such row."""
    last = _row_at(rows.model._default_manager.all(), key, order)
    turned = tuple(column[1:] if column.startswith("-") else f"-{column}" for column in order)
    return rows if last is None else _behind(rows, tuple(sought_by(column, seek) for column in turned), last)


def _row_at(rows: QuerySet[Row], key: str, order: tuple[str, ...]) -> tuple[Any, ...] | None:
    if not key or len(key) > 64 or not key.isalnum():
        return None
    names = [column.lstrip("-") for column in order]
    values: tuple[Any, ...] | None = rows.filter(pk=key).values_list(*names).first()
    return values


def _behind(rows: QuerySet[Row], order: tuple[str, ...], last: tuple[Any, ...]) -> QuerySet[Row]:
    """Rows that come after `last` in the order of the columns: (a, b) > (x, y) written out."""
    behind, same = Q(), Q()
    for column, value in zip(order, last, strict=True):
        name = column.lstrip("-")
        behind |= same & Q(**{f"{name}__{'lt' if column.startswith('-') else 'gt'}": value})
        same &= Q(**{name: value})
    # The first column alone, said once more: it lets an index find the place.
    column = order[0]
    at_least = Q(**{f"{column.lstrip('-')}__{'lte' if column.startswith('-') else 'gte'}": last[0]})
    return rows.filter(at_least).filter(behind)
