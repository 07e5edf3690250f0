"""The node type `subflow`: a version of a flow as one step. Running the child is the runner's part."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from editor.language.definition import NodeConfig
from editor.language.document import Positive, Slug
from editor.language.nodes.base import NodeType


class SubflowConfig(NodeConfig):
    """Which flow, in which version, with which inputs."""

    flow: Slug
    """Id of the flow."""
    version: Positive | Literal["self"]
    """Number of a published version, or `self` for the version that runs."""
    inputs: dict[str, Any] | str = Field(default_factory=dict)
    """Inputs of the child run."""
    wait: bool = True
    """`false`: goes on at once, with the id of the child run as output."""


class Subflow(NodeType):
    name = "subflow"
    category = "work"
    title = "Sub-flow"
    description = "Runs a version of a flow as one step."
    Config = SubflowConfig
    template_fields = ("inputs",)
    structure_fields = ("flow", "version", "wait")
    holds_worker = False
