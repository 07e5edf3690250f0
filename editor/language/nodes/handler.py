"""The node type `handler`: registered code that works on the state. The code is an app's."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from editor.language.definition import NodeConfig
from editor.language.document import Name
from editor.language.nodes.base import NodeType


class HandlerConfig(NodeConfig):
    """Which handler, with which options."""

    handler: Name
    """Registered name of the handler."""
    options: dict[str, Any] | str = Field(default_factory=dict)
    """Options of the handler."""


class Handler(NodeType):
    name = "handler"
    category = "work"
    title = "Handler"
    description = "Runs registered code on the state keys that the node declares."
    Config = HandlerConfig
    template_fields = ("options",)
    structure_fields = ("handler",)
