"""A flow cut off behind some of its steps: what leads to them stays, nothing comes after. Documents only; no values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from editor.language.definition import Definition, Edge, Node
from editor.language.errors import LanguageError
from editor.language.graph import Graph
from editor.language.nodes import node_type
from editor.language.nodes.transform import TransformConfig
from runner.engine.resolving import PURE

#: What can have its end given: work, people, waits and containers. Control nodes only say where to go on.
_NEVER_GIVEN = frozenset({"artifact", "one_of", "return", "end", "throw"})


def can_be_given(type_: str) -> bool:
    """Whether the end of a node of this type may be given instead of worked out."""
    return type_ not in _NEVER_GIVEN


def works_outside(node: Node) -> bool:
    """Whether a node does what the engine cannot work out by itself: calls, people, waits, sub-flows."""
    kind = node_type(node.type)
    return node.enabled and node.type not in PURE and not (kind is not None and kind.is_container)


def cut_off(definition: Definition, targets: Sequence[str], given: Collection[str]) -> Definition:
    """The flow up to its targets: whatever cannot lead to one of them does nothing, and nothing follows them.

    Nodes in `given` become pure ones, for ends that come from outside; what they hold goes. A loop around a target
    runs once. Raises LanguageError `not_found`, and `validation_failed` for targets that no way leads to, or that do
    not follow one another.
    """
    return _Cut(definition, targets, frozenset(given)).made()


class _Cut:
    def __init__(self, definition: Definition, targets: Sequence[str], given: frozenset[str]) -> None:
        self.definition = definition
        self.graph = Graph(definition)
        self.given = given
        self.targets = frozenset(targets)
        for target in targets:
            if target not in definition.nodes_by_id:
                raise LanguageError("not_found", f"The flow has no node {target!r}.")
        parents = {self.graph.parent[target] for target in targets}
        if len(parents) != 1:
            raise LanguageError("validation_failed", "Choose steps that lie side by side: all in the same container.")
        self.around = self.graph.ancestors(next(iter(targets)))
        self.kept: set[str] = set()
        self.idle: set[str] = set()
        self.ends: set[str] = set()
        line: list[tuple[str | None, frozenset[str]]] = [(parents.pop(), self.targets)]
        for container in self.around:
            line.append((self.graph.parent[container], frozenset({container})))
        for level, ends in line:
            self._cut_level(level, ends)

    def made(self) -> Definition:
        """The cut flow. It keeps its id; artifacts are no longer promised."""
        nodes = tuple(self._node(node) for node in self.definition.nodes if node.id in self.kept | self.idle)
        edges = tuple(edge for edge in self.definition.edges if self._stays(edge))
        artifacts = tuple(one.model_copy(update={"required": False}) for one in self.definition.artifacts)
        start = self.graph.entries(None)[0]
        changed = {"nodes": nodes, "edges": edges, "artifacts": artifacts, "start": start}
        fresh: dict[str, Any] = {name: getattr(self.definition, name) for name in Definition.model_fields}
        return Definition.model_construct(**{**fresh, **changed})

    # --- which nodes ---------------------------------------------------------------------------------------

    def _cut_level(self, level: str | None, ends: frozenset[str]) -> None:
        entries = self.graph.entries(level)
        ahead = self._walk(entries[:1] if level is None else entries, ends, forward=True)
        lost = sorted(ends - ahead)
        if lost:
            told = f"No way leads to {', '.join(lost)}, or only one through steps that are not tried."
            raise LanguageError("validation_failed", told)
        on_way = ahead & self._walk(ends, ends, forward=False)
        beside = {link.target for node in on_way - ends for link in self.graph.links(node)}
        meets = {node.synthesis for node in self.definition.nodes if node.id in on_way - ends and node.fan_out}
        self.ends |= ends
        self.idle |= (beside | {one for one in meets if one is not None}) - on_way
        for node in on_way:
            self._keep(node, inside=node not in self.around)

    def _walk(self, start: Collection[str], ends: frozenset[str], *, forward: bool) -> set[str]:
        """All that links lead to, or come from; behind an end only other ends."""
        found, todo = set(start), list(start)
        while todo:
            node = todo.pop()
            for link in self.graph.links(node) if forward else self.graph.links_into(node):
                other = link.target if forward else link.source
                passes = link.source not in ends or link.target in ends
                if passes and other not in found:
                    found.add(other)
                    todo.append(other)
        return found

    def _keep(self, node: str, *, inside: bool) -> None:
        self.kept.add(node)
        if inside and node not in self.given:
            for child in self.graph.children(node):
                self._keep(child, inside=True)

    # --- what they become ----------------------------------------------------------------------------------

    def _stays(self, edge: Edge) -> bool:
        nodes = self.kept | self.idle
        if edge.source not in nodes or edge.target not in nodes or edge.source in self.idle:
            return False
        return edge.source not in self.ends or (edge.source in self.targets and edge.target in self.targets)

    def _node(self, node: Node) -> Node:
        if node.id in self.idle:
            return _idle(node)
        if node.id in self.around:
            return _once(node)
        left = {"fan_out": False, "synthesis": None} if node.id in self.targets else {}
        if node.id in self.given and can_be_given(node.type):
            return node.model_copy(update={**_pure(node), **left})
        return node.model_copy(update=left)


def _idle(node: Node) -> Node:
    plain: dict[str, Any] = {"output_variable": None, "fan_out": False, "synthesis": None, "join": "each"}
    return node.model_copy(update={**_pure(node), **plain})


def _pure(node: Node) -> dict[str, Any]:
    """What makes a node one that only hands on: of a variable to be set the name goes with it."""
    variable = node.output_variable
    if node.type == "set_variable":
        variable = variable or getattr(node.config, "variable", None)
    return {
        "type": "transform",
        "config": TransformConfig(fields={}),
        "output_variable": variable,
        "retry": None,
        "budget": None,
        "timeout_ms": None,
        "inputs": None,
    }


def _once(node: Node) -> Node:
    """A container around a target: it runs its children once, and what fails in them ends it."""
    changed: dict[str, Any] = {"retry": None, "output_variable": None}
    if node.type == "for_each":
        first = {"concurrency": 1, "stop_when": "done >= 1", "on_item_error": "fail", "max_failed": None}
        changed["config"] = node.config.model_copy(update=first)
    return node.model_copy(update=changed)
