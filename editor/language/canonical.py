"""One text for one JSON value, and its digest. Checking untrusted values is json_gate.py's."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from json import encoder

from editor.language.errors import LanguageError

EXACT_FLOAT = 2**53
"""Below this size a float holds every whole number exactly, so a whole float is written as an int."""


def one_number_form(number: float) -> int | float:
    """Give the one form of a float: whole and below 2^53 in size becomes an int, -0.0 becomes 0.

    Raises LanguageError (`validation_failed`) for NaN and Infinity, which JSON does not know.
    """
    if not math.isfinite(number):
        raise LanguageError("validation_failed", f"{number} is not a JSON number. Give a finite number.")
    if number.is_integer() and -EXACT_FLOAT < number < EXACT_FLOAT:
        return int(number)
    return number


def _refuse(value: object) -> object:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def compact_writer(*, sort_keys: bool) -> Callable[[object], str]:
    """A function that writes a JSON value without spaces, letters as they are.

    It does what the encode method of a json.JSONEncoder does, which makes a new C encoder for each call: for the
    short texts of a run that takes longer than the writing. It raises TypeError, ValueError and RecursionError.
    """
    made = getattr(encoder, "c_make_encoder", None)
    if made is None:
        return json.JSONEncoder(
            sort_keys=sort_keys, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
        ).encode
    write = made(None, _refuse, encoder.encode_basestring, None, ":", ",", sort_keys, False, False)
    return lambda value: "".join(write(value, 0))


#: Writes one text as JSON.
quoted: Callable[[str], str] = encoder.encode_basestring
write_sorted = compact_writer(sort_keys=True)
write_in_order = compact_writer(sort_keys=False)
_PLAIN = frozenset({str, int, bool, type(None)})
"""Types whose values have one form only."""


def canonical_value(value: object) -> object:
    """Copy a JSON value with every number in its one form; objects keep the order of their keys.

    Raises LanguageError for NaN and Infinity, for keys that are no texts, and for nesting too deep to walk.
    """
    try:
        return _canonical(value)
    except RecursionError:
        raise LanguageError("limit_exceeded", "The value is nested too deep to be written as JSON.") from None
    except TypeError as error:
        raise LanguageError("validation_failed", f"The value cannot be written as JSON: {error}.") from None


def _canonical(value: object) -> object:
    if type(value) is float:
        return one_number_form(value)
    if isinstance(value, dict):
        for key in value:
            if type(key) is not str:
                raise TypeError("an object has a key that is no text")
        return {key: item if type(item) in _PLAIN else _canonical(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [item if type(item) in _PLAIN else _canonical(item) for item in value]
    return value


def canonical_text(value: object) -> str:
    """Write a JSON value as its canonical text: sorted keys, no spaces, one number form, letters as they are.

    Raises LanguageError (`validation_failed`) for what is no JSON value, and for nesting too deep to walk.
    """
    return text_of_canonical(canonical_value(value))


def text_of_canonical(value: object, *, sort_keys: bool = True) -> str:
    """Write a value that `canonical_value` gave. Raises as `canonical_text` does.

    Without `sort_keys` it is no canonical text: it reads back in the order in which the value has its keys.
    """
    try:
        return (write_sorted if sort_keys else write_in_order)(value)
    except RecursionError:
        raise LanguageError("limit_exceeded", "The value is nested too deep to be written as JSON.") from None
    except (TypeError, ValueError) as error:
        raise LanguageError("validation_failed", f"The value cannot be written as JSON: {error}.") from None


def digest(value: object, tag: str = "v1") -> str:
    """Hash the canonical text of a value: `tag:` and 64 hex digits of its SHA-256.

    The tag names the version of the recipe, so that hashes of two recipes are never taken for one another.
    """
    return digest_of_text(canonical_text(value), tag)


def digest_of_text(text: str, tag: str = "v1") -> str:
    """Hash a text that is canonical already."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise LanguageError(
            "validation_failed", "The text holds half of a surrogate pair, which cannot be stored. Remove it."
        ) from None
    return f"{tag}:{hashlib.sha256(data).hexdigest()}"
