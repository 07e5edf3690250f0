"""The base of every error that the flow language raises. Errors of runs live in `runner.engine.errors`."""

from __future__ import annotations

from collections.abc import Mapping


class LanguageError(Exception):
    """Something written in a flow, or a value handed to it, cannot be used; the message says what to do.

    `code` is a stable slug that programs compare, `message` a sentence for people, `details` JSON data about
    the place and the cause (None when there is nothing to add).
    """

    def __init__(self, code: str, message: str, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details: dict[str, object] | None = None if details is None else dict(details)

    def as_dict(self) -> dict[str, object]:
        """Return the JSON shape of every error: `code`, `message`, and `details` when there are any."""
        shape: dict[str, object] = {"code": self.code, "message": self.message}
        if self.details is not None:
            shape["details"] = dict(self.details)
        return shape
