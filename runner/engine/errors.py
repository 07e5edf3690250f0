"""The errors of a run: their codes, and the one exception that carries them. Nothing here knows rows or a database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editor.language.canonical import canonical_text
from editor.language.outcomes import NEVER_RETRIED as NEVER_RETRIED_BY_ANY

#: Failures that are never tried again by a node's `retry`.
NEVER_RETRIED = NEVER_RETRIED_BY_ANY | {"worker_lost"}

ErrorJson = dict[str, object]


class RunError(Exception):
    """A refusal or failure with a code of the language's `ERROR_CODES` (or an author's own code from `throw`)."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        step: str | None = None,
        path: str | None = None,
        details: Any = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.step = step
        self.path = path
        self.details: Any = details

    def as_json(self) -> ErrorJson:
        """`{code, message, step?, path?, details?}`: the one shape of an error, everywhere."""
        return make_error(self.code, self.message, step=self.step, path=self.path, details=self.details)


def make_error(
    code: str,
    message: str,
    *,
    step: str | None = None,
    path: str | None = None,
    details: Any = None,
) -> ErrorJson:
    """Build the JSON shape of an error; absent parts are left out."""
    error: ErrorJson = {"code": code, "message": message}
    if step is not None:
        error["step"] = step
    if path is not None:
        error["path"] = path
    if details is not None and details != {}:
        error["details"] = details
    return error


#: Bounds of an error: its message in characters, its details in bytes of canonical text.
MESSAGE_LENGTH, DETAILS_BYTES = 2_000, 4_096


def bounded(error: ErrorJson) -> ErrorJson:
    """An error small enough for an event: what a tool says may be of any length."""
    message, details = str(error["message"]), error.get("details")
    if len(message) > MESSAGE_LENGTH:
        error = error | {"message": message[:MESSAGE_LENGTH] + "…"}
    if details is not None:
        size = len(canonical_text(details).encode())
        if size > DETAILS_BYTES:
            error = error | {"details": {"left_out_bytes": size}}
    return error


def outcome_of(error: Mapping[str, object]) -> str:
    """The outcome that an error gives its step: what its edges leave from."""
    return OUTCOMES.get(str(error.get("code")), "error")


OUTCOMES = {
    "operation_timeout": "timeout",
    "approval_expired": "timeout",
    "tool_denied": "rejected",
    "budget_exhausted": "budget_exhausted",
}
