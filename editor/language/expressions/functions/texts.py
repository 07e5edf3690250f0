"""Methods and functions of texts, as JavaScript has them; what is searched and put in is always plain text."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from urllib.parse import quote

from editor.language.errors import LanguageError
from editor.language.expressions import utf16
from editor.language.expressions.errors import Refusal
from editor.language.expressions.functions.arguments import offset_of, receiver_text, text_of, whole_of, words_of
from editor.language.expressions.limits import MAX_TEXT, Meter, check_text
from editor.language.expressions.methods import Arguments, Callee, units_of
from editor.language.expressions.numbers import JS_SPACE
from editor.language.expressions.values import UNDEFINED, bounded_json, inserted_text
from editor.language.json_gate import load_json

QUOTED_PER_UNIT = 2  # characters that cost as much as comparing one value
READ_PER_UNIT = 4

_REFERENCE = re.compile(r"\$([$&`'])")


def _trim(values: Arguments, meter: Meter) -> str:
    text = receiver_text(values[0], "trim")
    meter.spend_text(len(text))
    return text.strip(JS_SPACE)


def _lower(values: Arguments, meter: Meter) -> str:
    text = receiver_text(values[0], "toLowerCase")
    meter.spend_text(2 * len(text))
    return text.lower()


def _upper(values: Arguments, meter: Meter) -> str:
    text = receiver_text(values[0], "toUpperCase")
    meter.spend_text(3 * len(text))  # a letter may become three
    return text.upper()


def _split(values: Arguments, meter: Meter) -> list[object]:
    text = units_of(receiver_text(values[0], "split"), meter)
    separator = units_of(words_of(values[1], "split"), meter)
    if not separator:
        meter.spend_items(len(text))
        return list(text)
    meter.spend_items(text.count(separator) + 1)
    return [utf16.whole(part) for part in text.split(separator)]


def _replace(values: Arguments, meter: Meter) -> str:
    text, part, put = _replacement(values, "replace", meter)
    at = text.find(part)
    if at < 0:
        return utf16.whole(text)
    filled = _filled(put, text, at, part)
    meter.spend_text(len(text) + len(filled))
    return utf16.whole(text[:at] + filled + text[at + len(part) :])


def _replace_all(values: Arguments, meter: Meter) -> str:
    text, part, put = _replacement(values, "replaceAll", meter)
    if "$" not in put:
        count = text.count(part)
        meter.spend_text(len(text) + count * max(len(put) - len(part), 0))
        return utf16.whole(text.replace(part, put))
    pieces: list[str] = []
    size, copied, at = 0, 0, text.find(part)
    while at >= 0:
        pieces += (text[copied:at], _filled(put, text, at, part))
        size += at - copied + len(pieces[-1])
        meter.spend_text(size)
        copied = at + len(part)
        at = text.find(part, max(copied, at + 1))
    meter.spend_text(size + len(text) - copied)
    return utf16.whole("".join((*pieces, text[copied:])))


def _replacement(values: Arguments, name: str, meter: Meter) -> tuple[str, str, str]:
    text = units_of(receiver_text(values[0], name), meter)
    return text, units_of(words_of(values[1], name), meter), units_of(words_of(values[2], name), meter)


def _filled(put: str, text: str, at: int, part: str) -> str:
    """Resolve what JavaScript resolves in a replacement: $$ is $, $& what was found, $` and $' what is around."""
    if "$" not in put:
        return put
    known = {"$": "$", "&": part, "`": text[:at], "'": text[at + len(part) :]}
    check_text(len(put) + put.count("$") * max(map(len, known.values())))
    return _REFERENCE.sub(lambda match: known[match.group(1)], put)


def _pad_start(values: Arguments, meter: Meter) -> str:
    text = units_of(receiver_text(values[0], "padStart"), meter)
    length = whole_of(values[1], "padStart", 0, MAX_TEXT)
    fill = units_of(words_of(values[2], "padStart"), meter)
    missing = length - len(text)
    if missing <= 0 or not fill:
        return utf16.whole(text)
    meter.spend_text(length)
    return utf16.whole((fill * (missing // len(fill) + 1))[:missing] + text)


def slice_text(values: Arguments, meter: Meter) -> str:
    """Do `.slice(a, b?)` on a text."""
    text = units_of(receiver_text(values[0], "slice"), meter)
    start = offset_of(values[1], "slice", len(text))
    end = len(text)
    if len(values) > 2 and values[2] is not UNDEFINED:
        end = offset_of(values[2], "slice", len(text))
    return utf16.whole(text[start:end])


def _text(values: Arguments, meter: Meter) -> str:
    text = inserted_text(values[0], meter)
    meter.spend_text(len(text))
    return text


def _json(values: Arguments, meter: Meter) -> str:
    text = bounded_json(None if values[0] is UNDEFINED else values[0], meter)
    meter.spend_text(len(text))
    return text


def _parse_json(values: Arguments, meter: Meter) -> object:
    text = text_of(values[0], "parse_json")
    meter.spend(1 + len(text) // READ_PER_UNIT)
    try:
        return load_json(text, what="the text")
    except LanguageError as error:
        raise Refusal(f"`parse_json`: {error.message}") from None


def _url_encode(values: Arguments, meter: Meter) -> str:
    text = words_of(values[0], "url_encode")
    meter.spend(1 + len(text) // QUOTED_PER_UNIT)
    check_text(9 * len(text))
    return quote(utf16.well_formed(text), safe="-_.!~*'()")


def _base64(values: Arguments, meter: Meter) -> str:
    text = words_of(values[0], "base64")
    meter.spend_text(4 * len(text))
    return base64.b64encode(utf16.well_formed(text).encode()).decode("ascii")


def _hash(values: Arguments, meter: Meter) -> str:
    text = words_of(values[0], "hash")
    meter.spend_search(len(text))
    return hashlib.sha256(utf16.well_formed(text).encode()).hexdigest()


METHODS: Mapping[str, Callee] = {
    "trim": Callee(0, 0, _trim),
    "toLowerCase": Callee(0, 0, _lower),
    "toUpperCase": Callee(0, 0, _upper),
    "split": Callee(1, 1, _split),
    "replace": Callee(2, 2, _replace),
    "replaceAll": Callee(2, 2, _replace_all),
    "padStart": Callee(2, 2, _pad_start),
}

FUNCTIONS: Mapping[str, Callee] = {
    "text": Callee(1, 1, _text),
    "json": Callee(1, 1, _json),
    "parse_json": Callee(1, 1, _parse_json),
    "url_encode": Callee(1, 1, _url_encode),
    "base64": Callee(1, 1, _base64),
    "hash": Callee(1, 1, _hash),
}
