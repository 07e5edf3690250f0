"""The errors of a run: their codes, and the one exception that carries them. Nothing here knows rows or a database."""

from __future__ import annotations

from collections.abc import Mapping

#: Every code that the engine or the runner itself may give (runs.md, section 6).
CODES = frozenset({
    "validation_failed", "flow_invalid", "state_invalid", "expression_error", "flow_error",
    "tool_args_invalid", "tool_denied", "tool_failed", "unknown_tool", "provider_failed", "output_invalid",
    "operation_timeout", "budget_exhausted", "iteration_limit", "cost_limit", "items_failed", "deadlock",
    "artifact_missing", "limit_exceeded", "value_too_large", "run_busy", "run_finished", "not_paused",
    "step_not_failed", "awaiting_approval", "approval_not_found", "approval_already_decided",
    "approval_expired", "approval_digest_mismatch", "self_approval", "flow_changed", "worker_lost",
    "canceled", "permission_denied", "not_found", "revision_conflict", "idempotency_conflict",
})  # fmt: skip

#: Failures that are never tried again by a node's `retry`.
NEVER_RETRIED = frozenset({"tool_denied", "budget_exhausted", "cost_limit", "canceled", "worker_lost"})

ErrorJson = dict[str, object]


class RunError(Exception):
    """A refusal or failure with a code of `CODES` (or an author's own code from `throw`)."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        step: str | None = None,
        path: str | None = None,
        details: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.step = step
        self.path = path
        self.details = dict(details) if details else None

    def as_json(self) -> ErrorJson:
        """`{code, message, step?, path?, details?}`: the one shape of an error, everywhere."""
        return make_error(self.code, self.message, step=self.step, path=self.path, details=self.details)


def make_error(
    code: str,
    message: str,
    *,
    step: str | None = None,
    path: str | None = None,
    details: Mapping[str, object] | None = None,
) -> ErrorJson:
    """Build the JSON shape of an error; absent parts are left out."""
    error: ErrorJson = {"code": code, "message": message}
    if step is not None:
        error["step"] = step
    if path is not None:
        error["path"] = path
    if details:
        error["details"] = dict(details)
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
