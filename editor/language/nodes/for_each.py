"""The node type `for_each`: a container that runs its children once for each item."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from editor.language.definition import NodeConfig
from editor.language.document import Count, ExprObject, Items, Opt, StateKey
from editor.language.nodes.base import ContainerType, Place
from editor.language.nodes.parallel import Concurrency
from editor.language.nodes.tool_group import Share, allowed_failures

MAX_ITEMS = 100_000


class ForEachConfig(NodeConfig):
    """Over which items, how many at once, and what a failed one means."""

    items: (
        str
        | Annotated[int, Field(ge=0, le=MAX_ITEMS)]
        | Annotated[Items[Any], Field(max_length=MAX_ITEMS)]
        | ExprObject
    )
    """Expression that gives a list or a whole number n (0 to n-1), or such a list or number itself."""
    item_variable: StateKey = "item"
    """Name under which an iteration sees its item."""
    index_variable: StateKey = "index"
    """Name under which an iteration sees its place, from 0."""
    concurrency: Concurrency = 1
    """At most so many iterations at once."""
    on_item_error: Literal["fail", "collect"] = "fail"
    """`collect`: a failed item leaves null in its place, the others go on."""
    max_failed: Opt[Count | Share] = None
    """More failed items than that fail the node: a number, or a share such as `10%`."""
    stop_when: Opt[str] = None
    """Expression asked after each iteration that succeeded (sees its state, `output`, `done`): stop?"""

    def allowed_failures(self, items: int) -> int | None:
        """How many of `items` may fail before the node does; None: any number."""
        return allowed_failures(self.max_failed, items)


class ForEach(ContainerType):
    name = "for_each"
    title = "For each"
    description = "Runs its nodes once for each item of a list."
    Config = ForEachConfig
    repeats = True
    expression_fields = ("items", "stop_when")
    structure_fields = ("items", "item_variable", "index_variable", "concurrency", "stop_when")

    def templates(self, config: NodeConfig) -> list[Place]:
        """The items, where they are a list or a value expression: a text there is an expression."""
        if isinstance(config, ForEachConfig) and isinstance(config.items, (tuple, dict)):
            items = list(config.items) if isinstance(config.items, tuple) else config.items
            return [("/items", items)]
        return []

    def concurrency(self, config: NodeConfig) -> int | None:
        return config.concurrency if isinstance(config, ForEachConfig) else 1
