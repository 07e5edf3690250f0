"""The node type `transform`: builds an object from values."""

from __future__ import annotations

from typing import Any

from editor.language.definition import NodeConfig
from editor.language.nodes.base import NodeType


class TransformConfig(NodeConfig):
    """The object to build."""

    fields: dict[str, Any]
    """Value of each key."""


class Transform(NodeType):
    name = "transform"
    category = "work"
    title = "Transform"
    description = "Builds an object out of values."
    Config = TransformConfig
    template_fields = ("fields",)
