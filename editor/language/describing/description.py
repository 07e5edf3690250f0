"""The description: what a flow is given, what its nodes do one after another, what it hands over, what bounds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from editor.language.definition import Definition, Edge, Node
from editor.language.describing.order import reading_order
from editor.language.describing.words import counted, deed, listed, short, span
from editor.language.graph import Graph
from editor.language.policy import Policy
from editor.language.schema import ParsedDocument

_OUTCOMES = {
    "error": "On an error", "rejected": "If it is rejected", "timeout": "If the time runs out",
    "budget_exhausted": "If the budget is used up", "limit": "At the limit of the loop",
}  # fmt: skip


@dataclass(frozen=True)
class Paragraph:
    """What is said of one node; `level` is how deep it stands, from 0."""

    node: str
    name: str
    level: int
    text: str


@dataclass(frozen=True)
class Description:
    """A flow in words: `summary` are sentences about the whole, `steps` one paragraph a node in reading order."""

    summary: tuple[str, ...]
    steps: tuple[Paragraph, ...]

    def as_json(self) -> dict[str, Any]:
        """Give it as the API shows it."""
        steps = [{"node": one.node, "name": one.name, "level": one.level, "text": one.text} for one in self.steps]
        return {"summary": list(self.summary), "steps": steps}

    def as_text(self) -> str:
        """Give it as one text, steps indented by their depth."""
        lines = [f"{'  ' * one.level}- {one.name}: {one.text}" for one in self.steps]
        return "\n".join([*self.summary, *lines])


def describe(document: ParsedDocument | Definition) -> Description:
    """Say in plain words what a flow does. The same document gives the same words; one with faults is described as
    far as it can be read."""
    definition = document if isinstance(document, Definition) else document.partial
    if definition is None:
        return Description(("The document cannot be read.",), ())
    graph = Graph(definition)
    steps = tuple(
        Paragraph(node.id, node.label, level, _paragraph(node, graph, definition))
        for node, level in reading_order(definition, graph)
    )
    return Description(_summary(definition), steps)


# --- the whole ------------------------------------------------------------------------------------------


def _summary(flow: Definition) -> tuple[str, ...]:
    told = [flow.description.strip(), _inputs(flow), _size(flow), *_limits(flow), *_asks(flow), _results(flow)]
    return tuple(sentence for sentence in told if sentence)


def _inputs(flow: Definition) -> str:
    if not flow.inputs:
        return "It is started without inputs."
    names = [one.name if one.required and not one.has_default else f"{one.name} (optional)" for one in flow.inputs]
    return f"It is given {listed(names)}."


def _size(flow: Definition) -> str:
    people = sum(node.type == "approval" for node in flow.nodes)
    asks = f"; it asks people at {counted(people, 'node')}" if people else ""
    return f"It has {counted(len(flow.nodes), 'node')}{asks}." if flow.nodes else "It has no nodes yet."


def _limits(flow: Definition) -> list[str]:
    told = []
    bounds = _bounds(flow.policy)
    if bounds:
        told.append(f"It is bounded: {listed(bounds)}.")
    if flow.presets:
        told.append(f"It can be started with the presets {listed(one.name or one.id for one in flow.presets)}.")
    return told


def _bounds(policy: Policy) -> list[str]:
    given = (
        (policy.max_cost_usd, lambda value: f"at most {value} US dollars"),
        (policy.max_tokens, lambda value: f"at most {value} tokens"),
        (policy.max_iterations, lambda value: f"a loop goes round at most {value} times"),
        (policy.max_steps, lambda value: f"at most {value} steps"),
        (policy.max_duration_ms, lambda value: f"at most {span(value)}"),
        (policy.max_parallel, lambda value: f"at most {value} steps at once"),
    )
    return [words(value) for value, words in given if value is not None]  # type: ignore[no-untyped-call]


def _asks(flow: Definition) -> list[str]:
    verbs = {"ask": "asks a person before it calls", "deny": "never calls", "allow": "may call, without asking,"}
    told = []
    for rule in flow.permissions.rules:
        where = f" where {short(rule.when)}" if rule.when else ""
        tool = "any tool" if rule.tool == "*" else rule.tool
        told.append(f"It {verbs[rule.effect]} {tool}{where}.")
    return told


def _results(flow: Definition) -> str:
    names = [f"{one.name or one.id} ({one.type})" for one in flow.artifacts]
    return f"It hands over {listed(names)}." if names else ""


# --- one node -------------------------------------------------------------------------------------------


def _paragraph(node: Node, graph: Graph, flow: Definition) -> str:
    said = deed(node)
    told = [f"{said[:1].upper()}{said[1:].rstrip('.')}."]
    if not node.enabled:
        told = ["Is switched off, and passed through."]
    if node.output_variable:
        told.append(f"The result is kept as {node.output_variable}.")
    if node.join != "each":
        told.insert(0, _join(node))
    if node.retry and node.retry.max_attempts > 1:
        told.append(f"If it fails, it is tried up to {node.retry.max_attempts} times.")
    if node.timeout_ms is not None:
        told.append(f"It may take {span(node.timeout_ms)}.")
    return " ".join([*told, *_ways(node, graph, flow)])


def _join(node: Node) -> str:
    waits = {"active": "all paths that were taken", "any": "the first path that comes", "all": "all paths"}
    known = waits.get(str(node.join), f"{node.join} paths")
    return f"Waits for {known}."


def _ways(node: Node, graph: Graph, flow: Definition) -> list[str]:
    """Where it goes on: conditions in their order, then what remains, then the other outcomes."""
    edges = graph.outgoing(node.id)
    success = [edge for edge in edges if edge.on == "success"]
    told = []
    asked = [edge for edge in success if edge.when is not None]
    rest = [edge for edge in success if edge.when is None]
    told += [f"If {short(edge.when)}{_said(edge)}, it goes on with {_name(flow, edge)}." for edge in asked]
    if rest:
        names = listed(_name(flow, edge) for edge in rest)
        at_once = " at once" if len(rest) > 1 and node.fan_out else ""
        told.append(f"{'Otherwise it' if asked else 'Then it'} goes on with {names}{at_once}.")
    for outcome, words in _OUTCOMES.items():
        for edge in (one for one in edges if one.on == outcome):
            where = f" where {short(edge.when)}" if edge.when else ""
            told.append(f"{words}{where}, it goes on with {_name(flow, edge)}.")
    return told


def _said(edge: Edge) -> str:
    return f" ({edge.label})" if edge.label else ""


def _name(flow: Definition, edge: Edge) -> str:
    target = flow.nodes_by_id.get(edge.target)
    return f"“{edge.target if target is None else target.label}”"
