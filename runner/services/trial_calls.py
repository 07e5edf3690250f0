"""What a try for real calls, and what it may call besides: named before anything is called. It only reads documents."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from editor.language.catalog import Catalog
from editor.language.definition import Definition, Node
from editor.language.graph import Graph
from editor.models import Flow
from editor.visibility import VIEW, may
from runner.engine.cutting import works_outside
from runner.engine.permissions import could_ask
from runner.engine.program import Program, compile_program
from runner.services.programs import limits
from runner.simulation.trying import TriedStep

HIDDEN = "hidden"
"""In the place of a type: what a flow does that whoever asks may not see."""


@dataclass(frozen=True)
class PlannedCall:
    """One call. `node`: of the flow that is tried; `path`: where in it, and behind a `/` in its sub-flows.

    `flow`: the sub-flow in which it stands, or an empty text. `sure`: it will be made; else it may be, with values that
    are not known before. `value`: with what, where that is known. `asks`: a person is asked first, or may be.
    """

    node: str
    type: str
    path: str
    label: str
    flow: str = ""
    tool: str = ""
    asks: bool = False
    sure: bool = False
    value: Any = None


def sure_call(step: TriedStep, label: str) -> PlannedCall:
    """A step at which the try in the simulator stopped, or a run that it would have started."""
    given = step.given if isinstance(step.given, dict) else {}
    tool = str(given.get("tool", ""))
    value = given.get("arguments") if tool else step.given
    return PlannedCall(step.node, step.type, step.path, label, tool=tool, asks=step.asks, sure=True, value=value)


def possible_calls(
    program: Program, nodes: Collection[str], known: Collection[str], *, whole: Definition, flow: Flow, by: Any
) -> list[PlannedCall]:
    """The calls that these nodes may make, with those in the flows that they call; each flow's are named once.

    `whole`: the flow before it was cut off, which it is where it calls itself. `known`: nodes whose calls are named
    already; they are named again only where there may be more of them, for further items of a `for_each`.
    """
    graph = Graph(program.definition)
    loops = {one.id for one in program.definition.nodes if one.type == "for_each" and one.id in nodes}
    once = {node for node in known if not loops.intersection(graph.ancestors(node))}
    finder = _Finder(program.catalog, by)
    return list(finder.calls(program, graph, nodes, _Called(flow.pk, "self", whole), once=once))


@dataclass(frozen=True)
class _Called:
    """A flow whose calls are named."""

    flow: str
    version: str
    whole: Definition


class _Finder:
    def __init__(self, catalog: Catalog, by: Any) -> None:
        self.catalog, self.by = catalog, by
        self.named: set[tuple[str, str]] = set()

    def calls(
        self, program: Program, graph: Graph, nodes: Collection[str] | None, called: _Called, *,
        once: Collection[str] = (), outer: PlannedCall | None = None,
    ) -> Iterator[PlannedCall]:  # fmt: skip
        """The calls of a flow. `nodes` None: of all. `once`: named already. `outer`: the step that calls this flow."""
        before, flow = (f"{outer.path}/", called.flow) if outer is not None else ("", "")
        by_id = program.definition.nodes_by_id
        for node in program.definition.nodes:
            around = graph.ancestors(node.id)
            switched_off = any(not by_id[one].enabled for one in around)
            if (nodes is not None and node.id not in nodes) or switched_off or not works_outside(node):
                continue
            path = before + ".".join([*reversed(around), node.id])
            at = PlannedCall(outer.node if outer is not None else node.id, node.type, path, node.label, flow)
            own = () if node.id in once and node.type != "agent" else _calls_of(node, at, program)
            yield from (call for call in own if node.id not in once or call.path != path)
            if node.type == "subflow":
                yield from self._within(node, at, called)

    def _within(self, node: Node, at: PlannedCall, outer: _Called) -> Iterator[PlannedCall]:
        config: Any = node.config
        called: _Called | None = outer
        if config.version != "self":
            whole = self.catalog.flow_version(config.flow, config.version)
            called = _Called(config.flow, str(config.version), whole) if whole is not None else None
        if called is None or (called.flow, called.version) in self.named:
            return
        self.named.add((called.flow, called.version))
        if not _sees(self.by, called.flow):
            yield PlannedCall(at.node, HIDDEN, f"{at.path}/", "", called.flow)
            return
        program = compile_program(called.whole, self.catalog, limits())
        yield from self.calls(program, Graph(called.whole), None, called, outer=at)


def _calls_of(node: Node, at: PlannedCall, program: Program) -> Iterator[PlannedCall]:
    """The calls that one node makes itself."""
    config: Any = node.config
    if node.type == "tool_call":
        yield _call(at, config.tool, program, at.path, _constant(config.arguments))
        return
    if node.type == "tool_group":
        for place, tool in enumerate(program.catalog.role(config.role) or ()):
            yield _call(at, tool, program, f"{at.path}[{place}]", _constant(config.arguments))
        return
    asks = node.type == "approval"
    yield PlannedCall(at.node, at.type, at.path, at.label, at.flow, asks=asks)
    if node.type == "agent":
        skill = program.catalog.skill(config.skill) if config.skill else None
        tools = config.tools if config.tools is not None else (skill.tools if skill else ())
        for tool in dict.fromkeys(tools):
            yield _call(at, tool, program, f"{at.path}[{tool}]", None)


def _call(at: PlannedCall, name: str, program: Program, path: str, value: Any) -> PlannedCall:
    tool = program.catalog.tool(name)
    asks = tool is not None and could_ask(program, tool)
    return PlannedCall(at.node, "tool_call", path, at.label, at.flow, name, asks, value=value)


def _constant(given: Any) -> Any:
    """Arguments in which nothing has to be worked out; None for others, and where there are none."""
    text = json.dumps(given)
    return given if isinstance(given, dict) and given and "{{" not in text and '"$expr"' not in text else None


def _sees(by: Any, flow: str) -> bool:
    found = Flow.objects.filter(pk=flow).first()
    return found is not None and may(by, VIEW, found)
