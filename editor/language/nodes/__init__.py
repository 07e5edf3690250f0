"""Node types: one file each, and their registry. What a step of a type does at run time is the runner's."""

from editor.language.nodes.base import ContainerType, NodeType
from editor.language.nodes.registry import NODE_TYPES, node_type, register_node_type

__all__ = ["NODE_TYPES", "ContainerType", "NodeType", "node_type", "register_node_type"]
