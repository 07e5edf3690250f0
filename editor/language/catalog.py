"""What a document only refers to: tools, handlers, skills, roles, models, other flows, the site's rules.

The protocol is what checks and engine ask; the runner registers the real one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from editor.language.definition import Definition
from editor.language.outcomes import Backend, Permission
from editor.language.policy import Rule

Effect = Literal["pure", "idempotent", "at_most_once"]


@dataclass(frozen=True)
class ToolSpec:
    """A tool as a flow sees it. `schema` is the JSON Schema of its arguments, cost is per call."""

    name: str
    description: str
    schema: dict[str, Any]
    read_only: bool = False
    effect: Effect = "idempotent"
    needs_approval: bool | Callable[[dict[str, Any]], bool] = False
    group: str | None = None
    editable: bool = False
    backend: Backend = "inline"
    cost_micros: int = 0


@dataclass(frozen=True)
class HandlerSpec:
    """A registered handler. `writes`: the state keys it may set, None where nobody knows."""

    name: str
    writes: frozenset[str] | None = None
    description: str = ""
    options_schema: dict[str, Any] | None = None


@dataclass(frozen=True)
class SkillSpec:
    """A registered skill: what an agent is told, may call and must answer.

    `version` is a text of three numbers, `1.0.0`. A node names a skill as `name`, which means the newest version
    at publication, or as `name@1.0.0`. `works_offline`: it can do its work without a model.
    """

    name: str
    version: str
    content_hash: str
    instructions: str = ""
    tools: tuple[str, ...] = ()
    output_schema: dict[str, Any] | None = None
    description: str = ""
    works_offline: bool = False

    @property
    def ref(self) -> str:
        """Name and version, as a node may name it: `name@1.0.0`."""
        return f"{self.name}@{self.version}"

    @property
    def pin(self) -> dict[str, str]:
        """What publishing keeps of it."""
        return {"name": self.name, "version": self.version, "content_hash": self.content_hash}


@dataclass(frozen=True)
class SitePolicy:
    """Rules and limits of the house. Times are milliseconds.

    `default`: what happens to a tool call that no rule covers; None: the shipped rule (ask for tools marked
    `at_most_once`, allow for the rest). `self_approval`: whether the starter of a run may decide its
    approvals; None: yes, except for `at_most_once` tools.
    """

    rules: tuple[Rule, ...] = ()
    default: Permission | None = None
    longest_attempt_ms: int = 3_600_000
    default_timeout_ms: int = 300_000
    default_max_iterations: int = 100
    approval_expires_ms: int = 7 * 24 * 3_600_000
    self_approval: bool | None = None


class Catalog(Protocol):
    """What exists in this installation."""

    @property
    def site(self) -> SitePolicy: ...

    def tool(self, name: str) -> ToolSpec | None: ...

    def tools(self) -> Sequence[ToolSpec]: ...

    def handler(self, name: str) -> HandlerSpec | None: ...

    def skill(self, ref: str) -> SkillSpec | None: ...

    def role(self, name: str) -> tuple[str, ...] | None: ...

    def models(self) -> Sequence[str]: ...

    def flow_version(self, flow_id: str, version: int) -> Definition | None: ...


@dataclass(frozen=True)
class StaticCatalog:
    """A catalog that is all given at once: for flow tests, and for checks without a running site."""

    tool_specs: Mapping[str, ToolSpec] = field(default_factory=dict)
    handler_specs: Mapping[str, HandlerSpec] = field(default_factory=dict)
    skill_specs: Mapping[str, SkillSpec] = field(default_factory=dict)
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    model_names: tuple[str, ...] = ()
    flows: Mapping[tuple[str, int], Definition] = field(default_factory=dict)
    site: SitePolicy = SitePolicy()

    def tool(self, name: str) -> ToolSpec | None:
        return self.tool_specs.get(name)

    def tools(self) -> Sequence[ToolSpec]:
        return tuple(self.tool_specs.values())

    def handler(self, name: str) -> HandlerSpec | None:
        return self.handler_specs.get(name)

    def skill(self, ref: str) -> SkillSpec | None:
        return self.skill_specs.get(ref)

    def role(self, name: str) -> tuple[str, ...] | None:
        return self.roles.get(name)

    def models(self) -> Sequence[str]:
        return self.model_names

    def flow_version(self, flow_id: str, version: int) -> Definition | None:
        return self.flows.get((flow_id, version))
