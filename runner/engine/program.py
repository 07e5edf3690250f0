"""A flow compiled for running: templates, expressions and topology looked up once. It holds nothing of a run.

Compiled once per version and cached by the shell; never stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from editor.language.catalog import Catalog, ToolSpec
from editor.language.definition import Definition, Edge, Node
from editor.language.expressions import (
    Expression,
    Read,
    Template,
    compile_expression,
    compile_template,
    compile_text,
)
from editor.language.graph import Graph
from editor.language.nodes import NODE_TYPES
from editor.language.state_schema import ArgumentSchema, StateSchema
from runner.engine.given import NOTHING_GIVEN, GivenEnds

RESERVED_ROOTS = frozenset({"inputs", "steps", "policy", "run"})
#: Names that only some expressions see; they hide state keys.
LOCAL_ROOTS = frozenset({"output", "error", "args", "done"})


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that the engine holds (sizes in bytes)."""

    value_bytes: int = 16 * 2**20
    state_bytes: int = 8 * 2**20
    steps: int = 100_000
    items: int = 100_000
    fan_out: int = 1_000
    lost_attempts: int = 3
    settle_ms: int = 10_000
    sub_run_depth: int = 16


@dataclass(frozen=True, slots=True)
class Uses:
    """What a group of templates and expressions reads: state keys, and results of nodes (None: of any node)."""

    keys: frozenset[str] = frozenset()
    steps: frozenset[str] | None = frozenset()

    def plus(self, other: Uses) -> Uses:
        """What either reads."""
        steps = None if self.steps is None or other.steps is None else self.steps | other.steps
        return Uses(self.keys | other.keys, steps)


def uses_of(reads: Iterable[Read]) -> Uses:
    """Collect what these reads ask for."""
    keys: set[str] = set()
    steps: set[str] | None = set()
    for read in reads:
        if read.root == "steps":
            if not read.path:
                steps = None
            elif steps is not None:
                steps.add(str(read.path[0]))
        elif read.root not in RESERVED_ROOTS:
            keys.add(read.root)
    return Uses(frozenset(keys), None if steps is None else frozenset(steps))


@dataclass(frozen=True, slots=True)
class CompiledEdge:
    """An edge with its condition; `edge` is None for the unwritten order of a sequence without edges."""

    target: str
    edge: Edge | None = None
    condition: Expression | None = None


@dataclass(slots=True)
class CompiledNode:
    """A node with its templates and expressions."""

    node: Node
    index: int
    ancestors: tuple[str, ...]
    templates: dict[str, Template] = field(default_factory=dict)
    expressions: dict[str, Expression] = field(default_factory=dict)
    uses: Uses = field(default_factory=Uses)
    edges: dict[str, tuple[CompiledEdge, ...]] = field(default_factory=dict)
    edge_uses: dict[str, Uses] = field(default_factory=dict)
    stop_uses: Uses = field(default_factory=Uses)
    sensitive: bool = False

    @property
    def config(self) -> Any:
        """The typed config."""
        return self.node.config


