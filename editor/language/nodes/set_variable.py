"""The node type `set_variable`: writes one state key."""

from __future__ import annotations

from typing import Any

from editor.language.definition import NodeConfig
from editor.language.document import StateKey
from editor.language.nodes.base import NodeType


class SetVariableConfig(NodeConfig):
    """Which key, which value."""

    variable: StateKey
    """State key to set; the node's output_mode says how."""
    value: Any
    """The value."""


class SetVariable(NodeType):
    name = "set_variable"
    category = "work"
    title = "Set variable"
    description = "Writes a value into the state."
    Config = SetVariableConfig
    template_fields = ("value",)
    structure_fields = ("variable",)

    def writes(self, config: NodeConfig) -> tuple[str, ...]:
        return (config.variable,) if isinstance(config, SetVariableConfig) else ()
