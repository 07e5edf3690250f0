"""The words a document may name: outcomes, error codes. What happens on them is the engine's."""

from __future__ import annotations

from typing import Literal

Outcome = Literal["success", "error", "rejected", "timeout", "budget_exhausted", "limit"]
"""What an edge can leave from."""

OutputMode = Literal["set", "append", "extend", "merge", "add"]
Backend = Literal["inline", "provider", "host"]
Permission = Literal["allow", "ask", "deny"]

ERROR_CODES = frozenset({
    "validation_failed", "flow_invalid", "state_invalid", "expression_error", "flow_error",
    "tool_args_invalid", "tool_denied", "tool_failed", "unknown_tool", "provider_failed", "output_invalid",
    "operation_timeout", "budget_exhausted", "iteration_limit", "cost_limit", "items_failed", "deadlock",
    "artifact_missing", "limit_exceeded", "value_too_large", "run_busy", "run_finished", "not_paused",
    "step_not_failed", "awaiting_approval", "approval_not_found", "approval_already_decided",
    "approval_expired", "approval_digest_mismatch", "self_approval", "flow_changed", "worker_lost",
    "canceled", "permission_denied", "not_found", "revision_conflict", "idempotency_conflict",
})  # fmt: skip
"""Codes that the product itself gives; a `throw` may use none of them but `flow_error`."""

NEVER_RETRIED = frozenset({"tool_denied", "budget_exhausted", "cost_limit", "canceled"})
"""Codes that no retry tries again, whatever its `on` says."""
