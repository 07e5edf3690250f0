"""The shape of a cut: which nodes go, where paths come in and where they leave, and what cannot be cut out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from editor.language.definition import Node
from editor.language.extracting.refusing import Reasons
from editor.language.graph import Link
from editor.language.nodes.handler import HandlerConfig
from editor.language.nodes.subflow import SubflowConfig
from editor.language.nodes.wait import WaitConfig
from editor.language.validation.subject import Subject, names
from editor.language.validation.writes import Suppliers, writes_of


@dataclass
class Cut:
    """Nodes of one container that are to go, with all that they hold.

    `tops`: those nodes themselves; `inside`: they and what they hold. `entry`: where the one path comes in.
    """

    subject: Subject
    suppliers: Suppliers
    tops: tuple[str, ...]
    inside: frozenset[str]
    entry: str = ""

    @property
    def parent(self) -> str | None:
        """The container of which the nodes are cut out; None: the top level."""
        return self.subject.graph.parent[self.tops[0]]

    @cached_property
    def arriving(self) -> list[Link]:
        """Links that lead in."""
        links = (link for top in self.tops for link in self.subject.graph.links_into(top))
        return [link for link in links if link.source not in self.inside]

    @cached_property
    def leaving(self) -> list[Link]:
        """Links that lead out, in declaration order of their sources, then in routing order."""
        links = (link for top in self.tops for link in self.subject.graph.links(top))
        return [link for link in links if link.target not in self.inside]

    @cached_property
    def own_fan_outs(self) -> frozenset[str]:
        """Nodes of the fan-outs that are cut out whole: a branch that ends there ends no path."""
        found: set[str] = set()
        for fan_out in self.subject.graph.fan_outs:
            if fan_out in self.tops:
                found |= {fan_out, *self.subject.graph.fan_out_region(fan_out)}
        return frozenset(found)

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """Nodes after which nothing comes on success: the path ends there."""
        return tuple(top for top in self._endable if not self._on_success(top))

    @cached_property
    def may_end(self) -> tuple[str, ...]:
        """Nodes after which a path ends if no condition of its edges holds."""
        return tuple(
            top
            for top in self._endable
            if (links := self._on_success(top)) and all(link.edge is not None and link.edge.when for link in links)
        )

    @property
    def _endable(self) -> list[str]:
        kinds = {top: self.subject.kind(top) for top in self.tops if top not in self.own_fan_outs}
        return [top for top, kind in kinds.items() if kind is not None and not kind.ends_path]

    def _on_success(self, top: str) -> list[Link]:
        return [link for link in self.subject.graph.links(top) if link.on == "success"]

    @cached_property
    def is_in_loop(self) -> bool:
        """Whether a path that leaves can come in again."""
        graph = self.subject.graph
        return any(link.target == self.entry or graph.reaches(link.target, self.entry) for link in self.leaving)

    @cached_property
    def is_repeated(self) -> bool:
        """Whether the nodes can run several times in one run for a reason outside of them."""
        graph = self.subject.graph
        around = graph.ancestors(self.entry)
        kinds = [self.subject.container(holder) for holder in around]
        return (
            self.is_in_loop
            or any(kind is not None and kind.repeats for kind in kinds)
            or any(graph.cycle_of(holder) is not None for holder in around)
        )

    @cached_property
    def has_loop(self) -> bool:
        """Whether the nodes hold a loop of their own at their own level."""
        return self.subject.graph.has_cycle_without(frozenset(self.tops), frozenset())

    @cached_property
    def is_beside_others(self) -> bool:
        """Whether other paths may live at the same time, whose writes are merged with those of these nodes."""
        graph = self.subject.graph
        around = graph.ancestors(self.entry)
        kinds = [self.subject.container(holder) for holder in around]
        at_once = any(kind is not None and not kind.in_order for kind in kinds)
        at_once = at_once or any(self.subject.concurrency(holder) != 1 for holder in around)
        return at_once or any(graph.fan_outs_around(node) for node in (self.entry, *around))

    @property
    def path_may_end(self) -> bool:
        """Whether a path can end within."""
        return bool(self.ends or self.may_end)

    def node(self, node_id: str) -> Node:
        """A node of the flow."""
        return self.subject.node(node_id)


def find_cut(subject: Subject, suppliers: Suppliers, ids: Iterable[str], reasons: Reasons) -> Cut:
    """The cut of these nodes. Raises ExtractionRefusedError where it has no clear shape; notes other reasons."""
    graph = subject.graph
    given = frozenset(ids)
    for unknown in sorted(given - graph.parent.keys()):
        reasons.add(f"There is no node {unknown!r} that can be read.", unknown)
    if not given:
        reasons.add("Choose at least one node.")
    reasons.settle()
    tops = tuple(sorted((one for one in given if not given & {*graph.ancestors(one)}), key=graph.order.__getitem__))
    if len({graph.parent[top] for top in tops}) > 1:
        reasons.add("They lie in different containers. Choose nodes of one container, or whole containers.")
    reasons.settle()
    inside = frozenset(tops).union(*(graph.descendants(top) for top in tops))
    cut = Cut(subject, suppliers, tops, inside)
    _find_entry(cut, reasons)
    reasons.settle()
    _check_nodes(cut, reasons)
    _check_fan_outs(cut, reasons)
    _check_joins(cut, reasons)
    _check_loops(cut, reasons)
    _check_surroundings(cut, reasons)
    return cut


def _find_entry(cut: Cut, reasons: Reasons) -> None:
    graph = cut.subject.graph
    found = dict.fromkeys(link.target for link in cut.arriving)
    found |= dict.fromkeys(top for top in graph.entries(cut.parent) if top in cut.tops)
    entries = list(found) or [top for top in cut.tops if not graph.links_into(top)]
    if len(entries) != 1:
        told = f"Paths come in at {names(entries)}. " if entries else "Nothing leads to them, and none is the first. "
        reasons.add(f"{told}Choose nodes that are entered at one of them only.")
        return
    cut.entry = entries[0]
    outside = frozenset(graph.parent) - cut.inside
    reached = graph.reached(cut.entry, outside) | {cut.entry}
    for stray in (top for top in cut.tops if top not in reached):
        reasons.add(f"{stray!r} is not reached from {cut.entry!r} within the selection. Leave it out.", stray)


_REFUSED_TYPES = {
    "return": "ends the whole run, which a sub-flow cannot do. Leave it out.",
    "artifact": "makes an artifact of this run; in a sub-flow it would belong to another one. Leave it out.",
}


def _check_nodes(cut: Cut, reasons: Reasons) -> None:
    for one in sorted(cut.inside, key=cut.subject.graph.order.__getitem__):
        node = cut.node(one)
        if cut.subject.kind(one) is None or not cut.subject.is_readable(node):
            reasons.add(f"{one!r} cannot be read. Mend its problems first.", one)
        elif (told := _refusal_of(cut, node)) is not None:
            reasons.add(f"{one!r} {told}", one)
        if node.budget is not None and cut.is_repeated:
            told = "has a budget for the whole run, and a sub-flow that runs again begins a new one. Leave it out."
            reasons.add(f"{one!r} {told}", one)


def _refusal_of(cut: Cut, node: Node) -> str | None:
    """Why this node alone cannot stand in a sub-flow."""
    config = node.config
    if node.type in _REFUSED_TYPES:
        return _REFUSED_TYPES[node.type]
    if node.type == "end" and node.id in cut.tops:
        return "ends a path of this flow. Leave it out; the sub-flow ends by itself."
    if isinstance(config, WaitConfig) and config.signal is not None:
        return "waits for a signal to this run, and a sub-flow is a run of its own. Leave it out."
    if isinstance(config, SubflowConfig) and config.version == "self":
        return "runs this flow itself, which would then mean the sub-flow. Leave it out."
    if isinstance(config, HandlerConfig) and any(one.key is None for one in writes_of(cut.subject, node)):
        return "may set any state key. Name those it sets under “writes”, or leave it out."
    return None


def _check_fan_outs(cut: Cut, reasons: Reasons) -> None:
    graph = cut.subject.graph
    for fan_out, synthesis in graph.fan_outs.items():
        if fan_out in cut.inside and fan_out not in cut.tops:
            continue
        region = graph.fan_out_region(fan_out)
        whole = region | ({synthesis} if synthesis is not None else set())
        chosen = [top for top in cut.tops if top in region]
        if fan_out in cut.tops:
            if not whole <= set(cut.tops):
                reasons.add(f"{fan_out!r} fans out: choose all of its branches and {synthesis!r} too.", fan_out)
        elif chosen and len(chosen) < len(cut.tops):
            reasons.add(f"They are partly within the fan-out of {fan_out!r}. Choose nodes of one branch only.", fan_out)
        elif synthesis in cut.tops and synthesis != cut.entry:
            reasons.add(f"{synthesis!r} brings the branches of {fan_out!r} together, which are not chosen.", synthesis)


def _check_joins(cut: Cut, reasons: Reasons) -> None:
    graph = cut.subject.graph
    for top in cut.tops:
        if cut.node(top).join == "each" or (top in cut.own_fan_outs and top != cut.entry):
            continue
        if top != cut.entry:
            reasons.add(f"{top!r} is a join, and not all paths that it joins are chosen.", top)
        elif any(link.source in cut.inside for link in graph.links_into(top)):
            reasons.add(f"{top!r} is a join to which paths lead from inside and from outside. Leave it out.", top)
    for target in dict.fromkeys(link.target for link in cut.leaving):
        sources = {link.source for link in cut.leaving if link.target == target}
        if len(sources) > 1 and cut.node(target).join in ("all", "active"):
            told = f"{target!r} joins paths of {names(sorted(sources))}. Choose it as well, or only one of them."
            reasons.add(told, target)


def _check_loops(cut: Cut, reasons: Reasons) -> None:
    if not cut.is_in_loop:
        return
    if cut.has_loop:
        reasons.add("They hold a loop and lie in another one, whose passes are counted together. Choose one of them.")
    for top in cut.tops:
        if any(link.on == "limit" for link in cut.subject.graph.links(top)):
            reasons.add(f"{top!r} says what happens when the loop around it ends. Leave it out.", top)
        if cut.node(top).max_visits is not None and top != cut.entry:
            reasons.add(f"{top!r} bounds the loop around it. Leave it out.", top)


def _check_surroundings(cut: Cut, reasons: Reasons) -> None:
    subject = cut.subject
    for holder in subject.graph.ancestors(cut.entry):
        if subject.node(holder).retry is not None:
            told = (
                f"They lie in {holder!r}, which is tried again; a sub-flow would then do again what had succeeded. "
                "Choose the whole container."
            )
            reasons.add(told, holder)
    if cut.has_loop and any("max_iterations" in preset.policy.values for preset in subject.definition.presets):
        reasons.add("They hold a loop whose bound depends on the preset, and a sub-flow has no preset.")
    if subject.graph.chain(cut.parent) and any(link.edge is not None for link in cut.leaving):
        told = f"In {cut.parent!r} nodes run in their order, and an edge leads out. Choose its target too."
        reasons.add(told, cut.parent)
