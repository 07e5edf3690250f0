"""Steps of the node-tree form that hold no others: how each is written as a node. The tree itself is tree.py's."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from editor.language.formats.base import Part, shown
from editor.language.formats.texts import template

_WHOLE = re.compile(r"\{\{\s*([^\s{}]+)\s*\}\}|\$([A-Za-z_][A-Za-z0-9_]*)")

Agents = Mapping[str, Mapping[str, Any]]
"""Agents that the flow defines, by name and id."""


def common(part: Part) -> dict[str, Any]:
    """Read what any step may have: names, retry, time limit, the variable for its result."""
    found = part.copy({"name": "name", "description": "description", "outputVariable": "output_variable"})
    if part.has("retry"):
        found["retry"] = _retry(part)
    if part.has("timeoutMs"):
        found["timeout_ms"] = whole_ms(part, "timeoutMs")
    return found


def _retry(part: Part) -> Any:
    given = part.get("retry")
    if not isinstance(given, dict):
        return given
    inner = Part(given, part.at("retry"), part.losses)
    found = inner.copy({"maxAttempts": "max_attempts"})
    if not found:
        found = {"max_attempts": 1}
    if inner.has("backoffMs"):
        found["backoff_ms"] = whole_ms(inner, "backoffMs")
    return {**found, **inner.rest()}


def whole_ms(part: Part, key: str) -> Any:
    """Give a time in whole milliseconds, rounded up; what is no number is left to the checks."""
    given = part.get(key)
    if not isinstance(given, float):
        return given
    rounded = math.ceil(given)
    part.lose(key, f"{given} is no whole number of milliseconds.", f"It is {rounded}.")
    return rounded


def items_of(part: Part) -> dict[str, Any]:
    """Read the items of a loop: a variable becomes the expression that names it."""
    if not part.has("items"):
        is_given = "items" in part.raw
        part.get("items")
        return {"items": []} if is_given else {}
    given = part.get("items")
    if isinstance(given, str):
        match = _WHOLE.fullmatch(given.strip())
        return {"items": match.group(1) or match.group(2) if match else given}
    return {"items": template(part, "items")}


def _fields(part: Part, names: Mapping[str, str], templates: tuple[str, ...] = ()) -> dict[str, Any]:
    found = part.copy(names)
    return found | {names[key]: template(part, key) for key in templates if names[key] in found}


def _llm_call(part: Part, agents: Agents) -> tuple[str, dict[str, Any]]:
    names = {
        "prompt": "prompt", "system": "system", "model": "model", "temperature": "temperature",
        "outputSchema": "output_schema",
    }  # fmt: skip
    return "llm_call", _fields(part, names, ("prompt", "system", "model"))


def _tool_call(part: Part, agents: Agents) -> tuple[str, dict[str, Any]]:
    return "tool_call", _fields(part, {"tool": "tool", "arguments": "arguments"}, ("arguments",))


def _tool(part: Part, agents: Agents) -> tuple[str, dict[str, Any]]:
    return "tool_call", _fields(part, {"toolName": "tool", "toolOptions": "arguments"}, ("toolOptions",))


def _set_variable(part: Part, agents: Agents) -> tuple[str, dict[str, Any]]:
    return "set_variable", {**part.copy({"variable": "variable"}), "value": template(part, "value")}


def _evaluator(part: Part, agents: Agents) -> tuple[str, dict[str, Any]]:
    return "evaluator", part.copy({"expression": "expression"})


def _return(part: Part, agents: Agents) -> tuple[str, dict[str, Any]]:
    return "return", {"value": template(part, "value")} if "value" in part.raw else {}


def _end(part: Part, agents: Agents) -> tuple[str, dict[str, Any]]:
    return "end", {"value": template(part, "value")} if "value" in part.raw else {}


def _throw(part: Part, agents: Agents) -> tuple[str, dict[str, Any]]:
    names = {"message": "message", "code": "code", "details": "details"}
    found = _fields(part, names, ("message", "details"))
    if not found.get("message"):
        found.pop("message", None)
    return "throw", found


def _step(part: Part, agents: Agents) -> tuple[str, dict[str, Any]]:
    """An agent by its name: what it is told comes from the agents that the flow defines."""
    name = part.get("agent")
    config = _fields(part, {"input": "prompt"}, ("input",))
    agent = agents.get(name) if isinstance(name, str) else None
    if agent is None:
        told = "It names a skill of this name; install one, or write instructions instead."
        part.lose("agent", f"The document does not define the agent {shown(name)}.", told)
        return "agent", {"skill": name, **config}
    tools = agent.get("tools")
    named = [tool.get("name") for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    told = "Its instructions and the names of its tools stand in this node; its model is the site's default."
    part.lose("agent", f"The agent {shown(name)} has a model and options of its own.", told)
    return "agent", {"instructions": agent.get("system", ""), **config, **({"tools": named} if named else {})}


LEAVES: Mapping[str, Callable[[Part, Agents], tuple[str, dict[str, Any]]]] = {
    "llmCall": _llm_call,
    "toolCall": _tool_call,
    "tool": _tool,
    "setVariable": _set_variable,
    "evaluator": _evaluator,
    "return": _return,
    "end": _end,
    "throw": _throw,
    "step": _step,
}
"""How a step of each type is read: our type and its config."""
