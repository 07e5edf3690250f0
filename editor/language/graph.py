"""The wiring of a flow by ids: children, entries, links, reachability, cycles, fan-outs. No values, no rules.

A link is an edge, or the implied step from one child to the next in a container that runs its children in
order and has no `success` edges. Edges with an unknown end or across a container's wall are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from editor.language.cycles import components
from editor.language.definition import Definition, Edge
from editor.language.nodes import ContainerType, node_type
from editor.language.outcomes import Outcome


@dataclass(frozen=True)
class Link:
    """One way from a node to the next; `edge` is None where the order of declaration implies it."""

    source: str
    target: str
    on: Outcome
    edge: Edge | None


class Graph:
    """The wiring of one definition. Built once, asked often; every answer is in declaration order."""

    def __init__(self, definition: Definition) -> None:
        self.order: Mapping[str, int] = definition.order
        self.parent: dict[str, str | None] = {node.id: node.parent for node in definition.nodes}
        self.start: str | None = definition.start
        self._in_order: set[str] = set()
        self._dead: set[str] = set()
        self._fan_outs: dict[str, str | None] = {}
        for node in definition.nodes:
            kind = node_type(node.type)
            if isinstance(kind, ContainerType) and kind.in_order:
                self._in_order.add(node.id)
            if kind is not None and kind.ends_path and node.enabled:
                self._dead.add(node.id)
            if node.fan_out:
                self._fan_outs[node.id] = node.synthesis
        self._read_edges(definition.edges)
        self._closures: dict[tuple[str, frozenset[str]], int] = {}

    def _read_edges(self, edges: Iterable[Edge]) -> None:
        self.edges: list[Edge] = []
        """Edges whose ends exist and have the same parent."""
        self.broken_edges: list[Edge] = []
        self._out: dict[str, list[Edge]] = defaultdict(list)
        self._into: dict[str, list[Edge]] = defaultdict(list)
        self._by_outcome: dict[tuple[str, str], list[Edge]] = defaultdict(list)
        self._has_incoming: set[str] = set()
        for edge in edges:
            self._has_incoming.add(edge.target)
            ends = (edge.source, edge.target)
            if any(end not in self.parent for end in ends) or self.parent[ends[0]] != self.parent[ends[1]]:
                self.broken_edges.append(edge)
                continue
            self.edges.append(edge)
            self._out[edge.source].append(edge)
            self._into[edge.target].append(edge)
            self._by_outcome[edge.source, edge.on].append(edge)

    # --- containers -----------------------------------------------------------------------------------

    @cached_property
    def _children(self) -> dict[str | None, tuple[str, ...]]:
        found: dict[str | None, list[str]] = defaultdict(list)
        for node_id, parent in self.parent.items():
            found[parent].append(node_id)
        return {parent: tuple(ids) for parent, ids in found.items()}

    def children(self, container: str | None) -> tuple[str, ...]:
        """Nodes that name this container as parent; None: the top level."""
        return self._children.get(container, ())

    def ancestors(self, node_id: str) -> tuple[str, ...]:
        """Containers around a node, the nearest first. Stops where parents run in a circle."""
        found: dict[str, None] = {}  # a list would be searched again for each of them
        parent = self.parent[node_id]
        while parent is not None and parent in self.parent and parent not in found:
            found[parent] = None
            parent = self.parent[parent]
        return tuple(found)

    def depth(self, node_id: str) -> int:
        """How many containers hold a node."""
        return len(self.ancestors(node_id))

    def descendants(self, container: str) -> tuple[str, ...]:
        """Every node inside a container, at any depth, in declaration order."""
        found: set[str] = set()
        waiting = [container]
        while waiting:
            for child in self.children(waiting.pop()):
                if child not in found:
                    found.add(child)
                    waiting.append(child)
        return tuple(sorted(found, key=self.order.__getitem__))

    def meeting(self, one: str, other: str) -> tuple[str | None, str, str]:
        """The nearest container around both, and the child of it that is or holds each of them."""
        line = (one, *self.ancestors(one))
        place = {self.parent[node_id]: node_id for node_id in line}
        here = other
        for node_id in (other, *self.ancestors(other)):
            here = node_id
            if self.parent[node_id] in place:
                return self.parent[node_id], place[self.parent[node_id]], here
        return None, line[-1], here

    # --- edges and links ------------------------------------------------------------------------------

    def outgoing(self, source: str) -> tuple[Edge, ...]:
        """Edges that leave a node, in routing order."""
        return tuple(self._out.get(source, ()))

    def incoming(self, target: str) -> tuple[Edge, ...]:
        """Edges that lead to a node."""
        return tuple(self._into.get(target, ()))

    def edges_from(self, source: str, outcome: str) -> tuple[Edge, ...]:
        """Edges that leave a node on this outcome, in routing order."""
        return tuple(self._by_outcome.get((source, outcome), ()))

    def sources(self, target: str) -> tuple[str, ...]:
        """Nodes with a link to this one, each once, in declaration order."""
        found = {link.source for link in self.links_into(target)}
        return tuple(sorted(found, key=self.order.__getitem__))

    def has_success_edges(self, container: str | None) -> bool:
        """Whether any edge inside this container leaves on success."""
        return any(edge.on == "success" for child in self.children(container) for edge in self._out[child])

    @cached_property
    def _chains(self) -> dict[str, tuple[str, ...]]:
        chains: dict[str, tuple[str, ...]] = {}
        for container in self._in_order:
            if not self.has_success_edges(container):
                children = self.children(container)
                chains[container] = tuple(child for child in children if child not in self._has_incoming)
        return chains

    def chain(self, container: str | None) -> tuple[str, ...]:
        """Children that run one after another because nothing else is drawn; empty where edges lead."""
        return self._chains.get(container, ()) if container is not None else ()

    @cached_property
    def _links(self) -> tuple[dict[str, list[Link]], dict[str, list[Link]]]:
        leaving: dict[str, list[Link]] = defaultdict(list)
        arriving: dict[str, list[Link]] = defaultdict(list)
        for edge in self.edges:
            if edge.source not in self._dead or edge.on not in ("success", "limit"):
                link = Link(edge.source, edge.target, edge.on, edge)
                leaving[edge.source].append(link)
                arriving[edge.target].append(link)
        for chain in self._chains.values():
            for source, target in pairwise(chain):
                if source not in self._dead:
                    link = Link(source, target, "success", None)
                    leaving[source].append(link)
                    arriving[target].append(link)
        return leaving, arriving

    def links(self, source: str) -> list[Link]:
        """Ways that lead on from a node. Treat the list as read-only."""
        return self._links[0].get(source, [])

    def links_into(self, target: str) -> list[Link]:
        """Ways that lead to a node. Treat the list as read-only."""
        return self._links[1].get(target, [])

    def entries(self, container: str | None) -> tuple[str, ...]:
        """Children where a visit of the container begins; at top level the start, if it is clear.

        A container that runs in order without `success` edges begins with the first of its chain.
        """
        if container is None and self.start is not None:
            return (self.start,) if self.parent.get(self.start, "") is None else ()
        chain = self.chain(container)
        return chain[:1] if chain else self.free_children(container)

    def free_children(self, container: str | None) -> tuple[str, ...]:
        """Children to which no edge leads."""
        return tuple(child for child in self.children(container) if child not in self._has_incoming)

    # --- reachability ---------------------------------------------------------------------------------

    def reaches(self, source: str, target: str, stop: frozenset[str] = frozenset()) -> bool:
        """Whether a path of one link or more leads from source to target, going on through no node of `stop`.

        The ends themselves may be in `stop`. Both ends must have the same parent, else nothing is reached.
        """
        return bool(self._closure(source, stop) >> self.order[target] & 1)

    def reached(self, source: str, stop: frozenset[str] = frozenset()) -> frozenset[str]:
        """All nodes that one link or more from source reach, going on through no node of `stop`."""
        bits = self._closure(source, stop)
        return frozenset(node_id for node_id, place in self.order.items() if bits >> place & 1)

    def _closure(self, source: str, stop: frozenset[str]) -> int:
        if not stop:
            return self._whole_closures.get(source, 0)
        known = self._closures.get((source, stop))
        if known is None:
            known = self._walk(source, stop)
            self._closures[source, stop] = known
        return known

    def _walk(self, source: str, stop: frozenset[str]) -> int:
        bits = 0
        waiting = [source]
        while waiting:
            for link in self.links(waiting.pop()):
                bit = 1 << self.order[link.target]
                if not bits & bit:
                    bits |= bit
                    if link.target not in stop:
                        waiting.append(link.target)
        return bits

    @cached_property
    def _whole_closures(self) -> dict[str, int]:
        """Reachable nodes as bits, computed along the components from the last to the first."""
        closures: dict[str, int] = {}
        for component in self._components:
            inside = sum(1 << self.order[node_id] for node_id in component)
            bits = inside if self._is_cycle(component) else 0
            for node_id in component:
                for link in self.links(node_id):
                    bits |= 1 << self.order[link.target]
                    bits |= closures.get(link.target, 0)
            closures.update(dict.fromkeys(component, bits))
        return closures

    # --- cycles ---------------------------------------------------------------------------------------

    @cached_property
    def _components(self) -> list[tuple[str, ...]]:
        targets = {node_id: [link.target for link in self.links(node_id)] for node_id in self.order}
        return components(targets)

    def _is_cycle(self, component: tuple[str, ...]) -> bool:
        return len(component) > 1 or any(link.target == component[0] for link in self.links(component[0]))

    @cached_property
    def cycles(self) -> tuple[frozenset[str], ...]:
        """Sets of nodes that can all reach one another, and so lie on loops; ordered by their first node."""
        found = [frozenset(component) for component in self._components if self._is_cycle(component)]
        return tuple(sorted(found, key=lambda cycle: min(self.order[node_id] for node_id in cycle)))

    @cached_property
    def _cycle_of(self) -> dict[str, frozenset[str]]:
        return {node_id: cycle for cycle in self.cycles for node_id in cycle}

    def cycle_of(self, node_id: str) -> frozenset[str] | None:
        """The cycle a node lies in, or None."""
        return self._cycle_of.get(node_id)

    def has_cycle_without(self, nodes: frozenset[str], bounded: frozenset[str]) -> bool:
        """Whether a loop is left among `nodes` once those of `bounded` are taken out."""
        left = nodes - bounded
        targets = {
            node_id: [link.target for link in self.links(node_id) if link.target in left]
            for node_id in sorted(left, key=self.order.__getitem__)
        }
        return any(len(found) > 1 or found[0] in targets[found[0]] for found in components(targets))

    # --- fan-outs -------------------------------------------------------------------------------------

    @property
    def fan_outs(self) -> Mapping[str, str | None]:
        """Each fan_out node and the synthesis it names."""
        return self._fan_outs

    def branches(self, fan_out: str) -> tuple[str, ...]:
        """Targets of a fan_out node's success edges, each once, in routing order."""
        return tuple(dict.fromkeys(edge.target for edge in self.edges_from(fan_out, "success")))

    @cached_property
    def _regions(self) -> dict[str, frozenset[str]]:
        regions: dict[str, frozenset[str]] = {}
        for fan_out, synthesis in self._fan_outs.items():
            stop = frozenset() if synthesis is None else frozenset({synthesis})
            found = {branch for branch in self.branches(fan_out) if branch != synthesis}
            for branch in tuple(found):
                found |= self.reached(branch, stop)
            regions[fan_out] = frozenset(found - stop)
        return regions

    def fan_out_region(self, fan_out: str) -> frozenset[str]:
        """Nodes between a fan_out node and its synthesis, both left out. Raises KeyError for another node."""
        return self._regions[fan_out]

    @cached_property
    def _fan_outs_around(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = defaultdict(list)
        for fan_out, region in sorted(self._regions.items(), key=lambda item: len(item[1])):
            for node_id in region:
                found[node_id].append(fan_out)
        return {node_id: tuple(around) for node_id, around in found.items()}

    def fan_outs_around(self, node_id: str) -> tuple[str, ...]:
        """Fan_out nodes in whose region a node lies, the innermost first."""
        return self._fan_outs_around.get(node_id, ())
