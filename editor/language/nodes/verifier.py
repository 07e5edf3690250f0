"""The node type `verifier`: asks named yes-or-no questions."""

from __future__ import annotations

from editor.language.definition import NodeConfig
from editor.language.nodes.base import NodeType


class VerifierConfig(NodeConfig):
    """The questions."""

    checks: dict[str, str]
    """Expression of each check, by its name."""


class Verifier(NodeType):
    name = "verifier"
    category = "work"
    title = "Verifier"
    description = "Answers named checks with true or false."
    Config = VerifierConfig
    expression_fields = ("checks",)
