"""Files that people and programs send as inputs: bytes into a text or a JSON value, or the reason to refuse them.

Nothing is stored here. A run keeps what it was started with as its inputs, in the transaction that makes it.
"""

from __future__ import annotations

from typing import Any

from editor.language.definition import Input
from editor.language.errors import LanguageError
from editor.language.json_gate import VALUE_LIMITS, load_json
from runner.serializers.words import size_words

TAKES_FILES = ("long_text", "object", "list")
"""Types of inputs that a file may fill: the text of a file, or the JSON in it."""

_MARKS: tuple[tuple[bytes, str], ...] = (
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive or an office document; save a spreadsheet as CSV"),
    (b"\xd0\xcf\x11\xe0", "an office document; save a spreadsheet as CSV"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x1f\x8b", "a compressed file; unpack it first"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "a database"),
)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def accepted_endings(declaration: Input) -> str:
    """What a file chooser offers for an input (an HTML `accept` list)."""
    return ".txt,.csv,.tsv,.md,.json,.log,text/*" if declaration.type == "long_text" else ".json,application/json"


def value_of_file(declaration: Input, data: bytes, name: str, most: int) -> Any:
    """The value of an input out of a file's bytes. `name` is the file's, for messages; `most` is in bytes.

    Raises LanguageError: `value_too_large`, `validation_failed` (no text, broken JSON, a type that takes no file).
    """
    if declaration.type not in TAKES_FILES:
        message = f"The input {declaration.name!r} takes no file: it is {declaration.type.replace('_', ' ')}."
        raise LanguageError("validation_failed", message)
    text = text_of_file(data, name, most)
    if declaration.type == "long_text":
        return text
    return load_json(text, VALUE_LIMITS, what=f"the file “{name}”")


def text_of_file(data: bytes, name: str, most: int) -> str:
    """The text of a file in UTF-8, or in UTF-16 with its mark; lines end with a line feed.

    Raises LanguageError: `value_too_large` over `most` bytes, `validation_failed` for what is no text.
    """
    if len(data) > most:
        message = f"The file “{name}” is larger than {size_words(most)}. Send a smaller one, or split it."
        raise LanguageError("value_too_large", message)
    for mark, what in _MARKS:
        if data.startswith(mark):
            raise _no_text(name, f"it is {what}")
    try:
        text = data.decode("utf-16") if data.startswith(_UTF16) else data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _no_text(name, f"it is not UTF-8 at byte {error.start:,}") from None
    if "\0" in text:
        raise _no_text(name, "it holds zero bytes")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _no_text(name: str, why: str) -> LanguageError:
    message = f"The file “{name}” cannot be read as text: {why}. Save it as text in UTF-8 and send it again."
    return LanguageError("validation_failed", message)
