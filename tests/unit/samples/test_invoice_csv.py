"""CSV text as people really send it: what is read, what is refused, and on which line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import runner.samples
from runner.samples.invoice_csv import COLUMNS, MAX_ROWS, CsvError, read_invoices

HEADER = ",".join(COLUMNS)
GOOD = "A-1,Ada & Co,DE89 3704 0044 0532 0130 00,2026-03-04,2026-03-18,EUR,100.00,19.00,119.00"


def table(*rows: str) -> str:
    return "\n".join((HEADER, *rows)) + "\n"


def test_a_row_becomes_typed_values() -> None:
    assert read_invoices(table(GOOD)) == {
        "invoices": [
            {
                "line": 2, "number": "A-1", "vendor": "Ada & Co", "iban": "DE89370400440532013000",
                "issued": "2026-03-04", "due": "2026-03-18", "currency": "EUR", "net": 100.0, "tax": 19.0,
                "total": 119.0,
            }
        ],
        "bad_rows": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + table(GOOD),
        table(GOOD).replace("\n", "\r\n"),
        table(GOOD).replace(",", ";"),
        table(GOOD).rstrip("\n"),
        table("", GOOD, "", ",,,,,,,,"),
        f"{HEADER},note\n{GOOD},anything\n",
        HEADER.upper().replace(",", " , ") + "\n" + GOOD,
        HEADER + "\n" + GOOD.replace("Ada & Co", '"Ada & Co"'),
    ],
)
def test_ways_to_write_the_same(text: str) -> None:
    found = read_invoices(text)
    assert [invoice["vendor"] for invoice in found["invoices"]] == ["Ada & Co"]
    assert found["bad_rows"] == []


def changed(**fields: str) -> str:
    values = dict(zip(COLUMNS, GOOD.split(","), strict=True)) | fields
    return ",".join(values[name] for name in COLUMNS)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (changed(total=""), "total: it is empty"),
        (changed(total="1,5"), "it has 10 fields, the first line has 9"),
        (changed(total="12.345"), "total: '12.345' is no amount; write it as 1234.50"),
        (changed(total="1e5"), "total: '1e5' is no amount; write it as 1234.50"),
        (changed(total="NaN"), "total: 'NaN' is no amount; write it as 1234.50"),
        (changed(total="Infinity"), "total: 'Infinity' is no amount; write it as 1234.50"),
        (changed(net="1 000"), "net: '1 000' is no amount; write it as 1234.50"),
        (changed(net="٣"), "net: '٣' is no amount; write it as 1234.50"),
        (changed(issued="04.03.2026"), "issued: '04.03.2026' is no date; write YYYY-MM-DD"),
        (changed(issued="20260304"), "issued: '20260304' is no date; write YYYY-MM-DD"),
        (changed(due="2026-02-30"), "due: '2026-02-30' is no date; write YYYY-MM-DD"),
        (changed(currency="Euro"), "currency: 'Euro' is no currency; write three letters such as EUR"),
        (changed(vendor="x" * 300), "vendor: it has more than 200 letters"),
        (changed(vendor="a\x00b"), "vendor: it holds invisible control characters"),
        (changed(vendor="a\u202eb"), "vendor: it holds invisible control characters"),
        ("A-1", "it has 1 fields, the first line has 9"),
    ],
)
def test_a_bad_row_is_reported_with_its_line_and_the_others_are_read(row: str, problem: str) -> None:
    found = read_invoices(table(GOOD, row, changed(number="A-3")))
    assert [invoice["line"] for invoice in found["invoices"]] == [2, 4]
    assert [bad["line"] for bad in found["bad_rows"]] == [3]
    assert found["bad_rows"][0]["problems"] == [problem]


def test_every_problem_of_a_row_is_reported() -> None:
    found = read_invoices(table(changed(total="x", due="y", vendor="")))
    assert [problem.split(":")[0] for problem in found["bad_rows"][0]["problems"]] == ["vendor", "due", "total"]


def test_a_field_over_several_lines_keeps_the_count_right() -> None:
    found = read_invoices(table(changed(vendor='"Ada\n& Co"'), "x", GOOD))
    assert [bad["line"] for bad in found["bad_rows"]] == [2, 4]
    assert [invoice["line"] for invoice in found["invoices"]] == [5]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "The file is empty"),
        ("\n \n", "The file is empty"),
        ("number,vendor\nA-1,Ada\n", "lacks the columns iban, issued, due, currency, net, tax, total"),
        (f"{HEADER},total\n", "names total twice"),
        (table('A-1,"Ada'), "Line 2 cannot be read"),
        (table("A-1," + "x" * 200_000), "Line 2 cannot be read"),
        (HEADER + "\n" + (GOOD + "\n") * (MAX_ROWS + 1), "more than 10,000 invoices"),
    ],
)
def test_a_text_that_is_no_invoice_file_is_refused(text: str, says: str) -> None:
    with pytest.raises(CsvError, match=says):
        read_invoices(text)


def test_a_file_with_a_header_alone_holds_no_invoices() -> None:
    assert read_invoices(HEADER) == {"invoices": [], "bad_rows": []}


def test_the_shipped_example_is_readable() -> None:
    path = Path(runner.samples.__file__).parent / "inputs" / "invoices-example.csv"
    found: dict[str, Any] = read_invoices(path.read_text(encoding="utf-8"))
    assert len(found["invoices"]) == 6 and found["bad_rows"] == []
    assert sum(invoice["total"] > 1000 for invoice in found["invoices"]) == 2
