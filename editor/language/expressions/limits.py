"""The bounds of the expression language, and the meter that holds one evaluation to them."""

from __future__ import annotations

from editor.language.expressions.errors import Refusal

MAX_SOURCE = 65_536  # characters of one expression
MAX_LEVELS = 64  # brackets, signs and calls inside one another; also the nesting of a value
MAX_TEXT = 16 * 1024 * 1024  # characters of a text that is built
MAX_ITEMS = 100_000  # items of a list that is built
MAX_WORK = 1_000_000  # units of work of one evaluation: one per value touched
CHARACTERS_PER_UNIT = 256  # texts are copied far faster than values are compared
ASTRAL_PER_UNIT = 8  # texts with emoji are taken apart into UTF-16 units first
SEARCHED_PER_UNIT = 64  # and searched a little slower than copied


def check_text(characters: int) -> None:
    """Raise Refusal when a text of so many characters is too long."""
    if characters > MAX_TEXT:
        raise Refusal(f"the text would be longer than {MAX_TEXT} characters")


class Meter:
    """Counts the work of one evaluation and stops it at MAX_WORK; every loop over a value pays here first."""

    __slots__ = ("left", "room")

    def __init__(self) -> None:
        self.left = MAX_WORK
        self.room = MAX_TEXT

    def spend(self, units: int) -> None:
        """Pay for `units` values; raise Refusal when the evaluation has used up its work."""
        self.left -= units
        if self.left < 0:
            raise Refusal("the values are too large for one expression: its bound of work is used up")

    def spend_text(self, characters: int) -> None:
        """Pay for reading or building a text of so many characters; raise Refusal when it is too long."""
        check_text(characters)
        self.spend(1 + characters // CHARACTERS_PER_UNIT)

    def spend_search(self, characters: int) -> None:
        """Pay for searching a text of so many characters."""
        self.spend(1 + characters // SEARCHED_PER_UNIT)

    def keep_text(self, characters: int) -> None:
        """Pay for a text that stays part of the result; raise Refusal when all of them are too long together."""
        self.room -= characters
        self.spend_text(characters)
        if self.room < 0:
            raise Refusal(f"the texts would be longer than {MAX_TEXT} characters together")

    def spend_items(self, items: int) -> None:
        """Pay for building a list or object of so many items; raise Refusal when it is too long."""
        if items > MAX_ITEMS:
            raise Refusal(f"the list would be longer than {MAX_ITEMS} items")
        self.spend(1 + items)
