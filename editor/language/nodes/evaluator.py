"""The node type `evaluator`: computes one expression."""

from __future__ import annotations

from editor.language.definition import NodeConfig
from editor.language.nodes.base import NodeType


class EvaluatorConfig(NodeConfig):
    """The expression."""

    expression: str
    """Expression over the state; its value is the output."""


class Evaluator(NodeType):
    name = "evaluator"
    category = "work"
    title = "Evaluator"
    description = "Computes an expression."
    Config = EvaluatorConfig
    expression_fields = ("expression",)
