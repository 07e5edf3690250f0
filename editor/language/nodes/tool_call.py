"""The node type `tool_call`: one call of one tool. Permissions and the call itself are the runner's."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from editor.language.definition import NodeConfig
from editor.language.document import Name
from editor.language.nodes.base import NodeType


class ToolCallConfig(NodeConfig):
    """Which tool, with which arguments."""

    tool: Name
    """Name of the tool."""
    arguments: dict[str, Any] | str = Field(default_factory=dict)
    """Values of its arguments; a text that is one placeholder passes a whole object."""


class ToolCall(NodeType):
    name = "tool_call"
    category = "work"
    title = "Tool call"
    description = "Calls a tool and gives its result."
    Config = ToolCallConfig
    template_fields = ("arguments",)
    attempt_free = frozenset({"arguments"})
    structure_fields = ("tool",)
