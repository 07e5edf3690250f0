"""What surely happens: nodes that run whenever their scope does, and keys that are surely set.

Only warnings rest on this; where it is unsure it says "not surely".
"""

from __future__ import annotations

from functools import cached_property

from editor.language.graph import Link
from editor.language.validation.subject import Subject
from editor.language.validation.texts import Site
from editor.language.validation.writes import LEFT_ON_SUCCESS, Suppliers

Scope = tuple[str, str | None]
"""`("container", id or None)` or `("fan_out", id)`: where a set of paths lives."""


def merges(subject: Subject, node_id: str) -> bool:
    """Whether paths that arrive at a node go on as one: a join, or a synthesis."""
    return subject.node(node_id).join != "each" or node_id in subject.graph.fan_outs.values()


def scope_of(subject: Subject, node_id: str) -> Scope:
    """The innermost scope whose paths can meet at a node."""
    around = subject.graph.fan_outs_around(node_id)
    return ("fan_out", around[0]) if around else ("container", subject.graph.parent[node_id])


def roots_of(subject: Subject, scope: Scope) -> tuple[str, ...]:
    """Nodes with which the paths of a scope begin."""
    kind, owner = scope
    if kind == "fan_out" and owner is not None:
        return subject.graph.branches(owner)
    return subject.graph.entries(owner)


class Certainty:
    """Answers which nodes surely run within their scope, and which keys are surely set at a site."""

    def __init__(self, subject: Subject, suppliers: Suppliers) -> None:
        self.subject = subject
        self.graph = subject.graph
        self.suppliers = suppliers
        self._running: dict[Scope, frozenset[str]] = {}
        self._ended: dict[str | None, dict[str, int]] = {}

    # --- nodes that surely run ------------------------------------------------------------------------

    def running(self, scope: Scope) -> frozenset[str]:
        """Nodes that every passage of the scope runs, as long as nothing fails."""
        known = self._running.get(scope)
        if known is None:
            known = self._find_running(scope)
            self._running[scope] = known
        return known

    def _find_running(self, scope: Scope) -> frozenset[str]:
        kind, owner = scope
        if kind == "fan_out" and owner is not None:
            edges = self.graph.edges_from(owner, "success")
            roots = {edge.target for edge in edges if edge.when is None}
        else:
            roots = set(roots_of(self.subject, scope))
            roots = roots if len(roots) == 1 or self._starts_all(owner) else set()
        found = set(roots)
        waiting = list(roots)
        while waiting:
            for link in self.graph.links(waiting.pop()):
                target = link.target
                if target not in found and self.is_taken(link) and self._is_met(target, found):
                    found.add(target)
                    waiting.append(target)
        return frozenset(found)

    def _starts_all(self, container: str | None) -> bool:
        kind = self.subject.container(container) if container is not None else None
        return kind is not None and not kind.in_order

    def is_taken(self, link: Link) -> bool:
        """Whether a link is taken whenever its source succeeds."""
        if link.edge is None:
            return True
        if link.on != "success" or link.edge.when is not None:
            return False
        return self.subject.node(link.source).fan_out or link.edge is self.graph.edges_from(link.source, "success")[0]

    def _is_met(self, target: str, running: set[str]) -> bool:
        join = self.subject.node(target).join
        if join in ("each", "any", "active"):
            return True
        return self.sure_arrivals(target, running) >= self.needed_arrivals(target)

    def sure_arrivals(self, target: str, running: frozenset[str] | set[str]) -> int:
        """How many links into a node are surely taken, if these nodes run."""
        links = self.graph.links_into(target)
        return sum(1 for link in links if link.source in running and self.is_taken(link))

    def needed_arrivals(self, target: str) -> int:
        """How many arrivals a join waits for."""
        join = self.subject.node(target).join
        return join if isinstance(join, int) else len(self.graph.links_into(target))

    # --- keys that are surely set ---------------------------------------------------------------------

    def is_set(self, key: str, site: Site) -> bool:
        """Whether a state key surely has a value when a site is reached."""
        if site.node is None:
            return False
        declared = next((one for one in self.subject.definition.inputs if one.name == key), None)
        if declared is not None and (declared.required or declared.has_default):
            return True
        needed = (self.subject.definition.state or {}).get("required")
        if isinstance(needed, list) and key in needed:
            return True
        return any(self.surely_succeeded(writer, site) for writer in self.suppliers.writers(key))

    def surely_succeeded(self, writer: str, site: Site) -> bool:
        """Whether a node has surely succeeded when a site is reached."""
        if site.node is None or not self.subject.node(writer).enabled:
            return False
        if site.when == "after" and writer == site.node:
            return site.outcome in LEFT_ON_SUCCESS
        around, one, other = self.graph.meeting(writer, site.node)
        if one == other or not self._surely_inside(writer, one):
            return False
        return bool(self._surely_ended(around).get(other, 0) >> self.graph.order[one] & 1)

    def _surely_inside(self, writer: str, outer: str) -> bool:
        """Whether a node runs in every success of a container around it (which may be the node itself)."""
        here = writer
        while here != outer:
            parent = self.graph.parent[here]
            kind = self.subject.container(parent) if parent is not None else None
            if parent is None or kind is None or kind.repeats or not self.subject.node(parent).enabled:
                return False
            if here not in self.running(("container", parent)) or self.graph.edges_from(here, "error"):
                return False
            here = parent
        return True

    @cached_property
    def _all(self) -> int:
        return (1 << len(self.graph.order)) - 1

    def _surely_ended(self, container: str | None) -> dict[str, int]:
        """For each child, the siblings (as bits) that have surely succeeded before it starts."""
        known = self._ended.get(container)
        if known is not None:
            return known
        children = self.graph.children(container)
        before = dict.fromkeys(children, self._all) | dict.fromkeys(self.graph.entries(container), 0)
        is_settled = False
        while not is_settled:
            is_settled = True
            for child in children:
                found = self._before(child, before)
                if found != before[child]:
                    before[child] = found
                    is_settled = False
        self._ended[container] = before
        return before

    def _before(self, child: str, before: dict[str, int]) -> int:
        links = self.graph.links_into(child)
        if not links or child in self.graph.entries(self.graph.parent[child]):
            return before[child]
        arriving = [before[link.source] | self._left(link) for link in links]
        found = self._all
        for bits in arriving:
            found &= bits
        if merges(self.subject, child):
            for bits in self._sure_bits(child, links, arriving):
                found |= bits
        for fan_out, synthesis in self.graph.fan_outs.items():
            if synthesis == child and fan_out in before:
                found |= before[fan_out] | 1 << self.graph.order[fan_out]
        return found

    def _sure_bits(self, child: str, links: list[Link], arriving: list[int]) -> list[int]:
        sources = {link.source for link in links}
        running: set[str] = set()
        for source in sources:
            running |= self.running(scope_of(self.subject, source))
        takes_all = self.subject.node(child).join == "all"
        pairs = zip(links, arriving, strict=True)
        return [bits for link, bits in pairs if takes_all or (link.source in running and self.is_taken(link))]

    def _left(self, link: Link) -> int:
        return 1 << self.graph.order[link.source] if link.on in LEFT_ON_SUCCESS else 0
