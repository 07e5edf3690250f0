"""The node type `parallel`: a container whose entry children run at once."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from editor.language.definition import NodeConfig
from editor.language.document import Opt
from editor.language.nodes.base import ContainerType

MAX_CONCURRENCY = 100
Concurrency = Annotated[int, Field(ge=1, le=MAX_CONCURRENCY)]


class ParallelConfig(NodeConfig):
    """How many at once, and when to stop."""

    concurrency: Opt[Concurrency] = None
    """At most so many paths at once; left out: all."""
    stop_when: Opt[str] = None
    """Expression asked after each path that succeeded (sees its state, `output`, `done`): stop?"""


class Parallel(ContainerType):
    name = "parallel"
    title = "Parallel"
    description = "Runs its entry nodes at the same time and waits for all."
    Config = ParallelConfig
    in_order = False
    expression_fields = ("stop_when",)
    structure_fields = ("concurrency", "stop_when")

    def concurrency(self, config: NodeConfig) -> int | None:
        return config.concurrency if isinstance(config, ParallelConfig) else None
