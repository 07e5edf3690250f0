"""Functions of dates: reading, moving, comparing, writing. None of them knows what time it is: see `run.now`."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from datetime import date, datetime, timedelta

from editor.language.expressions.errors import Refusal
from editor.language.expressions.functions.arguments import number_of, text_of
from editor.language.expressions.functions.moments import (
    Moment,
    as_datetime,
    read_format,
    read_moment,
    write_format,
    write_moment,
)
from editor.language.expressions.limits import Meter
from editor.language.expressions.methods import Arguments, Callee
from editor.language.expressions.values import is_nil

_MILLISECONDS = {
    "millisecond": 1,
    "second": 1_000,
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
    "week": 7 * 86_400_000,
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_OF_DATES = ("day", "week", *_MONTHS)  # units that lead from a date to a date


def _date(values: Arguments, meter: Meter) -> str:
    meter.spend(10)
    if len(values) > 1 and not is_nil(values[1]):
        return write_moment(read_format(values[0], text_of(values[1], "date"), "date"))
    return write_moment(read_moment(values[0], "date"))


def _unit(value: object, name: str) -> str:
    """Return the unit in the singular: both `day` and `days` are known."""
    unit = text_of(value, name).removesuffix("s")
    if unit not in _MILLISECONDS and unit not in _MONTHS:
        known = ", ".join(f"{each}s" for each in (*_MILLISECONDS, *_MONTHS))
        raise Refusal(f"the unit of `{name}` is one of {known}")
    return unit


def _date_add(values: Arguments, meter: Meter) -> str:
    meter.spend(10)
    moment = read_moment(values[0], "date_add")
    count, unit = number_of(values[1], "date_add"), _unit(values[2], "date_add")
    needs_whole = unit in _MONTHS or (unit in _OF_DATES and not isinstance(moment, datetime))
    try:
        if needs_whole and count != int(count):
            raise Refusal(f"`date_add` takes a whole number of {unit}s here")
        if unit in _MONTHS:
            return write_moment(_months_later(moment, int(count) * _MONTHS[unit]))
        start = moment if unit in _OF_DATES else as_datetime(moment)
        return write_moment(start + timedelta(milliseconds=count * _MILLISECONDS[unit]))
    except (ValueError, OverflowError):
        raise Refusal("`date_add` leads outside the years 1 to 9999") from None


def _months_later(moment: Moment, months: int) -> Moment:
    """Move by months; a day that the month does not have becomes its last one."""
    place = moment.year * 12 + moment.month - 1 + months
    year, month = place // 12, place % 12 + 1
    if not 1 <= year <= 9999:
        raise OverflowError
    return moment.replace(year=year, month=month, day=min(moment.day, calendar.monthrange(year, month)[1]))


def _date_diff(values: Arguments, meter: Meter) -> int:
    """Return how many whole units lead from the first to the second; negative when the second is earlier."""
    meter.spend(10)
    start, end = read_moment(values[0], "date_diff"), read_moment(values[1], "date_diff")
    unit = _unit(values[2], "date_diff")
    if isinstance(start, datetime) or isinstance(end, datetime):
        start, end = as_datetime(start), as_datetime(end)
    if unit in _MONTHS:
        return _truncated(_whole_months(start, end), _MONTHS[unit])
    passed = as_datetime(end) - as_datetime(start)
    return _truncated(passed // timedelta(microseconds=1), 1_000 * _MILLISECONDS[unit])


def _truncated(number: int, divisor: int) -> int:
    return number // divisor if number >= 0 else -(-number // divisor)


def _whole_months(start: date, end: date) -> int:
    if end < start:
        return -_whole_months(end, start)
    months = (end.year - start.year) * 12 + end.month - start.month
    return months if _months_later(start, months) <= end else months - 1


def _date_format(values: Arguments, meter: Meter) -> str:
    meter.spend(10)
    moment = read_moment(values[0], "date_format")
    pattern = text_of(values[1], "date_format")
    zone = text_of(values[2], "date_format") if len(values) > 2 and not is_nil(values[2]) else None
    return write_format(moment, pattern, zone, "date_format")


FUNCTIONS: Mapping[str, Callee] = {
    "date": Callee(1, 2, _date),
    "date_add": Callee(3, 3, _date_add),
    "date_diff": Callee(3, 3, _date_diff),
    "date_format": Callee(2, 3, _date_format),
}
