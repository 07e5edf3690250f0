"""What each node type is said to do, as the end of a sentence that begins with the node's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from editor.language.definition import Node, UnreadableConfig
from editor.language.nodes import node_type

LONGEST = 160


def listed(names: Iterable[str], last: str = "and") -> str:
    """Write names as in a sentence: `a`, `a and b`, `a, b and c`."""
    given = list(names)
    if len(given) < 2:
        return "".join(given)
    return f"{', '.join(given[:-1])} {last} {given[-1]}"


def short(value: object) -> str:
    """Write a value on one line, cut where it is long."""
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def span(milliseconds: int) -> str:
    """Write a span of time in its largest whole unit: `5 minutes`."""
    for unit, size in (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000)):
        if milliseconds >= size and milliseconds % size == 0:
            return counted(milliseconds // size, unit)
    return counted(milliseconds, "millisecond")


def counted(number: int, noun: str) -> str:
    """Write `1 node` or `3 nodes`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def deed(node: Node) -> str:
    """What a node does, such as `calls the tool pay_invoice`."""
    config: Any = node.config
    if isinstance(config, UnreadableConfig):
        return f"does something that cannot be read ({node.type})"
    found = _DEEDS.get(node.type)
    if found is not None:
        return found(config)
    kind = node_type(node.type)
    return f"does a step of the type {node.type}" if kind is None else _lowered(kind.description)


def _lowered(sentence: str) -> str:
    text = sentence.rstrip(".")
    return text[:1].lower() + text[1:]


def _approval(config: Any) -> str:
    who = listed(config.assignees, "or") if config.assignees else "a reviewer"
    many = f", {config.approvals} people in all" if config.approvals > 1 else ""
    form = " The answer is filled into a form." if config.form else ""
    return f"asks {who}{many}: “{short(config.title)}”, and waits for the decision.{form}".rstrip(".")


def _wait(config: Any) -> str:
    if config.signal is not None:
        return f"waits for the signal {config.signal}"
    if config.until is not None:
        return f"waits until {config.until}"
    known = config.duration_ms
    return f"waits {span(known)}" if isinstance(known, int) else f"waits for {short(known)} milliseconds"


def _for_each(config: Any) -> str:
    items = config.items
    what = f"each of {len(items)} items" if isinstance(items, tuple) else f"each item of {short(items)}"
    if isinstance(items, int):
        what = f"each number below {items}"
    at_once = f", up to {config.concurrency} at once" if config.concurrency > 1 else ""
    lost = " An item that fails is left out." if config.on_item_error == "collect" else ""
    stop = f" It stops early once {short(config.stop_when)}." if config.stop_when else ""
    return f"does what is below it for {what}, called {config.item_variable}{at_once}.{lost}{stop}".rstrip(".")


def _parallel(config: Any) -> str:
    at_once = "" if config.concurrency is None else f", {config.concurrency} of them"
    stop = f", and stops once {short(config.stop_when)}" if config.stop_when else ""
    return f"does what is below it at the same time{at_once}, and waits for all{stop}"


def _subflow(config: Any) -> str:
    which = "this flow again" if config.version == "self" else f"version {config.version} of the flow {config.flow}"
    return f"runs {which}" if config.wait else f"starts {which} and goes on without waiting"


def _agent(config: Any) -> str:
    tools = f", and lets it call {listed(config.tools)}" if config.tools else ""
    skill = f" by the skill {config.skill}" if config.skill else ""
    return f"asks an agent{skill}: “{short(config.prompt)}”{tools}"


def _throw(config: Any) -> str:
    return f"fails with {config.code}: “{short(config.message)}”"


def _returns(config: Any) -> str:
    return f"ends the run with the result {short(config.value)}" if config.has_value else "ends the run"


_DEEDS: dict[str, Callable[[Any], str]] = {
    "agent": _agent,
    "approval": _approval,
    "artifact": lambda config: f"writes the document {config.artifact}",
    "end": lambda _: "ends this path",
    "evaluator": lambda config: f"computes {short(config.expression)}",
    "for_each": _for_each,
    "handler": lambda config: f"runs the code {config.handler}",
    "llm_call": lambda config: f"asks a language model: “{short(config.prompt)}”",
    "one_of": lambda _: "decides how to go on",
    "parallel": _parallel,
    "return": _returns,
    "sequence": lambda _: "does what is below it one after another",
    "set_variable": lambda config: f"sets {config.variable} to {short(config.value)}",
    "subflow": _subflow,
    "throw": _throw,
    "tool_call": lambda config: f"calls the tool {config.tool}",
    "tool_group": lambda config: f"calls every tool with the role {config.role}",
    "transform": lambda config: f"puts together {listed(config.fields) or 'an empty object'}",
    "verifier": lambda config: f"checks {listed(config.checks)}",
    "wait": _wait,
}
"""By the name of the type; others say what they are registered with."""
