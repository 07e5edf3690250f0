"""The node type `tool_group`: all tools of a role at once. The calls are made by the runner."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field

from editor.language.definition import NodeConfig
from editor.language.document import Count, Name, Opt
from editor.language.nodes.base import NodeType

Share = Annotated[str, Field(pattern=r"^(100(\.0+)?|[0-9]{1,2}(\.[0-9]+)?)%$")]
"""A share of the items, such as `10%`."""


def allowed_failures(max_failed: int | str | None, items: int) -> int | None:
    """How many of `items` may fail, given a number or a share; None: any number."""
    if max_failed is None or isinstance(max_failed, int):
        return max_failed
    return math.floor(Decimal(max_failed.removesuffix("%")) * items / 100)


class ToolGroupConfig(NodeConfig):
    """Which role, with which arguments for each of its tools."""

    role: Name
    """Name of the role; the site binds tools to it."""
    arguments: dict[str, Any] | str = Field(default_factory=dict)
    """Values of the arguments, the same for each tool."""
    on_item_error: Literal["fail", "collect"] = "fail"
    """`collect`: a failed call leaves null in its place."""
    max_failed: Opt[Count | Share] = None
    """More failed calls than that fail the step: a number, or a share such as `10%`."""


class ToolGroup(NodeType):
    name = "tool_group"
    category = "work"
    title = "Tool group"
    description = "Calls every tool of a role and lists the results."
    Config = ToolGroupConfig
    template_fields = ("arguments",)
    attempt_free = frozenset({"arguments"})
    structure_fields = ("role",)
