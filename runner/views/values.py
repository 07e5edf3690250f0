"""Values on pages: short ones in place, large ones on demand, as text or as a file. Nothing is interpreted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.http import Http404, HttpResponse

from editor.language.canonical import canonical_text
from runner.models.fields import HoldsValues
from runner.serializers.files import FILE_HEADERS, file_response
from runner.serializers.texts import Piece, pieces, pretty
from runner.serializers.words import size_words

IN_PLACE_CHARS = 4_000
"""A longer value is cut on its page, and says so."""
ON_DEMAND_CHARS = 400_000
"""The most that a page shows of one value; the rest is in the file."""


@dataclass(frozen=True)
class Shown:
    """A value as a page shows it: its text in pieces, whether that is all, and where the rest is."""

    label: str
    pieces: list[Piece] = field(default_factory=list)
    size: str = ""
    cut: bool = False
    url: str = ""
    absent: bool = False
    masked: str = ""
    short: bool = False


def shown(label: str, value: Any, *, url: str = "", whole: bool = False) -> Shown:
    """A value that is at hand. `whole`: never cut (an approval shows everything that will be used)."""
    text = pretty(value)
    cut = not whole and len(text) > IN_PLACE_CHARS
    return Shown(
        label,
        pieces(text[:IN_PLACE_CHARS] if cut else text),
        size_words(len(text.encode("utf-8", "replace"))) if cut else "",
        cut,
        url if cut else "",
        short=len(text) <= 60 and "\n" not in text,
    )


def shown_of(row: HoldsValues, name: str, label: str, url: str, *, told: Callable[[Any], Any] | None = None) -> Shown:
    """A value of a row's columns `name`. What lies in the run's blobs is not read for it.

    `told` puts a value that is at hand into a form for people.
    """
    size: int = getattr(row, f"{name}_size")
    if getattr(row, f"{name}_ref") is not None:
        return Shown(label, size=size_words(size), cut=True, url=url)
    value = getattr(row, name)
    if value is None and not size:
        return Shown(label, absent=True)
    return shown(label, told(value) if told else value, url=url)


def has_value(row: HoldsValues, name: str) -> bool:
    """Whether the columns `name` of a row hold a value. Null is one, if it has a size."""
    at_hand = getattr(row, name) is not None or bool(getattr(row, f"{name}_size"))
    return at_hand or getattr(row, f"{name}_ref") is not None


def value_response(row: HoldsValues, name: str, filename: str, *, as_text: bool) -> HttpResponse:
    """The whole value: as plain text on several lines, up to a limit, or as a file with its exact JSON text."""
    if not has_value(row, name):
        raise Http404("There is no such value.")
    value = row.value_of(name)
    if as_text:
        text = pretty(value)
        if len(text) > ON_DEMAND_CHARS:
            text = text[:ON_DEMAND_CHARS] + "\n… cut here. The file has all of it."
        return HttpResponse(text, content_type="text/plain; charset=utf-8", headers=FILE_HEADERS)
    return file_response(canonical_text(value), f"{filename}.json", "application/json; charset=utf-8")
