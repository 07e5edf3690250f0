"""What a check looks at: the readable part of a document, its graph, its catalog, and where things stand in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from editor.language.catalog import Catalog, SitePolicy
from editor.language.definition import Definition, Node, UnreadableConfig
from editor.language.graph import Graph
from editor.language.json_gate import pointer
from editor.language.nodes import ContainerType, NodeType, node_type
from editor.language.problems import Problem, problem
from editor.language.schema import ParsedDocument, to_json
from editor.language.state_schema import StateSchema, state_schema_faults


@dataclass
class Subject:
    """One document under check; checks add to `problems`."""

    definition: Definition
    graph: Graph
    catalog: Catalog
    parsed: ParsedDocument
    problems: list[Problem] = field(default_factory=list)
    is_drawable: bool = True
    """False once containers hold one another, so that nothing can be said about the rest."""

    @classmethod
    def of(cls, document: ParsedDocument | Definition, catalog: Catalog) -> Subject | None:
        """Make the subject of a document; None if nothing of it is readable."""
        parsed = _parsed(document) if isinstance(document, Definition) else document
        if parsed.partial is None:
            return None
        return cls(parsed.partial, Graph(parsed.partial), catalog, parsed, list(parsed.problems))

    @property
    def site(self) -> SitePolicy:
        return self.catalog.site

    @property
    def nodes(self) -> tuple[Node, ...]:
        return self.definition.nodes

    def node(self, node_id: str) -> Node:
        return self.definition.node(node_id)

    def kind(self, node_id: str) -> NodeType | None:
        """The node type; None for one that nobody registered, and for an id without a readable node."""
        node = self.definition.nodes_by_id.get(node_id)
        return None if node is None else node_type(node.type)

    def container(self, node_id: str) -> ContainerType | None:
        """The node type of a container, or None for any other node."""
        kind = self.kind(node_id)
        return kind if isinstance(kind, ContainerType) else None

    def concurrency(self, node_id: str) -> int | None:
        """How many paths of a container run at once: 1 for one after another, None for no bound."""
        kind = self.container(node_id)
        return 1 if kind is None else kind.concurrency(self.node(node_id).config)

    def is_readable(self, node: Node) -> bool:
        return not isinstance(node.config, UnreadableConfig)

    @cached_property
    def has_all_edges(self) -> bool:
        """Whether no edge had to be left out, so that a node without edges really has none."""
        return len(self.definition.edges) == self._given("edges")

    def _given(self, key: str) -> int:
        raw = self.parsed.raw.get(key, []) if isinstance(self.parsed.raw, dict) else []
        return len(raw) if isinstance(raw, list) else 0

    @cached_property
    def stray_nodes(self) -> list[dict[str, Any]]:
        """Raw nodes that were left out: without a usable id, or with the id of another."""
        raw = self.parsed.raw.get("nodes", []) if isinstance(self.parsed.raw, dict) else []
        kept = set(self.parsed.node_places.values())
        listed = raw if isinstance(raw, list) else []
        return [item for place, item in enumerate(listed) if place not in kept and isinstance(item, dict)]

    def raw_node(self, node_id: str) -> dict[str, Any]:
        """The JSON of a node as it was given."""
        raw = self.parsed.raw
        assert isinstance(raw, dict)
        found: dict[str, Any] = raw["nodes"][self.parsed.node_places[node_id]]
        return found

    # --- the state schema -----------------------------------------------------------------------------

    @cached_property
    def schema_faults(self) -> list[str]:
        return [] if self.definition.state is None else state_schema_faults(self.definition.state)

    @cached_property
    def schema(self) -> StateSchema:
        """The compiled state schema; one that allows anything in place of a faulty one."""
        return StateSchema(None if self.schema_faults else self.definition.state)

    # --- places and reports ---------------------------------------------------------------------------

    def node_path(self, node_id: str, rest: str = "") -> str:
        """Pointer to a node in the document as given, or to a part of it (`rest` begins with a slash)."""
        return f"{pointer(('nodes', self.parsed.node_places[node_id]))}{rest}"

    def edge_path(self, edge_id: str, rest: str = "") -> str:
        """Pointer to an edge in the document as given, or to a part of it."""
        return f"{pointer(('edges', self.parsed.edge_places[edge_id]))}{rest}"

    def report(
        self,
        code: str,
        path: str,
        message: str,
        *,
        node: str | None = None,
        edge: str | None = None,
        hint: str | None = None,
    ) -> None:
        """Add a problem."""
        self.problems.append(problem(code, path, message, node=node, edge=edge, hint=hint))

    def report_node(self, code: str, node_id: str, message: str, rest: str = "", hint: str | None = None) -> None:
        """Add a problem of a node, at the node or at a part of it."""
        self.report(code, self.node_path(node_id, rest), message, node=node_id, hint=hint)


def _parsed(definition: Definition) -> ParsedDocument:
    return ParsedDocument(
        definition=definition,
        problems=(),
        raw=to_json(definition),
        partial=definition,
        node_places={node.id: place for place, node in enumerate(definition.nodes)},
        edge_places={edge.id: place for place, edge in enumerate(definition.edges)},
        known_ids=frozenset(definition.nodes_by_id),
    )


def names(ids: list[str] | tuple[str, ...], most: int = 5) -> str:
    """Write ids for a sentence, cut after a few."""
    shown = ", ".join(repr(name) for name in ids[:most])
    return shown if len(ids) <= most else f"{shown} and {len(ids) - most} more"
