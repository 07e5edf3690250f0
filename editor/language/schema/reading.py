"""JSON to definition, as far as it goes: every fault of every part is reported, and what is readable is kept.

Rules across nodes (edges that dangle, variables nobody sets) are validation's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from editor.language.definition import (
    ArtifactDeclaration,
    Definition,
    Edge,
    Input,
    Node,
    NodeConfig,
    Preset,
    UnreadableConfig,
)
from editor.language.errors import LanguageError
from editor.language.json_gate import DOCUMENT_LIMITS, JsonLimits, clean_json, load_json
from editor.language.nodes import NODE_TYPES, node_type
from editor.language.policy import Permissions, Policy, Rule
from editor.language.problems import Problem, errors_of, problem
from editor.language.schema.parts import Faults, read_part

FORMAT = 1
NODE_FAULTS = {"retry": "retry_invalid", "timeout_ms": "timeout_invalid"}
"""Problem codes of node keys that have one of their own."""


@dataclass(frozen=True)
class DocumentLimits:
    """How large a document may be."""

    json: JsonLimits = DOCUMENT_LIMITS
    nodes: int = 1_000
    edges: int = 10_000


@dataclass(frozen=True)
class ParsedDocument:
    """A document as far as it could be read.

    `definition` is there only if nothing was wrong with any part by itself. `partial` holds what is readable
    (None if not even the format is known), `raw` the JSON as given. `node_places` and `edge_places` tell
    where in the raw lists each node (by id) and edge (by id) stands; `known_ids` are all node ids that the
    document gives, those of unreadable nodes too.
    """

    definition: Definition | None
    problems: tuple[Problem, ...]
    raw: object
    partial: Definition | None = None
    node_places: Mapping[str, int] = field(default_factory=dict)
    edge_places: Mapping[str, int] = field(default_factory=dict)
    known_ids: frozenset[str] = frozenset()


def parse_document(
    source: str | bytes | Mapping[str, Any], *, limits: DocumentLimits = DocumentLimits()
) -> ParsedDocument:
    """Read a document from JSON text or from a JSON object. Never raises: what is wrong is in `problems`."""
    try:
        if isinstance(source, (str, bytes)):
            raw = load_json(source, limits.json, what="the document")
        else:
            raw = clean_json(source, limits=limits.json)
    except LanguageError as error:
        return ParsedDocument(None, (problem("config_invalid", "", error.message),), None)
    if not isinstance(raw, dict):
        told = 'A flow document is a JSON object. Begin it with {"format": 1, …}.'
        return ParsedDocument(None, (problem("config_invalid", "", told),), raw)
    if raw.get("format") != FORMAT or isinstance(raw.get("format"), bool):
        told = f'This site reads documents with "format": {FORMAT}, not {_shown(raw.get("format"))}.'
        hint = "Export the flow again in this format, or import it through the importer of its own format."
        return ParsedDocument(None, (problem("format_unsupported", "/format", told, hint=hint),), raw)
    return _Reading(raw, limits).parsed()


def _shown(value: object) -> str:
    return "nothing" if value is None else repr(value)[:40]


class _Reading:
    """One pass over one document."""

    def __init__(self, raw: dict[str, Any], limits: DocumentLimits) -> None:
        self.raw = raw
        self.limits = limits
        self.faults = Faults()
        self.node_places: dict[str, int] = {}
        self.edge_places: dict[str, int] = {}

    def parsed(self) -> ParsedDocument:
        nodes = self.nodes()
        edges = self.edges()
        top = {key: value for key, value in self.raw.items() if key not in _OWN_READER}
        top |= {"inputs": self.listed("inputs", Input), "presets": self.listed("presets", Preset)}
        top |= {"artifacts": self.listed("artifacts", ArtifactDeclaration), "permissions": self.permissions()}
        policy = self.raw.get("policy", {})
        top["policy"] = read_part(Policy, policy, "/policy", self.faults) or Policy()
        top = {key: value for key, value in top.items() if key in self.raw}
        whole = {**top, "nodes": tuple(nodes), "edges": tuple(edges)}
        if "id" not in whole or not isinstance(whole["id"], str):
            self.faults.add("config_invalid", "/id", "The flow has no id. Give it one, such as my_flow.")
            whole["id"] = "unnamed"
        partial = read_part(Definition, whole, "", self.faults, substitutes={"id": "unnamed"})
        problems = tuple(self.faults.found)
        return ParsedDocument(
            definition=None if errors_of(problems) else partial,
            problems=problems,
            raw=self.raw,
            partial=partial,
            node_places=self.node_places,
            edge_places=self.edge_places,
            known_ids=frozenset(self.ids_given("nodes")),
        )

    # --- lists ----------------------------------------------------------------------------------------

    def items(self, key: str) -> list[tuple[str, dict[str, Any]]]:
        """Objects of a top-level list with their places; everything else is reported and left out."""
        given = self.raw.get(key, [])
        if not isinstance(given, list):
            self.faults.add("config_invalid", f"/{key}", f"{key} must be a list.")
            return []
        for place, item in enumerate(given):
            if not isinstance(item, dict):
                self.faults.add("config_invalid", f"/{key}/{place}", f"Each of {key} must be an object.")
        return [(f"/{key}/{place}", item) for place, item in enumerate(given) if isinstance(item, dict)]

    def ids_given(self, key: str) -> list[str]:
        given = self.raw.get(key, [])
        objects = [item for item in given if isinstance(item, dict)] if isinstance(given, list) else []
        return [item["id"] for item in objects if isinstance(item.get("id"), str)]

    def listed(self, key: str, cls: type[Any]) -> tuple[Any, ...]:
        parts = (read_part(cls, item, place, self.faults) for place, item in self.items(key))
        return tuple(part for part in parts if part is not None)

    def permissions(self) -> Permissions:
        given = self.raw.get("permissions", {})
        if isinstance(given, dict) and isinstance(given.get("rules"), list):
            rules = (
                read_part(Rule, rule, f"/permissions/rules/{place}", self.faults)
                for place, rule in enumerate(given["rules"])
            )
            given = {**given, "rules": tuple(rule for rule in rules if rule is not None)}
        return read_part(Permissions, given, "/permissions", self.faults) or Permissions()

    # --- nodes and edges ------------------------------------------------------------------------------

    def nodes(self) -> list[Node]:
        items = self.items("nodes")
        if len(items) > self.limits.nodes:
            told = f"A flow has at most {self.limits.nodes:,} nodes, not {len(items):,}. Split it into flows."
            self.faults.add("config_invalid", "/nodes", told)
            items = items[: self.limits.nodes]
        found: list[Node] = []
        for place, raw in items:
            node = self.node(raw, place)
            if node is None:
                continue
            if node.id in self.node_places:
                told = f"Two nodes have the id {node.id!r}. Give each node an id of its own."
                self.faults.add("duplicate_id", f"{place}/id", told, node=node.id)
                continue
            self.node_places[node.id] = int(place.rpartition("/")[2])
            found.append(node)
        return found

    def node(self, raw: dict[str, Any], place: str) -> Node | None:
        node_id = raw["id"] if isinstance(raw.get("id"), str) else None
        faults = self.faults.of_node(node_id)
        config = self.config(raw, place, faults)
        kind = raw["type"] if isinstance(raw.get("type"), str) else "unknown"
        whole = {**raw, "type": kind, "config": config}
        if "writes" in whole and kind in NODE_TYPES and kind != "handler":
            faults.add("config_invalid", f"{place}/writes", "Only a handler has writes. Use output_variable.")
            del whole["writes"]
        return read_part(Node, whole, place, faults, codes=NODE_FAULTS)

    def config(self, raw: dict[str, Any], place: str, faults: Faults) -> NodeConfig:
        name = raw.get("type")
        kind = node_type(name) if isinstance(name, str) else None
        if kind is None:
            told = f"There is no node type {_shown(name)}. Choose one of: {', '.join(NODE_TYPES)}."
            faults.add("unknown_type", f"{place}/type", told)
            return UnreadableConfig()
        read = read_part(kind.Config, raw.get("config", {}), f"{place}/config", faults, all_or_nothing=True)
        return read if isinstance(read, NodeConfig) else UnreadableConfig()

    def edges(self) -> list[Edge]:
        items = self.items("edges")
        if len(items) > self.limits.edges:
            told = f"A flow has at most {self.limits.edges:,} edges. Split it into flows."
            self.faults.add("config_invalid", "/edges", told)
            items = items[: self.limits.edges]
        taken = set(self.ids_given("edges"))
        numbers = (f"e{number}" for number in range(1, len(items) + len(taken) + 1))
        fresh = (name for name in numbers if name not in taken)
        found: list[Edge] = []
        for place, raw in items:
            whole = raw if "id" in raw else {"id": next(fresh), **raw}
            edge_id = whole["id"] if isinstance(whole["id"], str) else None
            edge = read_part(Edge, whole, place, self.faults.of_edge(edge_id))
            if edge is None:
                continue
            if edge.id in self.edge_places:
                told = f"Two edges have the id {edge.id!r}. Give each edge an id of its own, or none."
                self.faults.add("duplicate_id", f"{place}/id", told, edge=edge.id)
                continue
            self.edge_places[edge.id] = int(place.rpartition("/")[2])
            found.append(edge)
        return found


_OWN_READER = frozenset({"nodes", "edges", "inputs", "presets", "artifacts", "permissions", "policy"})
