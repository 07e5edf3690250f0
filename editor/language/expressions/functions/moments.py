"""Dates and moments: reading them from text, writing them, their formats. What is computed with them: `dates`.

A date is the text 2024-01-31; a moment is a text with date, time and offset, written in UTC as JavaScript writes it:
2024-01-31T09:30:00.000Z. Read are also moments with a space for the T, without seconds, without an offset (then
UTC), and numbers: milliseconds since the epoch.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from editor.language.expressions.errors import Refusal, shortened
from editor.language.expressions.functions.arguments import text_of
from editor.language.expressions.values import spoken

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MAX_FORMAT = 200

_MOMENT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?[ ]?(Z|z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_OFFSET = re.compile(r"([+-])([0-9]{2}):?([0-9]{2})")
_FORMAT_PIECE = re.compile(
    r"\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|dddd|ddd|DD|D|HH|H|hh|h|mm|m|SSS|ss|s|A|a|ZZ|Z|T|[A-Za-z]|[^A-Za-z\[]|\["
)
Moment = date | datetime


def read_moment(value: object, name: str) -> Moment:
    """Return the date or the moment (in UTC) that a text or number stands for; raise Refusal otherwise."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value, name)
    if not isinstance(value, str):
        raise Refusal(f"`{name}` takes a date, not {spoken(value)}")
    match = _MOMENT.fullmatch(value.strip())
    if match is None:
        raise Refusal(f"`{name}` takes a date such as 2024-01-31 or 2024-01-31T09:30:00Z, not {_shown(value)}")
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    try:
        if hour is None:
            return date(int(year), int(month), int(day))
        zone = read_zone(offset or "Z")
        micros = int((fraction or "0").ljust(6, "0")[:6])
        times = int(hour), int(minute), int(second or 0), micros
        return datetime(int(year), int(month), int(day), *times, tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Refusal(f"{_shown(value)} is no date of the calendar") from None


def _from_number(number: int | float, name: str) -> datetime:
    try:
        return EPOCH + timedelta(milliseconds=number)
    except (ValueError, OverflowError):
        raise Refusal(f"`{name}`: the number is no time in milliseconds since 1970") from None


def _shown(text: str) -> str:
    return f"'{shortened(text, 40)}'"


def write_moment(moment: Moment) -> str:
    """Return the text of a date, or of a moment in UTC with milliseconds."""
    if isinstance(moment, datetime):
        return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
    return moment.isoformat()


def as_datetime(moment: Moment) -> datetime:
    """Return a moment; that of a date is its midnight in UTC."""
    if isinstance(moment, datetime):
        return moment
    return datetime(moment.year, moment.month, moment.day, tzinfo=UTC)


def read_zone(zone: str) -> tzinfo:
    """Return the time zone of `Z`, `UTC`, an offset such as +02:00, or a name such as Europe/Berlin."""
    if zone in ("Z", "z", "UTC"):
        return UTC
    offset = _OFFSET.fullmatch(zone)
    if offset is not None:
        sign, hours, minutes = offset.groups()
        shift = timedelta(hours=int(hours), minutes=int(minutes))
        if int(minutes) > 59 or shift >= timedelta(hours=24):
            raise Refusal(f"{_shown(zone)} is no offset from UTC")
        return timezone(-shift if sign == "-" else shift)
    try:
        return ZoneInfo(zone)
    except (ValueError, OSError, KeyError):
        raise Refusal(f"{_shown(zone)} is no known time zone: write UTC, +02:00 or Europe/Berlin") from None


def _offset(moment: datetime, colon: str) -> str:
    shift = moment.utcoffset() or timedelta()
    minutes = round(shift.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}{colon}{abs(minutes) % 60:02}"


_WRITERS: dict[str, Callable[[datetime], str]] = {
    "YYYY": lambda at: f"{at.year:04}",
    "YY": lambda at: f"{at.year % 100:02}",
    "MMMM": lambda at: MONTHS[at.month - 1],
    "MMM": lambda at: MONTHS[at.month - 1][:3],
    "MM": lambda at: f"{at.month:02}",
    "M": lambda at: str(at.month),
    "dddd": lambda at: DAYS[at.weekday()],
    "ddd": lambda at: DAYS[at.weekday()][:3],
    "DD": lambda at: f"{at.day:02}",
    "D": lambda at: str(at.day),
    "HH": lambda at: f"{at.hour:02}",
    "H": lambda at: str(at.hour),
    "hh": lambda at: f"{at.hour % 12 or 12:02}",
    "h": lambda at: str(at.hour % 12 or 12),
    "mm": lambda at: f"{at.minute:02}",
    "m": lambda at: str(at.minute),
    "SSS": lambda at: f"{at.microsecond // 1000:03}",
    "ss": lambda at: f"{at.second:02}",
    "s": lambda at: str(at.second),
    "A": lambda at: "AM" if at.hour < 12 else "PM",
    "a": lambda at: "am" if at.hour < 12 else "pm",
    "ZZ": lambda at: _offset(at, ""),
    "Z": lambda at: _offset(at, ":"),
}

_MONTH_NAMES = "|".join(MONTHS)
_SHORT_MONTHS = "|".join(month[:3] for month in MONTHS)
_READERS = {
    "YYYY": "(?P<year>[0-9]{4})",
    "YY": "(?P<short_year>[0-9]{2})",
    "MMMM": f"(?P<month_name>{_MONTH_NAMES})",
    "MMM": f"(?P<month_name>{_SHORT_MONTHS})",
    "MM": "(?P<month>[0-9]{2})",
    "M": "(?P<month>[0-9]{1,2})",
    "dddd": "(?:" + "|".join(DAYS) + ")",
    "ddd": "(?:" + "|".join(day[:3] for day in DAYS) + ")",
    "DD": "(?P<day>[0-9]{2})",
    "D": "(?P<day>[0-9]{1,2})",
    "HH": "(?P<hour>[0-9]{2})",
    "H": "(?P<hour>[0-9]{1,2})",
    "hh": "(?P<hour>[0-9]{2})",
    "h": "(?P<hour>[0-9]{1,2})",
    "mm": "(?P<minute>[0-9]{2})",
    "m": "(?P<minute>[0-9]{1,2})",
    "SSS": "(?P<millisecond>[0-9]{3})",
    "ss": "(?P<second>[0-9]{2})",
    "s": "(?P<second>[0-9]{1,2})",
    "A": "(?P<half>AM|PM)",
    "a": "(?P<half>am|pm)",
    "ZZ": "(?P<offset>Z|[+-][0-9]{4})",
    "Z": "(?P<offset>Z|[+-][0-9]{2}:[0-9]{2})",
}


def _pieces(pattern: str, name: str) -> list[tuple[str | None, str]]:
    """Return the pieces of a format: (token, '') or (None, literal text)."""
    if len(pattern) > MAX_FORMAT:
        raise Refusal(f"the format of `{name}` is longer than {MAX_FORMAT} characters")
    pieces: list[tuple[str | None, str]] = []
    for match in _FORMAT_PIECE.finditer(pattern):
        word = match.group()
        if match.group(1) is not None:
            pieces.append((None, match.group(1)))
        elif word in _WRITERS:
            pieces.append((word, ""))
        elif word == "T" or not word.isascii() or not word.isalpha():
            pieces.append((None, word))
        else:
            raise Refusal(
                f"`{word}` is no part of a date format: write YYYY MM DD HH mm ss SSS Z MMM ddd, words in [brackets]"
            )
    return pieces


def write_format(moment: Moment, pattern: str, zone: str | None, name: str) -> str:
    """Write a date or moment by a format; a date has no time, so that a zone does not move it."""
    at = as_datetime(moment)
    if zone is not None and isinstance(moment, datetime):
        try:
            at = at.astimezone(read_zone(zone))
        except OverflowError:
            raise Refusal("the moment lies outside the years 1 to 9999 there") from None
    return "".join(literal if token is None else _WRITERS[token](at) for token, literal in _pieces(pattern, name))


def read_format(value: object, pattern: str, name: str) -> Moment:
    """Read a date or moment by a format: a date when the format has no hour; without an offset it is in UTC."""
    text = text_of(value, name).strip()
    seen: set[str] = set()
    expression = ""
    for token, literal in _pieces(pattern, name):
        part = re.escape(literal) if token is None else _READERS[token]
        group = re.match(r"\(\?P<(\w+)>", part) if token is not None else None
        if group is not None and group.group(1) in seen:
            raise Refusal(f"the format of `{name}` names the {group.group(1).replace('_', ' ')} twice")
        seen.update((group.group(1),) if group is not None else ())
        expression += part
    if not seen & {"year", "short_year"} or not seen & {"month", "month_name"}:
        raise Refusal(f"the format of `{name}` needs a year and a month")
    match = re.fullmatch(expression, text, re.IGNORECASE)
    if match is None:
        raise Refusal(f"{_shown(text)} does not have the format {_shown(pattern)}")
    try:
        return _built({key: found for key, found in match.groupdict().items() if found is not None})
    except (ValueError, OverflowError, KeyError):
        raise Refusal(f"{_shown(text)} is no date of the calendar") from None


def _built(found: dict[str, str]) -> Moment:
    """Put a moment together from the parts a format has read; a two-digit year lies in 1970 to 2069."""
    if "short_year" in found:
        short = int(found["short_year"])
        year = short + (2000 if short < 70 else 1900)
    else:
        year = int(found["year"])
    if "month_name" in found:
        month = [name[:3].lower() for name in MONTHS].index(found["month_name"][:3].lower()) + 1
    else:
        month = int(found["month"])
    day = int(found.get("day", "1"))
    if "hour" not in found:
        return date(year, month, day)
    hour = int(found["hour"])
    if "half" in found:
        if not 1 <= hour <= 12:
            raise ValueError
        hour = hour % 12 + (12 if found["half"].lower() == "pm" else 0)
    micros = 1000 * int(found.get("millisecond", "0"))
    zone = read_zone(found.get("offset", "Z").upper())
    times = hour, int(found.get("minute", "0")), int(found.get("second", "0")), micros
    return datetime(year, month, day, *times, tzinfo=zone).astimezone(UTC)
