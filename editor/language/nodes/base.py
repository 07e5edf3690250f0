"""What a node type is: a name, a typed config, and which of its fields are templates or expressions.

The types themselves have a file each; the registry is in registry.py.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from editor.language.definition import NodeConfig
from editor.language.outcomes import Backend

Category = Literal["work", "people", "control", "container"]

Place = tuple[str, object]
"""A JSON pointer within the config, and the value found there."""


class NodeType:
    """A node type. Subclasses set the class attributes; an app registers an instance.

    `template_fields`: config fields in which texts are templates, at any depth. `text_fields`: those of them
    that must give a text. `expression_fields`: fields that hold one expression, or an object of named ones.
    `attempt_free`: fields that may not read `run.attempt`, since every attempt repeats the same call.
    `structure_fields`: fields that decide which step runs where, and so belong to the structure hash.
    """

    name: ClassVar[str]
    category: ClassVar[Category]
    title: ClassVar[str]
    description: ClassVar[str]
    Config: ClassVar[type[NodeConfig]]
    template_fields: ClassVar[tuple[str, ...]] = ()
    text_fields: ClassVar[frozenset[str]] = frozenset()
    expression_fields: ClassVar[tuple[str, ...]] = ()
    attempt_free: ClassVar[frozenset[str]] = frozenset()
    structure_fields: ClassVar[tuple[str, ...]] = ()
    ends_path: ClassVar[bool] = False
    """Whether no edge for `success` can leave it."""
    holds_worker: ClassVar[bool] = True
    """Whether a worker is busy while an attempt lasts, so that the site's longest attempt bounds it."""

    @property
    def default_backend(self) -> Backend:
        """Where the work runs if the node does not say."""
        return self.Config.default_backend

    @property
    def is_container(self) -> bool:
        """Whether nodes may name such a node as their parent."""
        return self.category == "container"

    def templates(self, config: NodeConfig) -> list[Place]:
        """List the fields in which texts are templates: pointer of the field, its whole value."""
        return self._given(config, self.template_fields)

    def expressions(self, config: NodeConfig) -> list[tuple[str, str]]:
        """List the expressions of a config: pointer, text."""
        found: list[tuple[str, str]] = []
        for place, value in self._given(config, self.expression_fields):
            if isinstance(value, str):
                found.append((place, value))
            elif isinstance(value, dict) and "$expr" not in value:
                found.extend((f"{place}/{escape(key)}", text) for key, text in value.items())
        return found

    def writes(self, config: NodeConfig) -> tuple[str, ...]:
        """State keys that a config itself sets, beside the node's output_variable."""
        return ()

    @staticmethod
    def _given(config: NodeConfig, fields: tuple[str, ...]) -> list[Place]:
        values = ((name, getattr(config, name, None)) for name in fields)
        return [(f"/{name}", value) for name, value in values if value is not None]


def escape(key: str) -> str:
    """Write a key as one part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


class ContainerType(NodeType):
    """A node type that holds the nodes which name it as their parent."""

    category = "container"
    holds_worker = False
    in_order: ClassVar[bool] = True
    """Whether its children run as one path; else every entry child starts a path of its own."""
    repeats: ClassVar[bool] = False
    """Whether its children run several times within one visit."""

    def concurrency(self, config: Any) -> int | None:
        """How many of its paths run at once; None: no bound of its own."""
        return 1
