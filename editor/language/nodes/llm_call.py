"""The node type `llm_call`: one call of a model. The call itself is made by the runner."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from editor.language.definition import NodeConfig
from editor.language.document import Number, Opt, TemplateText
from editor.language.nodes.base import NodeType
from editor.language.outcomes import Backend


class LlmCallConfig(NodeConfig):
    """What to ask which model."""

    default_backend: ClassVar[Backend] = "provider"

    prompt: TemplateText
    """What the model is asked."""
    system: Opt[TemplateText] = None
    """What the model is told beforehand."""
    model: Opt[TemplateText] = None
    """Name of the model; left out: the site's default."""
    temperature: Opt[Annotated[Number, Field(ge=0, le=2)]] = None
    output_schema: Opt[dict[str, Any]] = None
    """JSON Schema that the answer must fit; fixed, no template. The output is then the object."""


class LlmCall(NodeType):
    name = "llm_call"
    category = "work"
    title = "Model call"
    description = "Asks a language model one thing and gives its answer."
    Config = LlmCallConfig
    template_fields = ("prompt", "system", "model")
    text_fields = frozenset({"prompt", "system", "model"})
    attempt_free = frozenset({"prompt", "system"})
