"""Reading invoices out of CSV text: typed rows, and what is wrong with the others. No file is opened here."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

COLUMNS = ("number", "vendor", "iban", "issued", "due", "currency", "net", "tax", "total")
MAX_ROWS = 10_000
MAX_TEXT = 200
"""Letters of one field."""

_AMOUNT = re.compile(r"[+-]?\d{1,12}(\.\d{1,2})?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_CURRENCY = re.compile(r"[A-Z]{3}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


class CsvError(Exception):
    """The text as a whole cannot be read; the message says where and what to do."""


def read_invoices(text: str) -> dict[str, Any]:
    """Read CSV text with a header line; columns in any order, comma or semicolon between them.

    Gives `{invoices: [{line, number, …}], bad_rows: [{line, problems}]}`: lines are counted from 1 as in an
    editor, amounts are numbers, dates are `YYYY-MM-DD`. Raises CsvError.
    """
    rows = _rows(text)
    _, header = next(rows, (1, []))
    places = _places(header)
    invoices: list[dict[str, Any]] = []
    bad_rows: list[dict[str, Any]] = []
    for line, row in rows:
        if len(invoices) + len(bad_rows) >= MAX_ROWS:
            raise CsvError(f"The file has more than {MAX_ROWS:,} invoices. Split it.")
        invoice, problems = _typed(row, places, len(header))
        if problems:
            bad_rows.append({"line": line, "problems": problems})
        else:
            invoices.append({"line": line, **invoice})
    return {"invoices": invoices, "bad_rows": bad_rows}


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Each record that is not blank, with the line on which it begins."""
    head = text.lstrip("\ufeff \t\r\n").partition("\n")[0]
    reader = csv.reader(
        io.StringIO(text.removeprefix("\ufeff"), newline=""),
        delimiter=";" if head.count(";") > head.count(",") else ",",
        strict=True,
    )
    begins = 1
    try:
        for row in reader:
            if any(field.strip() for field in row):
                yield begins, row
            begins = reader.line_num + 1
    except csv.Error as error:
        raise CsvError(f"Line {begins} cannot be read: {error}. Mend it there.") from None


def _places(header: list[str]) -> dict[str, int]:
    names = [name.strip().lower() for name in header]
    if not names:
        raise CsvError(f"The file is empty. Its first line names the columns: {', '.join(COLUMNS)}.")
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise CsvError(f"The first line lacks the columns {', '.join(missing)}. Add them.")
    doubled = [name for name in COLUMNS if names.count(name) > 1]
    if doubled:
        raise CsvError(f"The first line names {', '.join(doubled)} twice. Keep one of each.")
    return {name: names.index(name) for name in COLUMNS}


def _typed(row: list[str], places: dict[str, int], width: int) -> tuple[dict[str, Any], list[str]]:
    if len(row) != width:
        return {}, [f"it has {len(row)} fields, the first line has {width}"]
    invoice: dict[str, Any] = {}
    problems: list[str] = []
    for name in COLUMNS:
        try:
            invoice[name] = _READERS[name](row[places[name]].strip())
        except ValueError as error:
            problems.append(f"{name}: {error}")
    return invoice, problems


def _text(field: str) -> str:
    if not field:
        raise ValueError("it is empty")
    if len(field) > MAX_TEXT:
        raise ValueError(f"it has more than {MAX_TEXT} letters")
    if _CONTROL.search(field):
        raise ValueError("it holds invisible control characters")
    return field


def _iban(field: str) -> str:
    return _text(field.replace(" ", "").upper())


def _date(field: str) -> str:
    text = _text(field)
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise ValueError(f"{text!r} is no date; write YYYY-MM-DD")


def _currency(field: str) -> str:
    text = _text(field)
    if not _CURRENCY.fullmatch(text):
        raise ValueError(f"{text!r} is no currency; write three letters such as EUR")
    return text


def _amount(field: str) -> float:
    text = _text(field)
    if not _AMOUNT.fullmatch(text):
        raise ValueError(f"{text!r} is no amount; write it as 1234.50")
    return float(text)


_READERS: dict[str, Callable[[str], Any]] = {
    "number": _text,
    "vendor": _text,
    "iban": _iban,
    "issued": _date,
    "due": _date,
    "currency": _currency,
    "net": _amount,
    "tax": _amount,
    "total": _amount,
}
