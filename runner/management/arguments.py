"""What commands ask of their arguments before they use them."""

from __future__ import annotations

from runner.engine.errors import RunError


def demand_utf8(*arguments: str | None) -> None:
    """Raise RunError `validation_failed` for an argument whose bytes are no UTF-8: Python keeps them as surrogates."""
    for argument in arguments:
        if argument is None:
            continue
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            shown = ascii(argument[:100])
            place = error.start + 1
            told = f"The argument {shown} is no UTF-8 text: look at character {place}. Write it in a UTF-8 terminal."
            raise RunError("validation_failed", told) from None
