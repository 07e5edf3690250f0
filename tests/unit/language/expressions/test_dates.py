"""Value expressions over dates and moments."""

from __future__ import annotations

import pytest

from editor.language.expressions import ExpressionError, compile_expression

NAMES: dict[str, object] = {
    "day": "2024-01-31",
    "at": "2024-01-31T23:30:00+01:00",
    "ms": 1706740200000,
    "bad": "2024-02-30",
}


def value(text: str) -> object:
    return compile_expression(text, functions=True).value(NAMES)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("date(day)", "2024-01-31"),
        ("date(at)", "2024-01-31T22:30:00.000Z"),
        ("date(ms)", "2024-01-31T22:30:00.000Z"),
        ("date('2024-01-31 10:05')", "2024-01-31T10:05:00.000Z"),
        ("date('2024-01-31T10:05:06.123456Z')", "2024-01-31T10:05:06.123Z"),
        ("date('31.01.2024', 'DD.MM.YYYY')", "2024-01-31"),
        ("date('1/2/24', 'M/D/YY')", "2024-01-02"),
        ("date('1 Feb 1999', 'D MMM YYYY')", "1999-02-01"),
        ("date('february 2024', 'MMMM YYYY')", "2024-02-01"),
        ("date('2024-01-31 11:05 PM', 'YYYY-MM-DD hh:mm A')", "2024-01-31T23:05:00.000Z"),
        ("date('2024-01-31 12:05 am', 'YYYY-MM-DD h:mm a')", "2024-01-31T00:05:00.000Z"),
        ("date('20240131T100506+0200', 'YYYYMMDDTHHmmssZZ')", "2024-01-31T08:05:06.000Z"),
        ("date_add(day, 1, 'day')", "2024-02-01"),
        ("date_add(day, 1, 'month')", "2024-02-29"),
        ("date_add(day, -2, 'months')", "2023-11-30"),
        ("date_add('2024-02-29', 1, 'years')", "2025-02-28"),
        ("date_add(day, 1, 'quarter')", "2024-04-30"),
        ("date_add(day, 2, 'weeks')", "2024-02-14"),
        ("date_add(day, 90, 'minutes')", "2024-01-31T01:30:00.000Z"),
        ("date_add(at, 1.5, 'hours')", "2024-02-01T00:00:00.000Z"),
        ("date_add(at, 1, 'month')", "2024-02-29T22:30:00.000Z"),
        ("date_diff(day, '2024-02-10', 'days')", 10),
        ("date_diff('2024-02-10', day, 'days')", -10),
        ("date_diff(day, '2024-02-29', 'months')", 1),
        ("date_diff('2024-01-15', '2024-03-14', 'month')", 1),
        ("date_diff('2024-03-14', '2024-01-15', 'month')", -1),
        ("date_diff('2000-02-29', '2024-02-28', 'years')", 23),
        ("date_diff(day, at, 'hours')", 22),
        ("date_diff(at, day, 'hours')", -22),
        ("date_diff(at, at, 'milliseconds')", 0),
        ("date_format(day, 'DD.MM.YYYY')", "31.01.2024"),
        ("date_format(day, 'D MMMM YYYY, dddd', 'America/New_York')", "31 January 2024, Wednesday"),
        ("date_format(at, 'YYYY-MM-DD HH:mm:ss Z')", "2024-01-31 22:30:00 +00:00"),
        ("date_format(at, 'ddd D MMM, h:mm a ZZ', '+05:30')", "Thu 1 Feb, 4:00 am +0530"),
        ("date_format(at, '[on] DD [at] HH.mm', 'Europe/Berlin')", "on 31 at 23.30"),
        ("date_format('2024-07-01T00:00:00Z', 'HH:mm Z', 'Europe/Berlin')", "02:00 +02:00"),
        ("date_format(ms, 'SSS s m H M YY A')", "000 0 30 22 1 24 PM"),
        ("date(day) < date('2024-02-01')", True),
    ],
)
def test_dates(text: str, result: object) -> None:
    assert value(text) == result


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("date(bad)", "no date of the calendar"),
        ("date('tomorrow')", "takes a date such as"),
        ("date(null)", "takes a date"),
        ("date(true)", "takes a date"),
        ("date('٢٠٢٤-01-31')", "takes a date such as"),
        ("date(1 / 0)", "no time"),
        ("date('2024-01-31T25:00Z')", "no date of the calendar"),
        ("date('2024-01-31T10:00+25:00')", "no offset"),
        ("date('31.13.2024', 'DD.MM.YYYY')", "no date of the calendar"),
        ("date('2024-01-31', 'DD.MM.YYYY')", "does not have the format"),
        ("date('31.01', 'DD.MM')", "needs a year"),
        ("date('1 1 2024', 'D D YYYY')", "twice"),
        ("date_format(day, 'yyyy-mm-dd')", "no part of a date format"),
        ("date_format(at, 'HH', 'Mars/Base')", "no known time zone"),
        ("date_format(at, 'HH', '../../etc/passwd')", "no known time zone"),
        ("date_add(day, 1, 'moon')", "one of milliseconds"),
        ("date_add(day, 1.5, 'days')", "whole number of days"),
        ("date_add(day, 99999, 'years')", "outside the years"),
        ("date_add(day, 0 / 0, 'days')", "outside the years"),
        ("date_add(day, null, 'days')", "takes a number"),
        ("date_diff(day, bad, 'days')", "no date of the calendar"),
        ("date_format('0001-01-01T00:00:00Z', 'HH', '-05:00')", "outside"),
    ],
)
def test_what_is_no_date_is_refused_with_a_reason(text: str, part: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        value(text)
    assert part in caught.value.problem
