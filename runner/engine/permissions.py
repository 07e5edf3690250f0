"""What happens to a tool call before it is made: schema, rules of flow and site, and whether a person is asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from editor.language.catalog import ToolSpec
from runner.engine.errors import RunError
from runner.engine.program import Program

_STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


@dataclass(slots=True)
class Verdict:
    """allow, ask or deny, and why. For an ask: who decides, how many have to, until when, may arguments change."""

    effect: str
    reasons: list[str] = field(default_factory=list)
    group: str | None = None
    editable: bool = False
    expires_ms: int | None = None
    approvals: int = 1


def find_tool(program: Program, name: str) -> ToolSpec:
    """The tool with this name. Raises RunError `unknown_tool`."""
    tool = program.catalog.tool(name)
    if tool is None:
        raise RunError("unknown_tool", f"There is no tool '{name}' here. Register it, or choose another.")
    return tool


def check_arguments(program: Program, tool: ToolSpec, arguments: Any) -> dict[str, Any]:
    """Arguments with the schema's defaults filled in. Raises RunError `tool_args_invalid` with every problem."""
    if not isinstance(arguments, dict):
        problems = ["the arguments are no object"]
        checked: dict[str, Any] = {}
    else:
        checked, problems = program.argument_schema(tool).apply(arguments)
    if problems:
        message = f"The arguments do not fit tool '{tool.name}': {'; '.join(map(str, problems))}."
        raise RunError("tool_args_invalid", message, details={"problems": [str(one) for one in problems]})
    return checked


def judge(program: Program, tool: ToolSpec, arguments: dict[str, Any]) -> Verdict:
    """Apply the flow's rules and the site's: deny beats ask beats allow, and the stricter side wins."""
    flow = _judge_side(program, tool, arguments, own=True)
    site = _judge_side(program, tool, arguments, own=False)
    verdict = flow if _STRICTNESS[flow.effect] >= _STRICTNESS[site.effect] else site
    if verdict is flow and flow.effect == site.effect == "ask":
        verdict = _both(flow, site)
    if verdict.effect != "deny" and _needs_approval(tool, arguments):
        asked = verdict if verdict.effect == "ask" else Verdict("ask")
        editable = asked.editable or tool.editable
        verdict = _both(asked, Verdict("ask", [f"tool '{tool.name}' needs approval"], tool.group, tool.editable))
        verdict.editable = editable
    if verdict.effect == "ask":
        verdict.group = verdict.group or tool.group
    return verdict


def could_ask(program: Program, tool: ToolSpec) -> bool:
    """Whether a person may be asked before this tool is called: for some arguments at least."""
    fits = [(rule, when, own) for rule, when, own in program.rules if fnmatchcase(tool.name, rule.tool)]
    if tool.needs_approval or any(rule.effect == "ask" for rule, _, _ in fits):
        return True
    always_ruled = any(own and when is None for _, when, own in fits)
    return not always_ruled and _default(program, tool).effect == "ask"


def _judge_side(program: Program, tool: ToolSpec, arguments: dict[str, Any], *, own: bool) -> Verdict:
    matched: list[Verdict] = []
    for rule, when, from_flow in program.rules:
        if from_flow is not own or not fnmatchcase(tool.name, rule.tool):
            continue
        why = _why_matched(rule, when, arguments, "flow" if own else "site")
        if why is not None:
            matched.append(Verdict(rule.effect, [why], rule.group, rule.editable, rule.expires_ms, rule.approvals))
    if matched:
        strictest = max(_STRICTNESS[one.effect] for one in matched)
        same = [one for one in matched if _STRICTNESS[one.effect] == strictest]
        verdict = same[0]
        for other in same[1:]:
            verdict = _both(verdict, other)
        return verdict
    if not own:
        return Verdict("allow")
    return _default(program, tool)


def _default(program: Program, tool: ToolSpec) -> Verdict:
    default = program.definition.permissions.default
    if default is not None:
        return Verdict(default, ["the flow's default"])
    if tool.read_only:
        return Verdict("allow")
    site = program.catalog.site.default
    if site is None:
        site = "ask" if tool.effect == "at_most_once" else "allow"
    return Verdict(site, ["the site's default"])


def _why_matched(rule: Any, when: Any, arguments: dict[str, Any], side: str) -> str | None:
    if when is None:
        return f"a rule of the {side}: {rule.effect} {rule.tool}"
    holds, trouble = when.evaluate_condition({"args": arguments})
    if trouble is not None:
        if rule.effect == "allow":
            return None
        return f"a rule of the {side} could not be evaluated ({trouble}), so it counts: {rule.effect} {rule.tool}"
    return f"a rule of the {side}: {rule.effect} {rule.tool} when {rule.when}" if holds else None


def _needs_approval(tool: ToolSpec, arguments: dict[str, Any]) -> bool:
    return tool.needs_approval(arguments) if callable(tool.needs_approval) else tool.needs_approval


def _both(one: Verdict, other: Verdict) -> Verdict:
    """Two asks together: all reasons, the sooner expiry, the most people, editable only where both say so."""
    expiries = [ms for ms in (one.expires_ms, other.expires_ms) if ms is not None]
    approvals = max(one.approvals, other.approvals)
    if not one.reasons:
        return Verdict(one.effect, other.reasons, other.group, other.editable, other.expires_ms, approvals)
    return Verdict(
        one.effect,
        one.reasons + other.reasons,
        one.group or other.group,
        one.editable and other.editable,
        min(expiries) if expiries else None,
        approvals,
    )
