"""The node type `one_of`: pure branching. The branches are its edges."""

from __future__ import annotations

from editor.language.definition import NodeConfig
from editor.language.nodes.base import NodeType


class OneOfConfig(NodeConfig):
    """Nothing to set: the conditions stand on the edges."""


class OneOf(NodeType):
    name = "one_of"
    category = "control"
    title = "Branch"
    description = "Goes on along the first edge whose condition holds."
    Config = OneOfConfig
