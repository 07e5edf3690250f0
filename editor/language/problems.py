"""What a check reports: one Problem, and the list of all codes. The checks themselves are in validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]

ERRORS = frozenset({
    "format_unsupported", "duplicate_id", "unknown_type", "config_invalid", "edge_dangling",
    "edge_crosses_container", "container_cycle", "nesting_too_deep", "no_start", "start_ambiguous",
    "expression_invalid", "template_invalid", "state_schema_invalid", "undeclared_read", "unknown_variable",
    "fan_out_not_read_only", "fan_out_without_synthesis", "synthesis_not_reached", "fan_out_not_closed",
    "join_in_cycle", "read_only_writes", "reserved_name", "retry_invalid", "timeout_invalid",
    "unknown_flow_version", "unknown_skill", "empty_assignees", "secret_literal",
})  # fmt: skip
"""Codes that keep a document from being published or run."""

WARNINGS = frozenset({
    "unreachable_node", "no_default_edge", "join_may_starve", "parallel_write_conflict", "loop_carried_write",
    "loop_without_bound", "runs_more_than_once", "order_counts", "maybe_unset", "waits_without_limit",
    "retry_not_idempotent", "unknown_tool", "unknown_handler", "unknown_role", "artifact_never_produced",
    "state_schema_slow", "policy_key_unknown",
})  # fmt: skip
"""Codes that are shown and block nothing."""

CODES: dict[str, Severity] = {}
"""Severity of each code."""
CODES.update(dict.fromkeys(sorted(ERRORS), "error"))
CODES.update(dict.fromkeys(sorted(WARNINGS), "warning"))


@dataclass(frozen=True)
class Problem:
    """One finding about a document.

    `path` is a JSON pointer into the document as it was given; `message` is a sentence that says what is
    wrong and what to do; `node` and `edge` are ids, where the finding belongs to one.
    """

    code: str
    severity: Severity
    path: str
    message: str
    node: str | None = None
    edge: str | None = None
    hint: str | None = None

    def as_json(self) -> dict[str, str]:
        """Give the finding as the API shows it, without the keys that say nothing."""
        whole = {
            "code": self.code, "severity": self.severity, "path": self.path, "message": self.message,
            "node": self.node, "edge": self.edge, "hint": self.hint,
        }  # fmt: skip
        return {key: value for key, value in whole.items() if value is not None}


def problem(
    code: str,
    path: str,
    message: str,
    *,
    node: str | None = None,
    edge: str | None = None,
    hint: str | None = None,
) -> Problem:
    """Make a Problem with the severity of its code. Raises KeyError for a code that is not listed."""
    return Problem(code, CODES[code], path, message, node, edge, hint)


def errors_of(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Give only the findings that block publication."""
    return tuple(found for found in problems if found.severity == "error")
