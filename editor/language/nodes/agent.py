"""The node type `agent`: a model that calls tools until it answers. Its turns are run by the runner."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import model_validator

from editor.language.definition import NodeConfig
from editor.language.document import Items, Name, Opt, Positive, TemplateText
from editor.language.nodes.base import NodeType
from editor.language.outcomes import Backend


class AgentConfig(NodeConfig):
    """What the agent is, is asked, and may call."""

    default_backend: ClassVar[Backend] = "provider"

    skill: Opt[Name] = None
    """Name of a registered skill."""
    instructions: Opt[TemplateText] = None
    """What the agent is told, where it has no skill."""
    prompt: TemplateText
    """What the agent is asked."""
    tools: Opt[Items[Name]] = None
    """Names of the tools it may call; left out: those of its skill, else none."""
    max_turns: Opt[Positive] = None
    """How often the model may be asked."""
    output_schema: Opt[dict[str, Any]] = None
    """JSON Schema that the final answer must fit; fixed, no template."""

    @model_validator(mode="after")
    def _skill_or_instructions(self) -> AgentConfig:
        if (self.skill is None) == (self.instructions is None):
            raise ValueError("give either a skill or instructions")
        return self


class Agent(NodeType):
    name = "agent"
    category = "work"
    title = "Agent"
    description = "Lets a model call tools until it can answer."
    Config = AgentConfig
    template_fields = ("instructions", "prompt")
    text_fields = frozenset({"instructions", "prompt"})
    attempt_free = frozenset({"instructions", "prompt"})
    structure_fields = ("skill", "tools")
