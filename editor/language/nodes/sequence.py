"""The node type `sequence`: a container whose children run one after another."""

from __future__ import annotations

from editor.language.definition import NodeConfig
from editor.language.nodes.base import ContainerType


class SequenceConfig(NodeConfig):
    """Nothing to set: the children follow their edges, or their order."""


class Sequence(ContainerType):
    name = "sequence"
    title = "Sequence"
    description = "Runs its nodes by their edges, or in their order."
    Config = SequenceConfig
