"""Ceilings on use: of one node over the whole run, of a container with its steps, and of the run's policy."""

from __future__ import annotations

from typing import Any

from editor.language.definition import Budget
from editor.language.policy import usd_to_micros
from runner.engine.errors import make_error
from runner.engine.rows import ROOT_SCOPE, StepRow, Stored, Usage, ValueRow
from runner.engine.turn import Turn

#: Node types whose call costs money and tokens: they do not start once the policy's limit is reached.
METERED_TYPES = frozenset({"llm_call", "agent"})


def used_by(turn: Turn, node_id: str) -> Usage:
    """What a node with a budget has used in this run so far."""
    row = turn.slice.value_row(ROOT_SCOPE, "b", node_id)
    return Usage.from_json(turn.slice.load(row.stored)) if row else Usage()


def charge(turn: Turn, step: StepRow, usage: Usage) -> list[str]:
    """Add use to the run, the node and the containers around it; names those whose budget is exceeded by it."""
    if not usage:
        return []
    turn.run.usage = turn.run.usage.plus(usage)
    compiled = turn.program.node(step.node)
    exceeded = []
    for node_id in (step.node, *compiled.ancestors):
        budget = turn.program.node(node_id).node.budget
        if budget is None:
            continue
        total = used_by(turn, node_id).plus(usage)
        turn.slice.put_value(ValueRow(ROOT_SCOPE, "b", node_id, Stored.of(total.as_json())))
        if _over(budget, total):
            exceeded.append(node_id)
    return exceeded


def used_up(turn: Turn, step: StepRow) -> dict[str, Any] | None:
    """The error of an attempt that may not start since its node's budget is used up.

    Budgets of containers around are not asked: a container at its ceiling goes on, and stops once over.
    """
    budget = turn.program.node(step.node).node.budget
    if budget is not None and _at_ceiling(budget, used_by(turn, step.node)):
        return budget_error(turn, step, step.node)
    return None


def budget_error(turn: Turn, step: StepRow, node_id: str) -> dict[str, Any]:
    """The error of a step that has exceeded, or found used up, the budget of a node."""
    message = f"The budget of '{node_id}' is used up. Raise it, or take the budget_exhausted edge."
    return make_error(
        "budget_exhausted",
        message,
        step=step.node,
        path=step.path,
        details={"used": used_by(turn, node_id).as_json()},
    )


def policy_limit(turn: Turn, step: StepRow) -> dict[str, Any] | None:
    """The error of a model call that may not start since the policy's cost or tokens are reached."""
    if step.type not in METERED_TYPES:
        return None
    policy, usage = turn.run.policy, turn.run.usage
    cost, tokens = policy.get("max_cost_usd"), policy.get("max_tokens")
    if cost is not None and usage.cost_micros >= usd_to_micros(cost):
        message = f"The run has used its cost limit of {cost} US dollars; no further model call starts."
    elif tokens is not None and usage.input_tokens + usage.output_tokens >= tokens:
        message = f"The run has used its limit of {tokens} tokens; no further model call starts."
    else:
        return None
    return make_error("cost_limit", message, step=step.node, path=step.path)


def _ceilings(budget: Budget, usage: Usage) -> list[tuple[float, float]]:
    pairs = [
        (budget.tokens, usage.input_tokens + usage.output_tokens),
        (budget.cost_micros, usage.cost_micros),
        (budget.units, usage.units),
    ]
    return [(ceiling, used) for ceiling, used in pairs if ceiling is not None]


def _over(budget: Budget, usage: Usage) -> bool:
    return any(used > ceiling for ceiling, used in _ceilings(budget, usage))


def _at_ceiling(budget: Budget, usage: Usage) -> bool:
    return any(used >= ceiling for ceiling, used in _ceilings(budget, usage))
