"""Which state keys a node writes, and whether it can have done so before another place is reached."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from editor.language.definition import Node
from editor.language.nodes.handler import HandlerConfig
from editor.language.validation.subject import Subject, names
from editor.language.validation.texts import Site

LEFT_ON_SUCCESS = ("success", "limit")
"""Outcomes on which a node's output was applied."""


@dataclass(frozen=True)
class Write:
    """A state key that a node may set, and how; None: some key that nobody can name beforehand."""

    node: str
    key: str | None
    mode: str


def writes_of(subject: Subject, node: Node) -> Iterator[Write]:
    """Every write of one node. A disabled node counts: it writes once it is switched on."""
    if node.output_variable is not None:
        yield Write(node.id, node.output_variable, node.output_mode)
    kind = subject.kind(node.id)
    if not subject.is_readable(node):
        variable = _raw_variable(subject.raw_node(node.id))
        if variable is not None:
            yield Write(node.id, variable, node.output_mode)
    elif isinstance(node.config, HandlerConfig):
        keys = node.writes
        spec = subject.catalog.handler(node.config.handler)
        if keys is None and spec is not None and spec.writes is not None:
            keys = tuple(sorted(spec.writes))
        for key in (None,) if keys is None else keys:
            yield Write(node.id, key, "set")
    elif kind is not None:
        for key in kind.writes(node.config):
            yield Write(node.id, key, node.output_mode)


def _raw_variable(raw: dict[str, object]) -> str | None:
    config = raw.get("config")
    variable = config.get("variable") if isinstance(config, dict) else None
    return variable if isinstance(variable, str) else None


def check_read_only(subject: Subject) -> None:
    """`read_only_writes`: a read-only node that names a state key to write, or holds one that does."""
    for node in subject.nodes:
        if not node.read_only:
            continue
        inside = subject.graph.descendants(node.id) if subject.container(node.id) else ()
        for holder in (node.id, *inside):
            keys = [write.key for write in writes_of(subject, subject.node(holder)) if write.key is not None]
            if keys:
                told = (
                    f"{node.id!r} is read_only, but {holder!r} writes {names(keys)}. Remove the write and read its "
                    f"output as steps.{holder}.output, or take read_only away."
                )
                subject.report_node("read_only_writes", node.id, told, "/read_only")


class Suppliers:
    """Answers which writes can have happened before a site. Never says no where a run could say yes."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.graph = subject.graph
        by_key: dict[str | None, list[str]] = defaultdict(list)
        for node in subject.nodes:
            for write in writes_of(subject, node):
                by_key[write.key].append(write.node)
        self._by_key = dict(by_key)
        self._repeats: dict[str, bool] = {}

    def writers(self, key: str | None) -> list[str]:
        """Nodes that may set this key; None: nodes of which nobody knows what they set."""
        return self._by_key.get(key, [])

    @property
    def keys(self) -> list[str]:
        """Every key that some node is known to set."""
        return [key for key in self._by_key if key is not None]

    @cached_property
    def stray_keys(self) -> frozenset[str]:
        """Keys that nodes write which could not be placed in the flow."""
        found: set[str] = set()
        for raw in self.subject.stray_nodes:
            listed = raw.get("writes")
            keys = [raw.get("output_variable"), _raw_variable(raw), *(listed if isinstance(listed, list) else ())]
            found.update(key for key in keys if isinstance(key, str))
        return frozenset(found)

    def can_supply(self, key: str, site: Site) -> bool:
        """Whether any node can have written this key before the site is reached."""
        if key in self.stray_keys or any(self.can_write_before(node, site) for node in self.writers(key)):
            return True
        unknown = self.writers(None) if self.subject.schema.allows(key) else ()
        return any(self.can_write_before(node, site) for node in unknown)

    def can_write_before(self, writer: str, site: Site) -> bool:
        """Whether what a node writes can be seen at a site."""
        if site.node is None:
            return False
        if self.precedes(writer, site.node, LEFT_ON_SUCCESS):
            return True
        if site.when == "before":
            return False
        if writer == site.node:
            return site.when == "after" and site.outcome in LEFT_ON_SUCCESS
        return site.node in self.graph.ancestors(writer)

    def can_end_before(self, step: str, site: Site) -> bool:
        """Whether a step of this node can have ended, on any outcome, before the site is reached."""
        if site.node is None:
            return False
        if self.precedes(step, site.node, None):
            return True
        if site.when == "before":
            return False
        return (step == site.node and site.when == "after") or site.node in self.graph.ancestors(step)

    def precedes(self, first: str, then: str, outcomes: tuple[str, ...] | None) -> bool:
        """Whether `first` can end before `then` starts, on a path that leads from the one to the other.

        `outcomes`: those on which `first` must have been left; None: any.
        """
        around, one, other = self.graph.meeting(first, then)
        if one == other:
            # One of them holds the other, or they are the same: only another pass can bring first before then.
            return self.repeats(one if then == one else first)
        if around is not None and self.repeats_inside(around):
            return True
        if outcomes is None or one != first:
            return self._leads(one, other)
        return self._is_merged_before(one, other) or any(
            link.on in outcomes and (link.target == other or self._leads(link.target, other))
            for link in self.graph.links(one)
        )

    def _leads(self, one: str, other: str) -> bool:
        """Whether what was written up to `one` can be seen by `other`, a node of the same container."""
        return self.graph.reaches(one, other) or self._is_merged_before(one, other)

    def _is_merged_before(self, one: str, other: str) -> bool:
        """Whether a branch that holds `one` can have been merged when `other` starts, also if it ended early."""
        for fan_out in self.graph.fan_outs_around(one):
            synthesis = self.graph.fan_outs[fan_out]
            beside = synthesis is not None and self.graph.parent.get(synthesis, "") == self.graph.parent[fan_out]
            if synthesis is not None and beside and (synthesis == other or self.graph.reaches(synthesis, other)):
                return True
        return False

    def repeats(self, node_id: str) -> bool:
        """Whether a node can run again with its own earlier writes in sight."""
        known = self._repeats.get(node_id)
        if known is None:
            parent = self.graph.parent.get(node_id)
            known = self._leads(node_id, node_id) or (parent is not None and self.repeats_inside(parent))
            self._repeats[node_id] = known
        return known

    def repeats_inside(self, container: str) -> bool:
        """Whether the nodes of a container can run again with the earlier writes of all of them in sight."""
        if container not in self.graph.parent:
            return False
        kind = self.subject.container(container)
        is_loop = kind is not None and kind.repeats and self.subject.concurrency(container) == 1
        return is_loop or self.repeats(container)