class Program:
    """Everything that `advance` looks up about a flow. `given`: of nodes that do no work themselves, how they end."""

    def __init__(
        self, definition: Definition, catalog: Catalog, limits: Limits, given: GivenEnds = NOTHING_GIVEN
    ) -> None:
        self.limits = limits
        self.given = given
        self.definition = definition
        self.catalog = catalog
        self.graph = Graph(definition)
        self.state_schema = StateSchema(definition.state)
        self.order: Mapping[str, int] = definition.order
        self.rules: list[tuple[Any, Expression | None, bool]] = [
            (rule, compile_expression(rule.when) if rule.when is not None else None, own)
            for own, rules in ((True, definition.permissions.rules), (False, catalog.site.rules))
            for rule in rules
        ]
        self._nodes: dict[str, CompiledNode] = {}
        self._argument_schemas: dict[str, tuple[dict[str, Any], ArgumentSchema]] = {}

    def node(self, node_id: str) -> CompiledNode:
        """The compiled node, compiled when it is first asked for."""
        compiled = self._nodes.get(node_id)
        if compiled is None:
            compiled = self._nodes[node_id] = self._compile(self.definition.nodes_by_id[node_id])
        return compiled

    def _compile(self, node: Node) -> CompiledNode:
        kind = NODE_TYPES[node.type]
        compiled = CompiledNode(node, self.order[node.id], self.graph.ancestors(node.id))
        reads: list[Read] = []
        for place, value in kind.templates(node.config):
            name = place.removeprefix("/")
            template = compile_text(value) if name in kind.text_fields else compile_template(_plain(value))
            compiled.templates[name] = template
            reads += template.reads
        for place, text in kind.expressions(node.config):
            name = place.removeprefix("/")
            expression = compile_expression(text)
            compiled.expressions[name] = expression
            if name == "stop_when":
                compiled.stop_uses = uses_of(expression.reads)
            else:
                reads += expression.reads
        compiled.uses = uses_of(reads)
        compiled.sensitive = self._touches_sensitive(node, compiled.uses, reads)
        self._compile_edges(compiled)
        return compiled

    @cached_property
    def sensitive_keys(self) -> frozenset[str]:
        """State keys marked as sensitive."""
        return self.definition.sensitive_keys

    @cached_property
    def has_sensitive_waits(self) -> bool:
        """Whether the value of a signal may be sensitive: a wait that may take one touches what is."""
        return any(node.type == "wait" and self.node(node.id).sensitive for node in self.definition.nodes)

    def _touches_sensitive(self, node: Node, uses: Uses, reads: list[Read]) -> bool:
        """Whether what a node is given or gives may hold a sensitive value. Rather once too often."""
        if node.id in self.given.sealed:
            return True
        if not self.sensitive_keys:
            return False
        touched = uses.keys | set(node.inputs or ()) | set(node.writes or ())
        touched |= {node.output_variable or "", *NODE_TYPES[node.type].writes(node.config)}
        by_result = uses.steps is None or self._are_sensitive(uses.steps - {node.id})
        return bool(touched & self.sensitive_keys) or by_result or any(read.root == "inputs" for read in reads)

    def _are_sensitive(self, nodes: Iterable[str]) -> bool:
        return any(self.node(one).sensitive for one in nodes if one in self.order)

    def _compile_edges(self, compiled: CompiledNode) -> None:
        node = compiled.node
        grouped: dict[str, list[CompiledEdge]] = {}
        for link in self.graph.links(node.id):
            when = link.edge.when if link.edge is not None else None
            condition = compile_expression(when) if when is not None else None
            grouped.setdefault(link.on, []).append(CompiledEdge(link.target, link.edge, condition))
        for outcome, edges in grouped.items():
            compiled.edges[outcome] = tuple(edges)
            reads = [read for edge in edges if edge.condition for read in edge.condition.reads]
            compiled.edge_uses[outcome] = uses_of(reads)

    @cached_property
    def step_reads(self) -> frozenset[str] | None:
        """Nodes whose results somebody reads through `steps`; None: any node's may be read."""
        uses = Uses()
        for node in self.definition.nodes:
            compiled = self.node(node.id)
            uses = uses.plus(compiled.uses).plus(compiled.stop_uses)
            for edge_uses in compiled.edge_uses.values():
                uses = uses.plus(edge_uses)
        return uses.steps

    def keeps_result(self, node_id: str) -> bool:
        """Whether the result of a node has to be readable through `steps`."""
        return self.step_reads is None or node_id in self.step_reads

    @cached_property
    def _counted(self) -> frozenset[str]:
        """Nodes that may be visited more than once in a run."""
        counted: set[str] = set()
        todo = [node.id for node in self.definition.nodes if self._starts_counting(node)]
        while todo:
            node_id = todo.pop()
            if node_id in counted:
                continue
            counted.add(node_id)
            todo += [link.target for link in self.graph.links(node_id)]
            todo += self.graph.children(node_id)
        return frozenset(counted)

    def _starts_counting(self, node: Node) -> bool:
        if self.graph.cycle_of(node.id) is not None:
            return True
        return node.join == "each" and len(self.graph.links_into(node.id)) > 1

    def counts_visits(self, node_id: str) -> bool:
        """Whether a node may be visited more than once in a run (else its visit is always 1)."""
        return node_id in self._counted

    def counts_per_region(self, node_id: str) -> bool:
        """Whether a container around the node may be visited again, so that paths repeat across regions."""
        parent = self.definition.nodes_by_id[node_id].parent
        return parent is not None and parent in self._counted

    def visit_bound(self, node_id: str, policy: Mapping[str, Any]) -> int | None:
        """How often a node may be visited in one visit of its container; None: it is in no loop."""
        if self.graph.cycle_of(node_id) is None:
            return None
        own = self.definition.nodes_by_id[node_id].max_visits
        if own is not None:
            return own
        return int(policy.get("max_iterations") or self.catalog.site.default_max_iterations)

    def argument_schema(self, tool: ToolSpec) -> ArgumentSchema:
        """The compiled schema of a tool's arguments; compiled anew only where a tool's schema has changed."""
        known = self._argument_schemas.get(tool.name)
        if known is None or known[0] is not tool.schema:
            known = self._argument_schemas[tool.name] = (tool.schema, ArgumentSchema(tool.schema))
        return known[1]

    def limit_ms(self, node: Node) -> int | None:
        """Time limit of one attempt in milliseconds; None for what may last as long as it likes."""
        if node.timeout_ms is not None:
            return node.timeout_ms
        holds_worker = NODE_TYPES[node.type].holds_worker
        return self.catalog.site.default_timeout_ms if holds_worker else None


def _plain(value: object) -> object:
    """Tuples of a frozen config as lists, so that a rendered value is JSON."""
    return list(value) if isinstance(value, tuple) else value


def compile_program(
    definition: Definition, catalog: Catalog, limits: Limits | None = None, given: GivenEnds = NOTHING_GIVEN
) -> Program:
    """Compile a definition that passed its checks. Names it refers to are asked of the catalog at run time."""
    return Program(definition, catalog, limits or Limits(), given)
