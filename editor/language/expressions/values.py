"""Values as expressions see them: kinds, truth, numbers and text. Operators live in `operators`."""

from __future__ import annotations


class Undefined:
    """What a missing property gives: not null, equal to null under ==, the empty text in texts."""

    _instance: Undefined | None = None

    def __new__(cls) -> Undefined:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def __repr__(self) -> str:
        return "undefined"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "UNDEFINED"


UNDEFINED = Undefined()


def truthy(value: object) -> bool:
    """Return whether a condition takes `value` for true."""
    raise NotImplementedError


def to_text(value: object) -> str:
    """Return the text of `value` inside a text."""
    raise NotImplementedError


def to_json(value: object) -> object:
    """Return `value` as it may be stored; raise ExpressionError on NaN and Infinity."""
    raise NotImplementedError
