"""Limits and permissions that a flow, a preset or the site sets. Obeying them is the engine's part."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from editor.language.document import Amount, Count, DocumentModel, Items, Milliseconds, Opt, Positive
from editor.language.outcomes import Permission

ENGINE_KEYS = ("max_cost_usd", "max_tokens", "max_iterations", "max_steps", "max_duration_ms", "max_parallel")
"""Policy keys that the engine enforces; every other key is the flow's own."""


def usd_to_micros(amount: int | float) -> int:
    """Turn dollars as written in a document into whole micro-dollars, exactly as the decimal reads."""
    return int((Decimal(repr(amount)) * 1_000_000).to_integral_value(ROUND_HALF_UP))


class Policy(DocumentModel):
    """Limits of a run. Keys beside the engine's are the flow's own, readable in expressions."""

    model_config = ConfigDict(extra="allow")

    max_cost_usd: Opt[Amount] = None
    """No model call starts once a run has cost this many US dollars."""
    max_tokens: Opt[Count] = None
    """No model call starts once a run has used this many tokens, input and output together."""
    max_iterations: Opt[Positive] = None
    """How often a node inside a loop may be visited."""
    max_steps: Opt[Positive] = None
    """How many steps a run may take in all."""
    max_duration_ms: Opt[Milliseconds] = None
    """How long a run may last, pauses not counted, in milliseconds."""
    max_parallel: Opt[Positive] = None
    """How many steps of a run may be running at once."""

    @property
    def max_cost_micros(self) -> int | None:
        """The cost limit in whole micro-dollars, or None."""
        return None if self.max_cost_usd is None else usd_to_micros(self.max_cost_usd)

    @cached_property
    def values(self) -> dict[str, Any]:
        """All keys that are set, as expressions read them under `policy`. Treat it as read-only."""
        written = self.model_dump(exclude_unset=True)
        return {key: value for key, value in written.items() if key not in self.x_keys}


def effective(policy: Policy, preset: Policy | None) -> Policy:
    """Lay a preset's policy over the default, key by key."""
    if preset is None:
        return policy
    return Policy.model_validate({**policy.values, **preset.values})


class Rule(DocumentModel):
    """One permission rule for the tools whose name fits `tool`."""

    tool: str = Field(min_length=1, max_length=200)
    """Name of a tool; `*` stands for any text."""
    when: Opt[str] = None
    """Expression over `args`; the rule applies only where it is truthy."""
    effect: Permission
    editable: bool = False
    """Whether the reviewer may change the arguments."""
    expires_ms: Opt[Milliseconds] = None
    """How long a question may stay open, in milliseconds."""
    group: Opt[str] = None
    """Group whose members decide."""
    approvals: Positive = 1
    """How many people have to approve the call."""

    @model_validator(mode="after")
    def _only_questions_have_reviewers(self) -> Rule:
        about = (self.editable, self.expires_ms is not None, self.group is not None, self.approvals > 1)
        if self.effect != "ask" and any(about):
            raise ValueError("editable, expires_ms, group and approvals belong to a rule with the effect ask")
        return self


class Permissions(DocumentModel):
    """Which tools a flow may call: deny beats ask beats allow; `default` where no rule applies."""

    default: Opt[Literal["allow", "ask", "deny"]] = None
    rules: Items[Rule] = ()
