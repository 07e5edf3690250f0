"""All node types by name; installed apps register further ones. No type is defined here."""

from __future__ import annotations

from editor.language.errors import LanguageError
from editor.language.nodes.agent import Agent
from editor.language.nodes.approval import ApprovalNode
from editor.language.nodes.artifact import ArtifactNode
from editor.language.nodes.base import NodeType
from editor.language.nodes.ending import End, Return, Throw
from editor.language.nodes.evaluator import Evaluator
from editor.language.nodes.for_each import ForEach
from editor.language.nodes.handler import Handler
from editor.language.nodes.llm_call import LlmCall
from editor.language.nodes.one_of import OneOf
from editor.language.nodes.parallel import Parallel
from editor.language.nodes.sequence import Sequence
from editor.language.nodes.set_variable import SetVariable
from editor.language.nodes.subflow import Subflow
from editor.language.nodes.tool_call import ToolCall
from editor.language.nodes.tool_group import ToolGroup
from editor.language.nodes.transform import Transform
from editor.language.nodes.verifier import Verifier
from editor.language.nodes.wait import Wait

NODE_TYPES: dict[str, NodeType] = {}


def register_node_type(node_type: NodeType) -> None:
    """Make a node type known to documents. Raises LanguageError if its name is taken by another class."""
    known = NODE_TYPES.get(node_type.name)
    if known is not None and type(known) is not type(node_type):
        raise LanguageError(
            "validation_failed",
            f"The node type {node_type.name!r} is registered already. Give yours another name.",
        )
    NODE_TYPES[node_type.name] = node_type


def node_type(name: str) -> NodeType | None:
    """Give the node type with this name, or None."""
    return NODE_TYPES.get(name)


for _built_in in (
    LlmCall(), ToolCall(), Agent(), ToolGroup(), Handler(), Transform(), Evaluator(), SetVariable(),
    Verifier(), ArtifactNode(), Subflow(), ApprovalNode(), Wait(), OneOf(), Return(), End(), Throw(),
    Sequence(), Parallel(), ForEach(),
):  # fmt: skip
    register_node_type(_built_in)
