"""The frozen definition of a flow: classes and defaults. Reading JSON is schema.py's, wiring graph.py's."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, SerializeAsAny, model_validator

from editor.language.document import (
    Amount,
    Count,
    DocumentModel,
    Items,
    Milliseconds,
    Name,
    NodeId,
    Number,
    Opt,
    Positive,
    Slug,
    StateKey,
)
from editor.language.outcomes import NEVER_RETRIED, Backend, Outcome, OutputMode
from editor.language.policy import Permissions, Policy, usd_to_micros

LONGEST_DELAY_MS = 10 * 365 * 24 * 3_600_000
"""No computed wait is longer than ten years: doubled waits must stay within what a timer can hold."""

InputType = Literal[
    "short_text", "long_text", "number", "integer", "boolean", "choice", "date", "object", "list"
]  # fmt: skip


class NodeConfig(DocumentModel):
    """Base of the typed `config` of a node type."""

    default_backend: ClassVar[Backend] = "inline"


class UnreadableConfig(NodeConfig):
    """Stands for a config that could not be read. Never in a Definition that runs."""


class Input(DocumentModel):
    """A declared input of the flow."""

    name: StateKey
    type: InputType
    required: bool = False
    default: Any = None
    description: str = ""
    options: Opt[Items[str]] = None
    sensitive: bool = False

    @property
    def has_default(self) -> bool:
        """Whether the document gives a default at all."""
        return "default" in self.model_fields_set


class Preset(DocumentModel):
    """A named choice of limits."""

    id: Slug
    name: str = ""
    policy: Policy = Policy()


class ArtifactDeclaration(DocumentModel):
    """An artifact that the flow promises to produce."""

    id: Slug
    type: str = Field(min_length=1, max_length=100)
    name: Opt[str] = None
    required: bool = True


class Layout(DocumentModel):
    """Where the canvas draws a node."""

    x: Number
    y: Number
    width: Opt[Number] = None
    height: Opt[Number] = None
    collapsed: bool = False


class Retry(DocumentModel):
    """How often, and after which waits, a failed step is tried again."""

    max_attempts: Positive
    backoff_ms: Count = 0
    max_backoff_ms: Opt[Count] = None
    on: Opt[Items[Annotated[str, Field(min_length=1)]]] = None

    def delay_ms(self, attempt: int) -> int:
        """Wait after attempt number `attempt` (from 1), in milliseconds: doubled each time, capped."""
        delay = self.backoff_ms << min(attempt - 1, 64)
        if self.max_backoff_ms is not None:
            delay = min(delay, self.max_backoff_ms)
        return min(delay, LONGEST_DELAY_MS)

    def covers(self, code: str) -> bool:
        """Whether an error with this code is tried again (attempts left or not)."""
        if code in NEVER_RETRIED:
            return False
        if self.on is None:
            return True
        return any(code.startswith(want[:-1]) if want.endswith("*") else code == want for want in self.on)


class Budget(DocumentModel):
    """Ceiling on what a node uses in a whole run."""

    tokens: Opt[Count] = None
    cost_usd: Opt[Amount] = None
    units: Opt[Amount] = None

    @property
    def cost_micros(self) -> int | None:
        """The cost ceiling in whole micro-dollars, or None."""
        return None if self.cost_usd is None else usd_to_micros(self.cost_usd)


def _number_means_units(value: object) -> object:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {"units": value} if is_number else value


class Node(DocumentModel):
    """A box of the flow."""

    id: NodeId
    type: str = Field(min_length=1)
    name: Opt[str] = None
    description: Opt[str] = None
    notes: Opt[str] = None
    parent: Opt[NodeId] = None
    """Id of the container that holds it; left out at top level."""
    layout: Opt[Layout] = None
    enabled: bool = True
    """`false`: the node is passed through."""
    config: SerializeAsAny[NodeConfig]
    inputs: Opt[Items[StateKey]] = None
    """State keys that the node reads."""
    writes: Opt[Items[StateKey]] = None
    """State keys that a handler may set."""
    output_variable: Opt[StateKey] = None
    """State key that receives the output."""
    output_mode: OutputMode = "set"
    given_backend: Opt[Backend] = Field(None, alias="backend")
    """Where the work runs; left out: the default of the type (or of the tool)."""
    read_only: bool = False
    fan_out: bool = False
    synthesis: Opt[NodeId] = None
    join: Literal["each", "active", "any", "all"] | Positive = "each"
    retry: Opt[Retry] = None
    timeout_ms: Opt[Milliseconds] = None
    """Limit for one attempt, in milliseconds."""
    budget: Annotated[Opt[Budget], BeforeValidator(_number_means_units)] = None
    max_visits: Opt[Positive] = None
    """Bound for this node's loop, in place of the policy's max_iterations."""

    @property
    def backend(self) -> Backend:
        """Where the work runs: as given, else the default of its type."""
        return self.given_backend or self.config.default_backend

    @property
    def label(self) -> str:
        """What people read: the name, else the id."""
        return self.name or self.id

    @model_validator(mode="before")
    @classmethod
    def _position_is_layout(cls, given: object) -> object:
        if isinstance(given, dict) and "position" in given and "layout" not in given:
            return {("layout" if key == "position" else key): value for key, value in given.items()}
        return given


class Edge(DocumentModel):
    """A way from one node to another, for one outcome of its source."""

    id: Name
    source: NodeId
    target: NodeId
    on: Outcome = "success"
    when: Opt[str] = None
    """Expression; the edge is taken only where it is truthy."""
    label: Opt[str] = None


class Definition(DocumentModel):
    """A whole flow, as one version freezes it."""

    format: Literal[1]
    id: Slug
    name: str = ""
    description: str = ""
    inputs: Items[Input] = ()
    state: Opt[dict[str, Any]] = None
    """JSON Schema (2020-12) of the run's state; left out: any object."""
    policy: Policy = Policy()
    presets: Items[Preset] = ()
    permissions: Permissions = Permissions()
    artifacts: Items[ArtifactDeclaration] = ()
    start: Opt[NodeId] = None
    """Id of the first node; left out: the one without incoming edges."""
    nodes: Items[Node] = ()
    edges: Items[Edge] = ()

    @cached_property
    def nodes_by_id(self) -> dict[str, Node]:
        """Nodes by id. Treat it as read-only."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def order(self) -> dict[str, int]:
        """Place of each node in the declaration, by id. Treat it as read-only."""
        return {node.id: place for place, node in enumerate(self.nodes)}

    @property
    def sensitive_keys(self) -> frozenset[str]:
        """State keys marked as sensitive: by their input, or by `x-sensitive` in the state schema."""
        properties = (self.state or {}).get("properties")
        declared = properties.items() if isinstance(properties, dict) else ()
        keys = {key for key, part in declared if isinstance(part, dict) and part.get("x-sensitive")}
        return frozenset(keys | {one.name for one in self.inputs if one.sensitive})

    def node(self, node_id: str) -> Node:
        """Give the node with this id. Raises KeyError."""
        return self.nodes_by_id[node_id]

    def preset(self, preset_id: str) -> Preset | None:
        """Give the preset with this id, or None."""
        return next((preset for preset in self.presets if preset.id == preset_id), None)
